"""``repairs.jsonl``: one line for each distinct sentence that holds a suspicious entity."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from mt_gate.base.files import canonical, write_whole
from mt_gate.domain import Entity, ErrorCategory
from mt_gate.repairing.conflicts import EntityOutcome, Relabelling, Repaired, change_of

REPAIRS = "repairs.jsonl"
_DIGITS = 6


class LabelScore(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a label in a vote; null is no entity."""

    label: str | None
    score: float


class UsedCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """An entity that voted: its words, the tool's score, its likeness, and its label."""

    words: str
    score: float
    cosine: float
    part: bool
    label: str | None


class SuspiciousEntity(msgspec.Struct, frozen=True, kw_only=True):
    """A suspicious stretch: what was said of it, the vote, and the label it gets."""

    start: int
    end: int
    words: str
    said: str | None
    decision: str | None
    outcome: EntityOutcome
    fixes: ErrorCategory | None
    scores: tuple[LabelScore, ...]
    candidates: tuple[UsedCandidate, ...]


class RepairedSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence's entities before and after, and why; ``groups`` are those that it is in."""

    text: str
    groups: tuple[str, ...]
    before: tuple[Entity, ...]
    after: tuple[Entity, ...]
    suspicious: tuple[SuspiciousEntity, ...]


def record(
    text: str, groups: Iterable[str], before: tuple[Entity, ...], repaired: Repaired
) -> RepairedSentence:
    """Return the record of one sentence."""
    return RepairedSentence(
        text=text,
        groups=tuple(groups),
        before=before,
        after=repaired.entities,
        suspicious=tuple(
            _suspicious(decision, change_of(decision, before, repaired.entities))
            for decision in repaired.decisions
        ),
    )


def _suspicious(decision: Relabelling, fixes: ErrorCategory | None) -> SuspiciousEntity:
    suspect, vote = decision.ballot
    scores, voters = (vote.scores, vote.voters) if vote else ((), ())
    return SuspiciousEntity(
        start=suspect.span[0],
        end=suspect.span[1],
        words=suspect.words,
        said=suspect.said,
        decision=decision.label,
        outcome=decision.outcome,
        fixes=fixes,
        scores=tuple(
            LabelScore(label=label, score=round(score, _DIGITS)) for label, score in scores
        ),
        candidates=tuple(
            UsedCandidate(
                words=candidate.slot.filler,
                score=round(candidate.score, _DIGITS),
                cosine=round(candidate.cosine, _DIGITS),
                part=candidate.part,
                label=label,
            )
            for candidate, label in voters
        ),
    )


def write_repairs(folder: Path, sentences: Iterable[RepairedSentence]) -> None:
    """Write ``repairs.jsonl``, whole or not at all."""
    lines = [canonical(sentence) + b"\n" for sentence in sentences]
    write_whole(folder / REPAIRS, b"".join(lines))
