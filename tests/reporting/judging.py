"""Results that the comparison itself has judged, from verdicts a letter a group."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from judging.made import CODES, REASONS
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import GroupRow, Result
from mt_gate.running.measuring import overall
from reporting import made_up

Patterns = Mapping[str, str]
"""By relation a letter a group, see ``judging.made``. The fourth group's id is relation:3."""


def _rows(patterns: Patterns) -> list[GroupRow]:
    return [
        GroupRow(
            id=f"{relation}:{at}",
            relation=relation,
            source_id=f"{relation} {at}",
            verdict=CODES[code],
            source={},
            follow_up={},
            reason=REASONS.get(code, ""),
            unstable=code.isupper(),
        )
        for relation, pattern in patterns.items()
        for at, code in enumerate(pattern)
    ]


def judged(candidate: Patterns, baseline: Patterns, **settings: object) -> Result:
    """Return a result as a run of the gate would have it."""
    used = msgspec.structs.replace(made_up.settings(), **settings)
    rows = _rows(candidate), _rows(baseline)
    outcome = compare(verdicts_from_rows(rows[0]), [verdicts_from_rows(rows[1])], used)
    relations = []
    for relation, pattern in candidate.items():
        lower = pattern.lower()
        reasons = {reason.value: lower.count(code) for code, reason in REASONS.items()}
        counts = made_up.relation(
            relation,
            len(pattern) - sum(reasons.values()),
            lower.count("v"),
            outcome.relations[relation],
            **{reason: number for reason, number in reasons.items() if number},
        )
        counts = msgspec.structs.replace(counts, tier=used.policy.tier(relation))
        relations.append(counts)
    whole = msgspec.structs.replace(overall(relations), comparison=outcome.overall)
    return made_up.result(
        outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=outcome.reasons,
        relations=tuple(relations),
        overall=whole,
        settings=used,
        churn=outcome.churn,
    )
