"""Violation rates of a stored run with their intervals, from its groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mt_gate import statistics
from mt_gate.comparison import SEED, RelationVerdicts, SourceVerdicts, verdicts_from_rows
from mt_gate.errors import CannotJudge
from mt_gate.result import GroupRow, Result

Interval = tuple[float, float]


class Rate(NamedTuple):
    """Violated groups of those applicable; ``rate`` and ``ci95`` are None without any.

    ``ci95`` is a cluster bootstrap over sources.
    """

    applicable: int
    violated: int
    rate: float | None
    ci95: Interval | None


class Rates(NamedTuple):
    """The rate of each relation of a run, by id, in its order, and of all together."""

    relations: dict[str, Rate]
    overall: Rate


def rates(result: Result, rows: Iterable[GroupRow], path: Path) -> Rates:
    """Return a run's violation rates with their 95 % intervals.

    Args:
        result: the run.
        rows: its groups.
        path: the run's ``result.json``, for the message.

    Raises:
        CannotJudge: the groups are not those that the result counts.
    """
    verdicts = verdicts_from_rows(rows)
    found: dict[str, Rate] = {}
    every: list[tuple[str, SourceVerdicts]] = []
    for relation in result.relations:
        sources = verdicts.get(relation.id, RelationVerdicts(id=relation.id)).sources
        found[relation.id] = rate = _rate(sources.items())
        every += sources.items()
        if (rate.applicable, rate.violated) != (relation.applicable, relation.violated):
            raise CannotJudge(
                f"{path}: {relation.violated} of {relation.applicable} groups of {relation.id} are "
                f"violated, beside it {rate.violated} of {rate.applicable}; expected the files of "
                "one run; run 'mt-gate run' again"
            )
    return Rates(found, _rate(every))


def _rate(sources: Iterable[tuple[str, SourceVerdicts]]) -> Rate:
    """Add up by source: its groups, of whatever relation, are one cluster."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for source, verdicts in sources:
        if verdicts.applicable:
            sizes[source] += verdicts.applicable
            counts[source] += len(verdicts.violated)
    applicable, violated = sizes.total(), counts.total()
    if not applicable:
        return Rate(0, 0, None, None)
    interval = statistics.rate_interval([*counts.values()], [*sizes.values()], seed=SEED)
    return Rate(applicable, violated, violated / applicable, interval)
