"""``repairs.jsonl``: one line for each distinct sentence with a suspicious entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mt_gate.base.files import canonical, write_whole
from mt_gate.domain import ErrorCategory
from mt_gate.repairing.conflicts import Relabelling, Repaired, change_of
from mt_gate.repairing.reading import ViolatedSentence

REPAIRS = "repairs.jsonl"
_DIGITS = 6


def fixes_of(sentence: ViolatedSentence, repaired: Repaired) -> list[ErrorCategory | None]:
    """Return the category of error that each decision fixes; None if it changes nothing."""
    before, after = sentence.entities, repaired.entities
    return [change_of(decision, before, after) for decision in repaired.decisions]


def record(text: str, sentence: ViolatedSentence, repaired: Repaired) -> Mapping[str, Any]:
    """Return a sentence's entities before and after, and the votes on its suspicious spans."""
    fixes = fixes_of(sentence, repaired)
    return {
        "text": text,
        "groups": tuple(sentence.groups),
        "before": sentence.entities,
        "after": repaired.entities,
        "suspicious": tuple(map(_suspicious, repaired.decisions, fixes)),
    }


def _suspicious(decision: Relabelling, fixes: ErrorCategory | None) -> Mapping[str, Any]:
    """Return a span's predicted label, the vote, and its new label; null means no entity."""
    suspect, vote = decision.ballot
    return {
        "start": suspect.span[0],
        "end": suspect.span[1],
        "words": suspect.words,
        "said": suspect.said,
        "decision": decision.label,
        "outcome": decision.outcome,
        "fixes": fixes,
        "scores": [
            {"label": label, "score": round(score, _DIGITS)}
            for label, score in (vote.scores if vote else ())
        ],
        "candidates": [
            {
                "words": candidate.slot.filler,
                "score": round(candidate.score, _DIGITS),
                "cosine": round(candidate.cosine, _DIGITS),
                "part": candidate.part,
                "label": label,
            }
            for candidate, label in (vote.voters if vote else ())
        ],
    }


def write_repairs(folder: Path, sentences: Iterable[Mapping[str, Any]]) -> None:
    """Write ``repairs.jsonl``, whole or not at all."""
    lines = [canonical(sentence) + b"\n" for sentence in sentences]
    write_whole(folder / REPAIRS, b"".join(lines))
