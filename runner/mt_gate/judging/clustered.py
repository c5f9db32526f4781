"""Pair two runs by source, and test the differences of their violation rates by clusters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
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
"""Maximum share of a relation's pairs that may be excluded because noise could flip them; at least
one pair may be. Rounding flips fewer, so more unstable pairs are due to the checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """One relation's groups applicable in all runs, added up by source.

    ``violations`` has a row per source and a column per run, the candidate first. ``weights`` are
    the pairs of each source. If the relation is bound, violations are rates and weights are 1.
    If several runs of the candidate's recipe are compared, the first ``candidates`` columns are
    theirs, and ``new``, ``fixed`` and ``still`` are those of the first.
    ``new`` groups are violated now and were satisfied before, ``fixed`` the reverse, ``still``
    violated in both. ``unstable`` counts the pairs that noise could flip in any run that lists
    them; ``unstable_known`` is whether all runs list them.
    """

    sources: tuple[str, ...]
    violations: Floats
    weights: Floats
    new: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    unstable: int = 0
    unstable_known: bool = True
    candidates: int = 1

    @property
    def pairs(self) -> float:
        """Number of all pairs."""
        return float(self.weights.sum())

    @property
    def differences(self) -> Floats:
        """The mean of the candidate's runs less that of the baseline's, by source."""
        # Rounded, so that no sum of fractions depends on the order of relations or runs.
        mean = self.violations[:, : self.candidates].mean(axis=1)
        return np.asarray(np.round(mean - self.baseline.mean(axis=1), 12), dtype=np.float64)

    @property
    def baseline(self) -> Floats:
        """Violations by source and run of the baseline."""
        return self.violations[:, self.candidates :]

    @property
    def exchanged(self) -> Floats:
        """Violations by source and run, of which a permutation exchanges the first.

        Several runs of a candidate are exchanged with those of the baseline as a whole.
        """
        if self.candidates == 1:
            return self.violations
        runs = self.violations[:, : self.candidates], self.baseline
        return np.asarray(np.round(np.stack([side.mean(axis=1) for side in runs], 1), 12))

    @property
    def excusable(self) -> bool:
        """Whether unstable pairs are known in all runs, and few enough to be excluded."""
        return self.unstable_known and 0 < self.unstable <= max(1.0, MOST_EXCUSED * self.pairs)


def pair(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair a run with those of a baseline on one relation.

    Groups of the suite are paired by id. Groups bound at run time depend on predictions, so they
    seldom match: there, pair each source with an applicable group in every run, and compare rates.
    A group is new if it is violated and most baseline runs satisfied it, and fixed if it is
    satisfied and most violated it. If half of the runs violated it, it has not moved.
    """
    runs = (candidate, *candidate.others, *baselines)
    candidates = 1 + len(candidate.others)
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
        # Verdicts read from a baseline have no sources. Then each group is its own source.
        source_of = candidate.source_of or {group: group for group in paired}
        violated = [run.violated & paired for run in runs]
        sizes = dict(sorted(Counter(map(source_of.__getitem__, paired)).items()))
        sources, weights = [*sizes], [*sizes.values()]
        counts = [Counter(map(source_of.__getitem__, of_run)) for of_run in violated]
        violations = [[of_run[source] for source in sources] for of_run in counts]
    now, before = violated[0], violated[candidates:]
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
        candidates=candidates,
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
        candidates=pairings[0].candidates if pairings else 1,
    )


def side_by_side(pairings: Sequence[Pairing]) -> tuple[tuple[str, ...], Floats]:
    """Return the sources whose runs differ, and their violations by source, run and relation.

    Sources without a difference cannot change the test, and are most of a large suite. If a
    source's runs do not differ in one relation, they all have 0 there. Sources are sorted by id, so
    that random numbers do not depend on the order of the rows.
    """
    exchanged = [pairing.exchanged for pairing in pairings]
    differing = [np.asarray((runs != runs[:, :1]).any(axis=1)) for runs in exchanged]
    named = [
        tuple(compress(pairing.sources, of_it))
        for pairing, of_it in zip(pairings, differing, strict=True)
    ]
    index = {source: at for at, source in enumerate(sorted({*chain.from_iterable(named)}))}
    runs = exchanged[0].shape[1] if pairings else 2
    outcomes = np.zeros((len(index), runs, len(pairings)))
    for i, (of_pairing, of_it, names) in enumerate(zip(exchanged, differing, named, strict=True)):
        outcomes[[index[name] for name in names], :, i] = of_pairing[of_it]
    return tuple(index), outcomes


def changes(
    new: RelationVerdicts, runs: Sequence[RelationVerdicts], pairing: Pairing
) -> Mapping[str, Change]:
    """Return the change of each group of the candidate that is paired."""
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
"""Maximum number of subtypes of a relation with separate counts."""


class Rate(NamedTuple):
    """Counts of groups; rate and interval (clustered by source) are None if none is applicable."""

    applicable: int
    violated: int
    rate: float | None
    ci95: Interval | None


class Rates(NamedTuple):
    """The violation rate of each relation by id, in the run's order, and the overall rate."""

    relations: dict[str, Rate]
    overall: Rate


def rates(result: Result, rows: Iterable[GroupRow]) -> Rates:
    """Return a run's violation rates with their 95 % intervals, from its rows."""
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
    # Sort by id, so that no digit depends on the order of rows.
    pairs = [(counts[source], size) for source, size in sorted(sizes.items())]
    interval = statistics.rate_interval(*zip(*pairs, strict=True))
    return Rate(applicable, violated, violated / applicable, interval)


def count_strata(rows: Iterable[tuple[str, str, Verdict]]) -> dict[str, Stratum]:
    """Return counts by subtype, for the ``MOST_STRATA`` subtypes with most groups."""
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

    ``p_adjusted`` and ``p_better`` (the test's other side) are corrected for all tests of the run.
    ``threshold`` is how many standard deviations a significant difference needs, infinite if no
    difference is enough; ``final`` is the threshold at the end of a run with interim analyses.
    ``added`` is the variance between runs of one recipe, beyond the variance that sources explain.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0
    threshold: float = 0.0
    final: float = math.inf
    added: float = 0.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is significant and above the margin."""
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
    """Test relations, slices, and the pool of the relations as one family; results in this order.

    ``alone`` has the settings of relations with a separate alpha, by position. Each is tested
    outside the family, but is part of the pool. ``slices`` are relations that are not part of the
    pool, and parts of relations. ``look`` is 0 if a run is judged once.
    """
    every = [*pairings, *slices, pooled]
    filled = [i for i, pairing in enumerate(pairings) if pairing.sources]
    # The pool of one relation is the same test. Between looks, that relation may change.
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
    """Run the clustered test on one pairing alone, as a family of one."""
    # In a family of one, only the pool is tested.
    nothing = replace(pairing, sources=(), violations=pairing.violations[:0], weights=np.zeros(0))
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
    spreads = _spreads(pairings, settings, range(last if summed is None else summed, last))
    # In a family of one, only the pool has sources.
    each = pairings[:-1]
    sources, outcomes = side_by_side(
        pairings[-1:] if len(each) == 1 and not each[0].sources else each
    )
    exact: list[list[float] | None] = [None, None]
    if outcomes.shape[1] == 2 and not any(added for _, added in spreads):
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
    """Return the look at which each source is predicted."""
    return np.array([look_of(source) for source in sources], dtype=np.int64)


def tested_at_looks(pairings: Sequence[Pairing], left_out: Set[int], look: int) -> list[list[bool]]:
    """Return for each look up to this one which pairings had enough sources to be tested."""
    of_each = [looks_of(pairing.sources) for pairing in pairings]
    return [
        [
            int((at <= now).sum()) >= MIN_CLUSTERS and i not in left_out
            for i, at in enumerate(of_each)
        ]
        for now in range(1, look + 1)
    ]


class SeedSpread(NamedTuple):
    """How much the violation rates of trainings with one recipe vary.

    The variance of a rate ``r`` is ``scale * r * (1 - r)``, in addition to that which texts
    explain. ``freedom`` are the degrees of freedom of this figure.
    """

    scale: float
    freedom: int


SEEDS = SeedSpread(scale=0.00077, freedom=5)
"""From the trainings of benchmarks/results/seeds.md."""


def _spreads(
    pairings: Sequence[Pairing], settings: RunSettings, slices: range
) -> list[tuple[float, float]]:
    """Return for each difference its widening (1 for sources alone) and the added variance.

    Runs of one recipe differ by more than sources explain: a retrained checkpoint is a little
    better or worse everywhere. Estimate that variance from the baseline's runs: that of all
    relations, or of one relation if it is larger there. As the runs are few, combine it with
    ``SEEDS``, each weighted by its degrees of freedom (Smyth 2004, moderated t), and scale it by
    how much wider Student's t is than the normal distribution. One run shows no such variance, and
    gets none unless the candidate was retrained.
    """
    candidates, number = pairings[-1].candidates, pairings[-1].baseline.shape[1]
    if number == 1 and not settings.retrained:
        return [(1.0, 0.0)] * len(pairings)
    variances = [_run_variances(pairing) for pairing in pairings]
    # Skip slices, because their relation already has their variance.
    known = [(of, by) for i, (of, by) in enumerate(variances) if by and i not in slices]
    # Weight each by its precision: the standard error of a variance is about its own size.
    weight = math.fsum(by**-2 for _, by in known)
    shared = math.fsum(of * by**-2 for of, by in known) / weight if weight else 0.0
    level = 1 - settings.alpha / 2
    freedom = SEEDS.freedom + number - 1
    few = student_quantile(level, freedom) / student_quantile(level, math.inf)
    spreads = []
    for pairing, (beyond, _) in zip(pairings, variances, strict=True):
        if not pairing.sources:
            spreads.append((1.0, 0.0))
            continue
        rate = min(1.0, math.fsum(pairing.baseline.mean(axis=1).tolist()) / pairing.pairs)
        variance = SEEDS.freedom * SEEDS.scale * rate * (1 - rate)
        # Use only the baseline's runs, so that a regression of the candidate adds no variance.
        variance += (number - 1) * max(0.0, beyond, shared)
        added = (1 / candidates + 1 / number) * variance / freedom * few**2
        # Variance of the difference if runs are exchanged within sources.
        exchanged = pairing.exchanged
        deviations = exchanged - exchanged.mean(axis=1, keepdims=True)
        squares = math.fsum(np.square(deviations).mean(axis=1).tolist())
        scale = (1 + 1 / (exchanged.shape[1] - 1)) / pairing.pairs
        permuted = squares * scale * scale
        spreads.append((math.sqrt(1 + added / permuted) if permuted else 1.0, added))
    return spreads


def _run_variances(pairing: Pairing) -> tuple[float, float]:
    runs, square = pairing.baseline, pairing.pairs**2
    if not pairing.sources or runs.shape[1] == 1:
        return 0.0, 0.0
    # Sum exactly, so that no digit depends on the order of sources.
    by_sources = math.fsum(runs.var(axis=1, ddof=1)) / square
    totals = [math.fsum(run) for run in runs.T]
    return float(np.var(totals, ddof=1)) / square - by_sources, by_sources
