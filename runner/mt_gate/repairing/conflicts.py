"""Turn the votes on one sentence into its repaired entities (TIN, repairing of range conflict).

If the votes make two overlapping ranges entities, the range with the lower score is removed. It
then no longer conflicts with a third. A prediction without a vote stays unchanged, so a new range
that overlaps it is not added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from mt_gate.domain import Entity, ErrorCategory
from mt_gate.relations.ner.entities import Span, core
from mt_gate.repairing.reading import Suspect
from mt_gate.repairing.vote import Vote


class EntityOutcome(StrEnum):
    """Outcome of the repair of a suspicious entity."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    NO_CANDIDATE = "no-candidate"


class Ballot(NamedTuple):
    """A suspicious entity and the vote on it; None if there was no candidate."""

    suspect: Suspect
    vote: Vote | None


class Relabelling(NamedTuple):
    """Label of a suspicious entity after the votes on its sentence; None means no entity.

    ``sure`` is false if there is no vote, or if a prediction without a vote overlaps.
    """

    ballot: Ballot
    label: str | None
    sure: bool

    @property
    def outcome(self) -> EntityOutcome:
        """Whether the label changed."""
        if self.ballot.vote is None:
            return EntityOutcome.NO_CANDIDATE
        said = self.ballot.suspect.said
        return EntityOutcome.UNCHANGED if self.label == said else EntityOutcome.CHANGED


class Repaired(NamedTuple):
    """A sentence's entities after repair, with the decision on each ballot, in order."""

    entities: tuple[Entity, ...]
    decisions: tuple[Relabelling, ...]


def settle(text: str, entities: Sequence[Entity], ballots: Sequence[Ballot]) -> Repaired:
    """Return a sentence's entities after the votes; each vote is on a different span.

    An entity whose range was predicted keeps its article and full stop.
    """
    predicted = {_span(core(text, entity)): entity for entity in entities}
    voted = {ballot.suspect.span for ballot in ballots if ballot.vote is not None}
    untouched = [entity for span, entity in predicted.items() if span not in voted]
    decisions = _decided(ballots, [_span(core(text, entity)) for entity in untouched])
    relabelled = [
        _relabelled(predicted.get(decision.ballot.suspect.span), decision)
        for decision in decisions
        if decision.ballot.vote is not None and decision.label is not None
    ]
    return Repaired(tuple(sorted([*untouched, *relabelled])), decisions)


def _span(entity: Entity) -> Span:
    return entity.start, entity.end


def _relabelled(predicted: Entity | None, decision: Relabelling) -> Entity:
    start, end = _span(predicted) if predicted else decision.ballot.suspect.span
    return Entity(start, end, decision.label or "")


def _decided(ballots: Sequence[Ballot], untouched: Sequence[Span]) -> tuple[Relabelling, ...]:
    blocked = {
        ballot.suspect.span
        for ballot in ballots
        if ballot.suspect.said is None and _meets(ballot.suspect.span, untouched)
    }
    selected: list[Span] = []
    for ballot in sorted(ballots, key=_rank):
        span, vote = ballot.suspect.span, ballot.vote
        wanted = vote is not None and vote.label is not None and span not in blocked
        if wanted and not _meets(span, selected):
            selected.append(span)
    decisions = []
    for ballot in ballots:
        (_, span, said), vote = ballot
        label = vote.label if vote and span in selected else None
        sure = vote is not None and (vote.label is None or span not in blocked)
        decisions.append(Relabelling(ballot, label if vote else said, sure))
    return tuple(decisions)


def _rank(ballot: Ballot) -> tuple[float, bool, int, int]:
    (_, (start, end), said), vote = ballot
    score, label = (vote.score, vote.label) if vote else (0.0, None)
    return -score, label != said, start, -end


def _meets(span: Span, others: Iterable[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def change_of(
    decision: Relabelling, before: Sequence[Entity], after: Sequence[Entity]
) -> ErrorCategory | None:
    """Return the category of error that a decision fixes; None if it changes nothing.

    It is a range error if an added entity overlaps an entity from before, or if a removed entity
    overlaps an entity that remains.
    """
    if decision.outcome is not EntityOutcome.CHANGED:
        return None
    suspect = decision.ballot.suspect
    if suspect.said is None:
        met = _meets(suspect.span, map(_span, before))
        return ErrorCategory.RANGE_ERROR if met else ErrorCategory.OMISSION
    if decision.label is None:
        met = _meets(suspect.span, map(_span, after))
        return ErrorCategory.RANGE_ERROR if met else ErrorCategory.OVER_LABELLING
    return ErrorCategory.INCORRECT_CATEGORY
