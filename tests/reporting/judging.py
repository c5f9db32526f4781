"""Results that the comparison itself has judged, from verdicts a letter a group."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from judging.made import rows
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import GroupRow, Result
from mt_gate.running.measuring import count_all, overall
from reporting import made_up

Patterns = Mapping[str, str]
"""By relation a letter a group, see ``judging.made``. The fourth group's id is relation:3."""


def _rows(patterns: Patterns) -> list[GroupRow]:
    """Return rows whose sources are of one relation each."""
    made = [row for relation, pattern in patterns.items() for row in rows(pattern, relation)]
    return [replace(row, source_id=row.id.replace(":", " ")) for row in made]


def judged(candidate: Patterns, baseline: Patterns, **settings: object) -> Result:
    """Return a result as a run of the gate would have it."""
    used = replace(made_up.settings(), **settings)
    now, before = _rows(candidate), _rows(baseline)
    outcome = compare(verdicts_from_rows(now), [verdicts_from_rows(before)], used)
    relations = tuple(
        replace(counts, comparison=outcome.relations[counts.id], tier=used.policy.tier(counts.id))
        for counts in count_all([*candidate], now)
    )
    return made_up.result(
        outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=outcome.reasons,
        relations=relations,
        overall=replace(overall(relations), comparison=outcome.overall),
        settings=used,
        churn=outcome.churn,
    )
