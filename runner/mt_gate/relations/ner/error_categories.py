"""What kind of error a violated group shows, entity by entity.

TIN (ESEC/FSE 2023), section 4.3, has four kinds: omission, over-labelling, incorrect category and
range error. Its authors read the groups. Two predictions that disagree show only some of it: that
one of them is wrong, not which. Votes on the mentions (the paper's repair, section 3.5) say the
rest, so both are taken where they are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mt_gate.domain import Block, Entity, EntityError, ErrorCategory, Side
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.mentions import EntityPlace, cores, place_of

Votes = Mapping[tuple[Side, int, int], str | None]
"""What a stretch of one side, without article and full stop, is held to be; None is no entity."""

_NO_VOTES: Votes = {}


class _Mention(NamedTuple):
    """An entity as predicted, its core, and where that is."""

    entity: Entity
    core: Entity
    place: EntityPlace


class _KnownEntities(NamedTuple):
    """What a stretch is held to be."""

    label: str | None


def categorise(
    case: ExecutedGroup, lost: Sequence[Entity], added: Sequence[Entity], votes: Votes = _NO_VOTES
) -> tuple[EntityError, ...]:
    """Return an error for every pair of entities that disagree, in order of the sentences.

    ``lost`` source entities and ``added`` follow-up entities break the relation; a counterpart is
    looked for among all entities of the other side. Without a vote: one stretch with two labels is
    an incorrect category, stretches that overlap are a range error, an entity without counterpart
    is undecided. With votes the wrong side is known, and the kind of its error; where both sides
    are wrong there is an error for each. Votes on the two sides that contradict each other decide
    nothing.
    """
    sources = _mentions(case, Side.SOURCE)
    follow_ups = _mentions(case, Side.FOLLOW_UP)
    breaking = {Side.SOURCE: frozenset(lost), Side.FOLLOW_UP: frozenset(added)}
    pairs = [*_pairs(case.alignment, sources, follow_ups, breaking)]
    return tuple(
        error for source, follow_up in pairs for error in _errors(source, follow_up, votes)
    )


def _mentions(case: ExecutedGroup, side: Side) -> list[_Mention]:
    at_source = side is Side.SOURCE
    text = (case.source if at_source else case.follow_up)["text"]
    found = cores(text, case.source_output if at_source else case.follow_up_output)
    return [
        _Mention(entity, core, place_of(case, side, core.start, core.end))
        for core, entity in found.items()
    ]


def _pairs(
    alignment: Sequence[Block],
    sources: Sequence[_Mention],
    follow_ups: Sequence[_Mention],
    breaking: Mapping[Side, frozenset[Entity]],
) -> Iterator[tuple[_Mention | None, _Mention | None]]:
    lost, added = breaking[Side.SOURCE], breaking[Side.FOLLOW_UP]
    met = set()
    for source in sources:
        partners = [
            follow_up
            for follow_up in follow_ups
            if (source.entity in lost or follow_up.entity in added)
            and _shares_text(alignment, source.core, follow_up.core)
        ]
        met.update(partners)
        yield from ((source, partner) for partner in partners)
        if not partners and source.entity in lost:
            yield source, None
    yield from ((None, f) for f in follow_ups if f not in met and f.entity in added)


def _shares_text(alignment: Sequence[Block], source: Entity, follow_up: Entity) -> bool:
    for block in alignment:
        shift = block.follow_up - block.source
        start = max(block.source, source.start, follow_up.start - shift)
        end = min(block.source + block.length, source.end, follow_up.end - shift)
        if start < end:
            return True
    return False


def _errors(
    source: _Mention | None, follow_up: _Mention | None, votes: Votes
) -> Iterator[EntityError]:
    one_place = source is None or follow_up is None or source.place == follow_up.place
    judge = _in_one_place if one_place else _overlapping
    found: list[tuple[Side | None, ErrorCategory]] = [
        (side, category)
        for side, own, other in (
            (Side.SOURCE, source, follow_up),
            (Side.FOLLOW_UP, follow_up, source),
        )
        if (category := judge(own, other, votes)) is not None
    ]
    for side, category in found or [(None, _unvoted(source, follow_up))]:
        yield EntityError(
            category=category,
            side=side,
            source=source.entity if source else None,
            follow_up=follow_up.entity if follow_up else None,
        )


def _unvoted(source: _Mention | None, follow_up: _Mention | None) -> ErrorCategory:
    if source is None or follow_up is None:
        return ErrorCategory.UNDECIDED
    if source.place == follow_up.place:
        return ErrorCategory.INCORRECT_CATEGORY
    return ErrorCategory.RANGE_ERROR


def _in_one_place(
    own: _Mention | None, other: _Mention | None, votes: Votes
) -> ErrorCategory | None:
    """Return what is wrong with a side's answer to one stretch, None where nothing is known."""
    known = _known(own or other, votes)
    said = own.core.label if own else None
    if known is None or known.label == said:
        return None
    if said is None:
        return ErrorCategory.OMISSION
    if known.label is None:
        return ErrorCategory.OVER_LABELLING
    return ErrorCategory.INCORRECT_CATEGORY


def _overlapping(
    own: _Mention | None, other: _Mention | None, votes: Votes
) -> ErrorCategory | None:
    """Return what is wrong with a side's entity that overlaps the other side's."""
    here, there = _known(own, votes), _known(other, votes)
    true_here = here is not None and here.label is not None
    true_there = there is not None and there.label is not None
    if true_here and true_there:  # two entities that overlap cannot both be right
        return None
    if true_there:
        return ErrorCategory.RANGE_ERROR
    if here is None or own is None or here.label == own.core.label:
        return None
    if true_here:
        return ErrorCategory.INCORRECT_CATEGORY
    return ErrorCategory.RANGE_ERROR if there is None else ErrorCategory.OVER_LABELLING


def _known(mention: _Mention | None, votes: Votes) -> _KnownEntities | None:
    if mention is None:
        return None
    sides = ((Side.SOURCE, mention.place.source), (Side.FOLLOW_UP, mention.place.follow_up))
    keys = [(side, *span) for side, span in sides if span is not None]
    labels = {votes[key] for key in keys if key in votes}
    return _KnownEntities(labels.pop()) if len(labels) == 1 else None
