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
"""Kinds of edit of one relation that are counted apart."""


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
    """Return a run's violation rates with their 95 % intervals.

    Args:
        result: the run.
        rows: its groups, which are those that it counts (``result_store.read_rows``).

    Raises:
        CannotJudge: a group appears twice.
    """
    verdicts = verdicts_from_rows(rows)
    found: dict[str, Rate] = {}
    every: list[tuple[str, SourceVerdicts]] = []
    for relation in result.relations:
        sources = verdicts.get(relation.id, RelationVerdicts(id=relation.id)).sources
        found[relation.id] = _rate(sources.items())
        every += sources.items()
    return Rates(found, _rate(every))


def _rate(sources: Iterable[tuple[str, SourceVerdicts]]) -> Rate:
    """Add up by source: its groups, of whatever relation, are one cluster."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for source, verdicts in sources:
        if verdicts.applicable:
            sizes[source] += verdicts.applicable
            counts[source] += len(verdicts.violated)
    return _clustered(sizes, counts)


def _clustered(sizes: Counter[str], counts: Counter[str]) -> Rate:
    """Return the rate of groups applicable and violated, counted by source."""
    applicable, violated = sizes.total(), counts.total()
    if not applicable:
        return Rate(0, 0, None, None)
    # By id, so that no digit depends on the order of rows.
    pairs = [(counts[source], size) for source, size in sorted(sizes.items())]
    values, wholes = zip(*pairs, strict=True)
    interval = statistics.rate_interval(values, wholes)
    return Rate(applicable, violated, violated / applicable, interval)


def strata(rows: Iterable[GroupRow]) -> dict[str, Stratum]:
    """Return the counts of each kind of edit that the rows of a relation name, by name."""
    counts = StrataCounts()
    for row in rows:
        counts.add(row)
    return counts.strata()


class StrataCounts:
    """The rows of one relation so far, by kind of edit; rows without a stratum count in none."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._found: defaultdict[str, _Stratum] = defaultdict(_Stratum)

    def add(self, row: GroupRow) -> None:
        """Count a row."""
        if row.stratum:
            self._found[row.stratum].add(row)

    def strata(self) -> dict[str, Stratum]:
        """Return the counts by name.

        Of more than ``MOST_STRATA`` kinds those with most groups are counted: names come from
        suites that anyone may have written.
        """
        found = self._found
        largest = sorted(found, key=lambda name: (-found[name].groups, name))[:MOST_STRATA]
        return {name: found[name].stratum() for name in sorted(largest)}


class _Stratum:
    """The groups of one kind of edit, counted by cluster where they have a verdict."""

    def __init__(self) -> None:
        self.groups = 0
        self._sizes: Counter[str] = Counter()
        self._violated: Counter[str] = Counter()

    def add(self, row: GroupRow) -> None:
        self.groups += 1
        if row.verdict is not Verdict.NOT_APPLICABLE:
            self._sizes[row.cluster_key] += 1
            if row.verdict is Verdict.VIOLATED:
                self._violated[row.cluster_key] += 1

    def stratum(self) -> Stratum:
        rate = _clustered(self._sizes, self._violated)
        return Stratum(
            groups=self.groups,
            applicable=rate.applicable,
            violated=rate.violated,
            violation_rate=rate.rate,
            ci95=rate.ci95,
        )
