"""Pair two runs by source, and test the differences of their violation rates by clusters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, compress
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.domain import Verdict
from mt_gate.judging import statistics
from mt_gate.judging.family import FamilyOptions, Seen, family_at_look, family_tests, look_of
from mt_gate.judging.statistics import SEED, sign_flip_p, student_quantile
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    SourceVerdicts,
    unstable_in_any,
    verdicts_from_rows,
)
from mt_gate.results import rules
from mt_gate.results.result import Change, GroupRow, Result, RunSettings, Stratum
from mt_gate.results.rules import MIN_CLUSTERS

Floats = NDArray[np.float64]

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding never flips so many: more are due to the checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """One relation's groups applicable in all runs, added up by source.

    ``violations`` has a row per source and a column per run, the candidate first; ``weights`` the
    pairs of each source. Where the relation is bound the one are rates and the other 1. Groups are
    ``new`` that are violated now and satisfied before, ``fixed`` the reverse, ``still`` violated in
    both. ``unstable`` counts the pairs that noise could turn in a run, of those that say it;
    ``unstable_known`` where all do.
    """

    sources: tuple[str, ...]
    violations: Floats
    weights: Floats
    new: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    unstable: int = 0
    unstable_known: bool = True

    @property
    def pairs(self) -> float:
        """Number of all pairs."""
        return float(self.weights.sum())

    @property
    def differences(self) -> Floats:
        """The candidate's violations less the mean of the baseline's runs, by source."""
        # Rounded, so that no sum of fractions depends on the order of relations or runs.
        mean = self.violations[:, 1:].mean(axis=1)
        return np.asarray(np.round(self.violations[:, 0] - mean, 12), dtype=np.float64)

    @property
    def excusable(self) -> bool:
        """Whether unstable pairs are known in all runs, and so few that they may be left out."""
        return self.unstable_known and 0 < self.unstable <= max(1.0, MOST_EXCUSED * self.pairs)


def pair(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair a run with those of a baseline on one relation.

    Groups of the suite are paired by id. Those bound at run time depend on what the system
    predicted, so they seldom match: there the pair is a source with an applicable group in every
    run, and the difference is of its rates. A group is new where most runs of the baseline hold
    it, and fixed where most violate it; where as many do the one as the other, it has not moved.
    """
    runs = (candidate, *baselines)
    if any(run.bound for run in runs):
        judged = [
            {source for source, counts in run.sources.items() if counts.applicable} for run in runs
        ]
        sources = sorted(set.intersection(*judged))
        by_run = [[run.sources[source] for source in sources] for run in runs]
        violated = [frozenset[str]().union(*(source.violated for source in run)) for run in by_run]
        violations: list[list[float]] = [
            [len(source.violated) / source.applicable for source in run] for run in by_run
        ]
        weights = [1] * len(sources)
        paired = frozenset(sources)
    else:
        paired = frozenset[str].intersection(*(run.applicable for run in runs))
        # A baseline knows no sources; against another baseline each group is its own.
        source_of = candidate.source_of or {group: group for group in paired}
        violated = [run.violated & paired for run in runs]
        sizes = dict(sorted(Counter(map(source_of.__getitem__, paired)).items()))
        sources, weights = [*sizes], [*sizes.values()]
        counts = [Counter(map(source_of.__getitem__, of_run)) for of_run in violated]
        violations = [[of_run[source] for source in sources] for of_run in counts]
    now, *before = violated
    times = Counter(group for run in before for group in run)
    mostly = frozenset(group for group, number in times.items() if 2 * number > len(before))
    not_mostly_satisfied = frozenset(
        group for group, number in times.items() if 2 * number >= len(before)
    )
    return Pairing(
        sources=tuple(sources),
        violations=np.array(violations, dtype=np.float64).T,
        weights=np.array(weights, dtype=np.float64),
        new=now - not_mostly_satisfied,
        fixed=mostly - now,
        still=now & not_mostly_satisfied,
        unstable=len(unstable_in_any(runs) & paired),
        unstable_known=all(run.unstable is not None for run in runs),
    )


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: all of a source's groups are one cluster."""
    index = {
        source: at
        for at, source in enumerate(
            sorted({*chain.from_iterable(pairing.sources for pairing in pairings)})
        )
    }
    runs = pairings[0].violations.shape[1] if pairings else 2
    violations, weights = np.zeros((len(index), runs)), np.zeros(len(index))
    for pairing in pairings:
        at = [index[source] for source in pairing.sources]
        violations[at] += pairing.violations
        weights[at] += pairing.weights
    nothing = frozenset[str]()
    return Pairing(
        sources=tuple(index),
        violations=violations,
        weights=weights,
        new=nothing.union(*(pairing.new for pairing in pairings)),
        fixed=nothing.union(*(pairing.fixed for pairing in pairings)),
        still=nothing.union(*(pairing.still for pairing in pairings)),
        unstable=sum(pairing.unstable for pairing in pairings),
        unstable_known=all(pairing.unstable_known for pairing in pairings),
    )


def side_by_side(pairings: Sequence[Pairing]) -> tuple[tuple[str, ...], Floats]:
    """Return sources that say something, and their violations, by source, run and relation.

    Sources for which no run differs say nothing and are left out: they are most of a large suite;
    where none differs in one relation, 0 is there for each. The others come by id, so that
    nothing drawn at random depends on the order of the rows.
    """
    differing = [
        np.asarray((pairing.violations != pairing.violations[:, :1]).any(axis=1))
        for pairing in pairings
    ]
    named = [
        tuple(compress(pairing.sources, of_it))
        for pairing, of_it in zip(pairings, differing, strict=True)
    ]
    index = {source: at for at, source in enumerate(sorted({*chain.from_iterable(named)}))}
    runs = pairings[0].violations.shape[1] if pairings else 2
    outcomes = np.zeros((len(index), runs, len(pairings)))
    for i, (pairing, of_it, names) in enumerate(zip(pairings, differing, named, strict=True)):
        outcomes[[index[name] for name in names], :, i] = pairing.violations[of_it]
    return tuple(index), outcomes


def changes(
    new: RelationVerdicts, runs: Sequence[RelationVerdicts], pairing: Pairing
) -> Mapping[str, Change]:
    """Return how each group of the candidate that is paired has moved."""
    if new.bound or any(run.bound for run in runs):
        sources = frozenset(pairing.sources)
        paired = frozenset(group for group in new.satisfied if new.source_of[group] in sources)
    else:
        paired = new.satisfied.intersection(*(run.applicable for run in runs))
    return {
        **dict.fromkeys(paired, Change.OK),
        **dict.fromkeys(pairing.fixed & new.satisfied, Change.FIXED),
        **dict.fromkeys(pairing.still, Change.STILL),
        **dict.fromkeys(pairing.new, Change.NEW),
    }


Interval = tuple[float, float]

MOST_STRATA = 10
"""Kinds of edit of one relation that have counts of their own."""


class Rate(NamedTuple):
    """Violated groups of those applicable; rate and interval (by source) are None without."""

    applicable: int
    violated: int
    rate: float | None
    ci95: Interval | None


class Rates(NamedTuple):
    """The rate of each relation of a run, by id, in its order, and of all together."""

    relations: dict[str, Rate]
    overall: Rate


def rates(result: Result, rows: Iterable[GroupRow]) -> Rates:
    """Return a run's violation rates with their 95 % intervals, from the rows that it counts."""
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
    if not sizes:
        return Rate(0, 0, None, None)
    applicable, violated = sizes.total(), counts.total()
    # By id, so that no digit depends on the order of rows.
    pairs = [(counts[source], size) for source, size in sorted(sizes.items())]
    interval = statistics.rate_interval(*zip(*pairs, strict=True))
    return Rate(applicable, violated, violated / applicable, interval)


def count_strata(rows: Iterable[tuple[str, str, Verdict]]) -> dict[str, Stratum]:
    """Return counts by kind of edit, of the ``MOST_STRATA`` largest."""
    groups: Counter[str] = Counter()
    sizes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    violated: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for stratum, cluster, verdict in rows:
        groups[stratum] += 1
        if verdict is not Verdict.NOT_APPLICABLE:
            sizes[stratum][cluster] += 1
            violated[stratum][cluster] += verdict is Verdict.VIOLATED
    largest = sorted(groups, key=lambda name: (-groups[name], name))
    rates = {
        name: _clustered(sizes[name], violated[name]) for name in sorted(largest[:MOST_STRATA])
    }
    return {
        name: Stratum(
            groups=groups[name],
            applicable=rate.applicable,
            violated=rate.violated,
            violation_rate=rate.rate,
            ci95=rate.ci95,
        )
        for name, rate in rates.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTest:
    """The clustered test of one pairing; ``p_value`` is None below MIN_CLUSTERS.

    ``p_adjusted`` and ``p_better`` (the test's other side) are among all tests of the run.
    ``threshold`` is how many standard deviations a difference needs for that, infinite if none
    is enough, ``final`` how many it needs at the end of a run that is looked at before it,
    ``added`` the variance that runs of one recipe add to what sources explain of the difference.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0
    threshold: float = 0.0
    final: float = math.inf
    added: float = 0.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is certain enough, and large enough, to fail."""
        return self.p_adjusted < settings.alpha and rules.is_above(self.delta, settings.margin)


def clustered_tests(
    pairings: Sequence[Pairing],
    pooled: Pairing,
    settings: RunSettings,
    alone: Mapping[int, RunSettings] = MappingProxyType({}),
    *,
    slices: Sequence[Pairing] = (),
    pool_tested: bool = True,
    look: int = 0,
) -> list[ClusteredTest]:
    """Test relations, slices of them, and their pool as one family; in this order.

    ``alone`` are the relations that have an alpha of their own, by position, slices after them:
    each is tested outside the family, and the pool includes them. ``slices`` are relations that
    the pool does not count, and parts of relations. ``look`` is 0 if a run is judged once.
    """
    every = [*pairings, *slices, pooled]
    filled = [i for i, pairing in enumerate(pairings) if pairing.sources]
    # Its pool is the very same test, made once; which relation that is may change between looks.
    if len(filled) == 1 and (not look or len(pairings) == 1):
        only = pairings[filled[0]]
        of_slices: list[ClusteredTest] = []
        if slices:
            _, *of_slices, test = _family([only, *slices, only], settings, {0}, look, summed=1)
        else:
            test = clustered_test(only, settings, look)
        tests = [*(ClusteredTest(delta=0.0) for _ in pairings), *of_slices, test]
        tests[filled[0]] = test
    else:
        left_out = {*alone} if pool_tested else {*alone, len(every) - 1}
        tests = _family(every, settings, left_out, look, summed=len(pairings))
    for i, own in alone.items():
        tests[i] = clustered_test(every[i], own, look)
    return tests


def clustered_test(pairing: Pairing, settings: RunSettings, look: int = 0) -> ClusteredTest:
    """Test a pairing by itself: the same test, no other next to it."""
    # Of a family of one only the pool is tested.
    nothing = Pairing(sources=(), violations=pairing.violations[:0], weights=np.zeros(0))
    *_, test = _family([nothing, pairing], settings, {0}, look)
    return test


def _family(
    pairings: Sequence[Pairing],
    settings: RunSettings,
    left_out: Set[int],
    look: int,
    *,
    summed: int | None = None,
) -> list[ClusteredTest]:
    last = len(pairings) - 1
    tested = [
        len(pairing.sources) >= MIN_CLUSTERS and i not in left_out
        for i, pairing in enumerate(pairings)
    ]
    deltas = [
        math.fsum(pairing.differences) / pairing.pairs if pairing.sources else 0.0
        for pairing in pairings
    ]
    if not any(tested):
        return [ClusteredTest(delta=delta) for delta in deltas]
    spreads = _spreads(pairings, settings.alpha, range(last if summed is None else summed, last))
    # Of a family of one the pool is the same.
    each = pairings[:-1]
    sources, outcomes = side_by_side(
        pairings[-1:] if len(each) == 1 and not each[0].sources else each
    )
    exact: list[list[float] | None] = [None, None]
    if outcomes.shape[1] == 2:  # a baseline of one run
        differences = [pairing.differences for pairing in pairings]
        exact = [
            [
                1.0 if math.fsum(side * values) < 0 else sign_flip_p(side * values)
                for values in differences
            ]
            for side in (1, -1)
        ]
    options = FamilyOptions(
        alpha=settings.alpha,
        tested=tested,
        widened=[widened for widened, _ in spreads],
        worse=exact[0],
        better=exact[1],
        seed=SEED,
        summed=summed,
    )
    if look:
        seen = Seen(looks_of(sources), tested_at_looks(pairings, left_out, look))
        family = family_at_look(outcomes, options, seen)
    else:
        family = family_tests(outcomes, options)
    return [
        ClusteredTest(
            delta=deltas[i],
            p_value=family.worse.single[i],
            p_adjusted=family.worse.adjusted[i],
            p_better=family.better.adjusted[i],
            threshold=family.pool_threshold if i == last else family.threshold,
            final=family.final[i == last],
            added=spreads[i][1],
        )
        if tested[i]
        else ClusteredTest(delta=deltas[i])
        for i in range(len(pairings))
    ]


def looks_of(sources: Iterable[str]) -> NDArray[np.int64]:
    """Return the look at which each source comes."""
    return np.array([look_of(source) for source in sources], dtype=np.int64)


def tested_at_looks(pairings: Sequence[Pairing], left_out: Set[int], look: int) -> list[list[bool]]:
    """Return what was tested at each look up to this one: what had sources enough by then."""
    of_each = [looks_of(pairing.sources) for pairing in pairings]
    return [
        [
            int((at <= now).sum()) >= MIN_CLUSTERS and i not in left_out
            for i, at in enumerate(of_each)
        ]
        for now in range(1, look + 1)
    ]


def _spreads(pairings: Sequence[Pairing], alpha: float, slices: range) -> list[tuple[float, float]]:
    """Return how many times wider than by sources alone each difference spreads, and what it adds.

    Runs of one recipe differ by more than sources explain: a retrained checkpoint is a little
    better or worse everywhere. What the baseline's runs show of that, over all relations or in one
    if it is more there, widens test and interval; as it is estimated from few runs, as much more as
    Student's t is wider than the normal distribution. One run shows nothing of it.
    """
    number = pairings[0].violations.shape[1] - 1
    if number == 1:
        return [(1.0, 0.0)] * len(pairings)
    runs = [_run_variances(pairing) for pairing in pairings]
    # Skip slices, because their relation already has their variance.
    known = [(of, by) for i, (of, by) in enumerate(runs) if by and i not in slices]
    # Weighted by how well each is known: a variance is known to about its own size.
    weight = math.fsum(by**-2 for _, by in known)
    shared = math.fsum(of * by**-2 for of, by in known) / weight if weight else 0.0
    level = 1 - alpha / 2
    few = student_quantile(level, number - 1) / student_quantile(level, math.inf)
    spreads = []
    for pairing, (beyond, _) in zip(pairings, runs, strict=True):
        # Only of the baseline's runs, so that a regression of the candidate does not widen it.
        added = (1 + 1 / number) * max(0.0, beyond, shared) * few**2
        exchanged = 0.0  # the variance by sources of the difference, were the runs exchanged
        if pairing.sources:
            violations = pairing.violations
            deviations = violations - violations.mean(axis=1, keepdims=True)
            squares = math.fsum(np.square(deviations).mean(axis=1).tolist())
            scale = (1 + 1 / number) / pairing.pairs
            exchanged = squares * scale * scale
        spreads.append((math.sqrt(1 + added / exchanged) if exchanged else 1.0, added))
    return spreads


def _run_variances(pairing: Pairing) -> tuple[float, float]:
    if not pairing.sources:
        return 0.0, 0.0
    runs, square = pairing.violations[:, 1:], pairing.pairs**2
    # Summed so that the order of sources shows in no digit.
    by_sources = math.fsum(runs.var(axis=1, ddof=1)) / square
    totals = [math.fsum(run) for run in runs.T]
    return float(np.var(totals, ddof=1)) / square - by_sources, by_sources
