"""Rows of made-up runs, a letter a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mt_gate.domain import NotApplicable, Verdict
from mt_gate.judging.comparison import Outcome
from mt_gate.results.result import Change, GroupRow, RunSettings

DEFAULTS = RunSettings(
    alpha=0.05,
    margin=0.01,
    strict=False,
    max_applicability_loss=0.10,
    max_applicability_drop=0.50,
    max_violation_rate={},
    must_hold=(),
    relations=(),
    complete=True,
    noise=0.0,
)
CODES = {
    "v": Verdict.VIOLATED,
    "V": Verdict.VIOLATED,
    "s": Verdict.SATISFIED,
    "S": Verdict.SATISFIED,
    "n": Verdict.NOT_APPLICABLE,
    "o": Verdict.NOT_APPLICABLE,
}
REASONS = {"n": NotApplicable.VACUOUS, "o": NotApplicable.SOURCE_ANSWER}


def pattern_of(lengths: str) -> str:
    """Return a letter a group from how many there are: ``2v 3s`` is vvsss."""
    return "".join(part[-1] * int(part[:-1]) for part in lengths.split())


def rows(pattern: str, relation: str = "r", per_source: int = 1) -> list[GroupRow]:
    """Build a group a letter, ids count up; a capital is unstable.

    v and s are violated and satisfied, n is silence, o another answer than the relation needs.
    """
    return [
        GroupRow(
            id=f"{relation}:{i}",
            relation=relation,
            source_id=f"s{i // per_source}",
            verdict=CODES[code],
            source={},
            follow_up={},
            reason=REASONS.get(code, ""),
            unstable=code.isupper(),
        )
        for i, code in enumerate(pattern)
    ]


def bound(patterns: Sequence[str], relation: str = "b", run: str = "x") -> list[GroupRow]:
    """Build a source a pattern, its groups' ids seldom alike in two runs.

    "" and n bind nothing in silence, o binds nothing of what was answered.
    """
    made = []
    for i, pattern in enumerate(patterns):
        for j, code in enumerate(pattern or "n"):
            made.append(
                GroupRow(
                    id=f"{relation}:{i}:{j}:{run if j else ''}",
                    relation=relation,
                    source_id=f"s{i}",
                    verdict=CODES[code],
                    source={},
                    follow_up={} if pattern else None,
                    reason=REASONS.get(code, ""),
                    bound=True,
                    unstable=code.isupper(),
                )
            )
    return made


def moves_of(outcome: Outcome) -> Mapping[str, Change]:
    """Return how each group has moved, of whatever relation."""
    return {group: change for of in outcome.changes.values() for group, change in of.items()}
