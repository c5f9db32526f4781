"""Results that the comparison itself has judged, from verdicts a letter a group."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from mt_gate.domain import Verdict
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import GroupRow, Result
from mt_gate.running.evaluation import overall
from reporting import made_up

CODES = {"v": Verdict.VIOLATED, "s": Verdict.SATISFIED, "n": Verdict.NOT_APPLICABLE}

Patterns = Mapping[str, str]
"""By relation: v, s, n a group; a capital is unstable. The fourth group's id is relation:3."""


def _rows(patterns: Patterns) -> list[GroupRow]:
    return [
        GroupRow(
            id=f"{relation}:{at}",
            relation=relation,
            source_id=f"{relation} {at}",
            verdict=CODES[code.lower()],
            source={},
            follow_up={},
            reason="vacuous" if code == "n" else "",
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
        counts = made_up.relation(
            relation,
            len(pattern) - lower.count("n"),
            lower.count("v"),
            outcome.relations[relation],
            vacuous=lower.count("n"),
        )
        relations.append(counts)
    whole = msgspec.structs.replace(overall(relations), comparison=outcome.overall)
    return made_up.result(
        outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=outcome.reasons,
        relations=tuple(relations),
        overall=whole,
        settings=used,
    )
