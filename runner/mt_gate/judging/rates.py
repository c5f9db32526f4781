"""Violation rates with their intervals: of a stored run's relations, of kinds of edit."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.sorted_ids import as_array, joined, union, with_codes
from mt_gate.domain import Verdict
from mt_gate.judging import statistics
from mt_gate.judging.units import BySource
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import GroupRow, Result, Stratum

Interval = tuple[float, float]

MOST_STRATA = 10
"""Kinds of edit of one relation that are counted apart."""
_AT_ONCE = 1 << 12
"""Clusters of a kind that are held as texts."""


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
    every: list[BySource] = []
    for relation in result.relations:
        sources = verdicts.get(relation.id, RelationVerdicts(id=relation.id)).sources
        found[relation.id] = _rate([sources])
        every.append(sources)
    return Rates(found, _rate(every))


def _rate(relations: Sequence[BySource]) -> Rate:
    """Add up by source: its groups, of whatever relation, are one cluster."""
    sources = union(of_it.judged for of_it in relations)
    sizes, violated = (np.zeros(len(sources), np.int64) for _ in range(2))
    for of_it in relations:
        there = of_it.applicable > 0
        at = sources.positions(of_it.ids[there])
        sizes[at] += of_it.applicable[there]
        violated[at] += of_it.violated[there]
    return _clustered(sizes.tolist(), violated.tolist())


def _clustered(sizes: Sequence[int], violated: Sequence[int]) -> Rate:
    """Return the rate of groups applicable, some for each source, and violated."""
    if not sizes:
        return Rate(0, 0, None, None)
    number, of = sum(violated), sum(sizes)
    return Rate(of, number, number / of, statistics.rate_interval(violated, sizes))


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
        self._clusters: dict[str, int] = {}
        """Those that came since the last were put into an array, and where they stand."""
        self._names: list[NDArray[Any]] = []
        self._of_names = 0
        self._places = array("i")
        self._violated = bytearray()

    def add(self, row: GroupRow) -> None:
        self.groups += 1
        if row.verdict is not Verdict.NOT_APPLICABLE:
            place = self._of_names + len(self._clusters)
            self._places.append(self._clusters.setdefault(row.cluster_key, place))
            self._violated.append(row.verdict is Verdict.VIOLATED)
            if len(self._clusters) >= _AT_ONCE:
                self._settle()

    def _settle(self) -> None:
        """Hold clusters as an array, which takes a fifth of their texts; some may come again."""
        self._names.append(as_array(self._clusters))
        self._of_names += len(self._clusters)
        self._clusters.clear()

    def stratum(self) -> Stratum:
        self._settle()
        names, codes = with_codes(joined(self._names))
        at = codes[np.frombuffer(self._places, np.int32)]
        violated = np.bincount(at[np.frombuffer(self._violated, np.bool_)], minlength=len(names))
        rate = _clustered(np.bincount(at).tolist(), violated.tolist())
        return Stratum(
            groups=self.groups,
            applicable=rate.applicable,
            violated=rate.violated,
            violation_rate=rate.rate,
            ci95=rate.ci95,
        )
