"""Violation rates with their intervals: of a stored run's relations, of kinds of edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
    pairs = [(counts[source], size) for source, size in sizes.items()]
    values, wholes = zip(*pairs, strict=True)
    interval = statistics.rate_interval(values, wholes)
    return Rate(applicable, violated, violated / applicable, interval)


def strata(rows: Iterable[GroupRow]) -> dict[str, Stratum]:
    """Return the counts of each kind of edit that the rows of a relation name, by name.

    Rows without a stratum count in none. Of more than ``MOST_STRATA`` kinds those
    with most groups are counted: names come from suites that anyone may have written.
    """
    found: dict[str, list[GroupRow]] = {}
    for row in rows:
        if row.stratum:
            found.setdefault(row.stratum, []).append(row)
    largest = sorted(found, key=lambda name: (-len(found[name]), name))[:MOST_STRATA]
    return {name: _stratum(found[name]) for name in sorted(largest)}


def _stratum(rows: Sequence[GroupRow]) -> Stratum:
    judged = [row for row in rows if row.verdict is not Verdict.NOT_APPLICABLE]
    rate = _clustered(
        Counter(row.cluster_key for row in judged),
        Counter(row.cluster_key for row in judged if row.verdict is Verdict.VIOLATED),
    )
    return Stratum(
        groups=len(rows),
        applicable=rate.applicable,
        violated=rate.violated,
        violation_rate=rate.rate,
        ci95=rate.ci95,
    )
