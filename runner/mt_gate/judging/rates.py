"""Violation rates with their intervals: of a stored run's relations, of kinds of edit."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from mt_gate.domain import Verdict
from mt_gate.judging import statistics
from mt_gate.judging.verdicts import RelationVerdicts, SourceVerdicts, verdicts_from_rows
from mt_gate.results.result import GroupRow, Result, Stratum

Interval = tuple[float, float]

MOST_STRATA = 10
"""Kinds of edit of one relation that have counts of their own."""


class Rate(NamedTuple):
    """Violated groups of those applicable; ``rate`` and ``ci95`` are None without any.

    ``ci95`` is ``statistics.rate_interval``, by source.
    """

    applicable: int
    violated: int
    rate: float | None
    ci95: Interval | None


class Rates(NamedTuple):
    """The rate of each relation of a run, by id, in its order, and of all together."""

    relations: dict[str, Rate]
    overall: Rate


def rates(result: Result, rows: Iterable[GroupRow]) -> Rates:
    """Return a run's violation rates with their 95 % intervals, from the rows that it counts.

    Raises:
        CannotJudge: a group appears twice.
    """
    verdicts = verdicts_from_rows(rows)
    by_relation: dict[str, Rate] = {}
    every: list[tuple[str, SourceVerdicts]] = []
    for relation in result.relations:
        sources = verdicts.get(relation.id, RelationVerdicts(id=relation.id)).sources
        by_relation[relation.id] = _rate(sources.items())
        every += sources.items()
    return Rates(by_relation, _rate(every))


def _rate(sources: Iterable[tuple[str, SourceVerdicts]]) -> Rate:
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for source, verdicts in sources:
        if verdicts.applicable:
            sizes[source] += verdicts.applicable
            counts[source] += len(verdicts.violated)
    return _clustered(sizes, counts)


def _clustered(sizes: Counter[str], counts: Counter[str]) -> Rate:
    applicable, violated = sizes.total(), counts.total()
    if not applicable:
        return Rate(0, 0, None, None)
    # By id, so that no digit depends on the order of rows.
    pairs = [(counts[source], size) for source, size in sorted(sizes.items())]
    values, wholes = zip(*pairs, strict=True)
    interval = statistics.rate_interval(values, wholes)
    return Rate(applicable, violated, violated / applicable, interval)


class StrataCounts:
    """The rows of one relation so far, by kind of edit; rows without a stratum count in none."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._groups: Counter[str] = Counter()
        self._sizes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._violated: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: GroupRow) -> None:
        """Count a row."""
        if not row.stratum:
            return
        self._groups[row.stratum] += 1
        if row.verdict is not Verdict.NOT_APPLICABLE:
            self._sizes[row.stratum][row.cluster_key] += 1
            self._violated[row.stratum][row.cluster_key] += row.verdict is Verdict.VIOLATED

    def strata(self) -> dict[str, Stratum]:
        """Return the counts by name.

        Of more than ``MOST_STRATA`` kinds those with most groups are counted: names come from
        suites that anyone may have written.
        """
        largest = sorted(self._groups, key=lambda name: (-self._groups[name], name))
        strata = {}
        for name in sorted(largest[:MOST_STRATA]):
            rate = _clustered(self._sizes[name], self._violated[name])
            strata[name] = Stratum(
                groups=self._groups[name],
                applicable=rate.applicable,
                violated=rate.violated,
                violation_rate=rate.rate,
                ci95=rate.ci95,
            )
        return strata
