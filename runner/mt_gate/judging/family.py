"""Correct the tests of all relations of a run, and of their pool, as one family.

The largest standardised difference of the relations (max-T, step-down) and the pooled difference
share alpha, so that a run without a change fails with probability alpha at most. Both use one set
of permutations. Each gets at least half of alpha, and more if the two are correlated. Tests that
cannot reject under any permutation are omitted.

A run that may stop early is tested at several interim analyses (looks). A permutation exchanges
the runs of each source once, and is followed through all looks like the run. At each look, the
rarity of the run, and of every permutation, is that of its pool or of its largest relation,
whichever is rarer. The rarest permutations are removed, as many as the look may spend of alpha. A
run as rare as these regressed significantly. So among runs without a change, at most a share alpha
fails at any look, because these quantities depend only on the sources seen so far.

References:
    Lan and DeMets 1983, Biometrika 70:659, spending alpha over looks.
    Westfall and Young 1993, Resampling-Based Multiple Testing, algorithms 4.1 (step-down max-T) and
    2.8 (single-step max-T).
    Tarone 1990, Biometrics 46:515, leaving out tests that cannot reject.
    Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39, why a sampled p
    is (1 + c) / (1 + N).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.domain import shard_index
from mt_gate.judging.statistics import SEED

DRAWS, MOST_DRAWS = 20_000, 100_000
"""Least and most permutations of a family of tests. With the least, a p near 0.025 has a standard
error of 0.001. A family with a small part of alpha needs more, see ``draws_for``."""

Floats = NDArray[np.float64]

# If this many clusters have the same outcomes, one multinomial draw of how often each run is
# chosen is cheaper than a draw per cluster.
_MANY = 64
_BYTE = 256
_ROWS = 512
_BEYOND = 20


def draws_for(alpha: float) -> int:
    """Return the number of permutations of which 20 are as rare as alpha, within the bounds."""
    return max(DRAWS, min(MOST_DRAWS, math.ceil(_BEYOND / alpha)))


def centred(outcomes: Floats) -> Floats:
    """Return violations minus the mean over the runs of each cluster."""
    return np.asarray(outcomes - outcomes.mean(axis=1, keepdims=True), dtype=np.float64)


def permuted_sums(outcomes: Floats, seed: int, draws: int | None = None) -> Floats:
    """Return sums over clusters, (draws, relations), with one random run chosen per cluster."""
    draws = DRAWS if draws is None else draws
    _, runs, relations = outcomes.shape
    rng = np.random.default_rng(seed)
    sums = np.zeros((draws, relations))
    # Sort relations by outcomes, so that draws do not depend on the order of relations; nor on the
    # order of runs, unless two relations have the same outcomes up to that order.
    alike = np.sort(outcomes, axis=1)
    order = sorted(
        range(relations), key=lambda i: (alike[:, :, i].tobytes(), outcomes[:, :, i].tobytes())
    )
    differing = outcomes[np.any(outcomes != 0, axis=(1, 2))][:, :, order]
    if not len(differing):
        return sums
    kinds, counts = _kinds(differing)
    chances = np.full(runs, 1 / runs)
    common = counts >= _MANY
    for kind, count in zip(kinds[common], counts[common], strict=True):
        sums += rng.multinomial(count, chances, draws) @ kind
    _add_single(sums, np.repeat(kinds[~common], counts[~common], axis=0), rng)
    return sums[:, np.argsort(order)]


def _kinds(outcomes: Floats) -> tuple[Floats, NDArray[np.int64]]:
    clusters, runs, relations = outcomes.shape
    order = np.lexsort(tuple(outcomes[:, :, i] for i in reversed(range(relations))), axis=-1)
    rows = np.take_along_axis(outcomes, order[:, :, None], axis=1).reshape(clusters, -1)
    kinds, counts = np.unique(np.ascontiguousarray(rows + 0.0), axis=0, return_counts=True)
    return kinds.reshape(-1, runs, relations), counts


def _add_single(sums: Floats, outcomes: Floats, rng: np.random.Generator) -> None:
    """Add one random run of each cluster to every draw, several clusters at a time.

    One random number picks one of the at most 256 sums that the next few clusters can have. That is
    a fraction of the work of drawing and adding clusters one by one.
    """
    clusters, runs, relations = outcomes.shape
    together = 1
    while runs ** (together + 1) <= _BYTE:
        together += 1
    tables, choices = [], []
    for start in range(0, clusters, together):
        table = np.zeros((1, relations))
        for cluster in outcomes[start : start + together]:
            table = (table[:, None, :] + cluster[None, :, :]).reshape(-1, relations)
        tables.append(table)
        choices.append(rng.integers(0, len(table), len(sums), dtype=np.uint16))
    for first in range(0, len(sums), _ROWS):  # few draws at a time, so that they stay in the cache
        rows = slice(first, first + _ROWS)
        for table, chosen in zip(tables, choices, strict=True):
            sums[rows] += table[chosen[rows]]


ROUNDING = 1e-9


class Tests(NamedTuple):
    """Uncorrected and corrected p-values: one per relation, then the pool's."""

    single: tuple[float, ...]
    adjusted: tuple[float, ...]


class Family(NamedTuple):
    """Both sides of a family of tests, and the least difference that rejects.

    ``threshold`` is for a relation's difference, ``pool_threshold`` for the pooled difference, in
    standard deviations of the permutations; infinite if too few permutations exist for alpha.
    ``final`` are both at the end of a run with interim analyses, see ``families_by_look``.
    """

    worse: Tests
    better: Tests
    threshold: float
    pool_threshold: float
    final: tuple[float, float] = (math.inf, math.inf)


class FamilyOptions(NamedTuple):
    """Options of a family, by test with the pool last; exact p-values of both sides, if known."""

    alpha: float
    tested: Sequence[bool]
    widened: Sequence[float]
    worse: Sequence[float] | None
    better: Sequence[float] | None
    seed: int
    summed: int | None = None


def family_tests(outcomes: Floats, options: FamilyOptions) -> Family:
    """Test every relation and the pool.

    ``outcomes`` are violations, shape (clusters, runs, relations), the candidate's run first. If a
    cluster has no group of a relation, its value there is the same for every run.
    """
    deviations = with_pool(centred(outcomes), options.summed)
    scale = scale_of(deviations)
    sums = permuted_sums(deviations[:, :, :-1], options.seed, draws_for(options.alpha))
    draws = with_pool(sums, options.summed) / scale
    values = deviations[:, 0, :].sum(axis=0) / scale / np.asarray(options.widened)
    threshold, pool_threshold = thresholds(draws, deviations, options)
    return Family(
        worse=_tests(values, draws, deviations, options, options.worse),
        better=_tests(-values, -draws, -deviations, options, options.better),
        threshold=threshold,
        pool_threshold=pool_threshold,
    )


def with_pool(values: Floats, summed: int | None = None) -> Floats:
    """Append to the last axis, the relations, the sum of the first ``summed`` relations."""
    pool = values[..., :summed].sum(axis=-1, keepdims=True)
    return np.concatenate([values, pool], axis=-1)


def scale_of(deviations: Floats) -> Floats:
    """Return the standard deviation of each relation's permuted sum; 1 if nothing differs."""
    spread = np.sqrt(np.square(deviations).mean(axis=1).sum(axis=0))
    return np.where(spread > 0, spread, 1.0)


def _tests(
    values: Floats,
    draws: Floats,
    deviations: Floats,
    options: FamilyOptions,
    exact: Sequence[float] | None,
) -> Tests:
    single = singly(values, draws) if exact is None else exact
    relations, pool = able(deviations, options.tested, options.alpha)
    adjusted = _adjusted(values, draws, single, relations, pool)
    every = range(len(options.tested))
    return Tests(
        single=tuple(float(single[i]) if options.tested[i] else 1.0 for i in every),
        adjusted=tuple(adjusted.get(i, 1.0) for i in every),
    )


def singly(values: Floats, draws: Floats) -> list[float]:
    """Return the uncorrected p of each test: the share of permutations that reach its value."""
    as_far = (draws >= values - ROUNDING).sum(axis=0)
    return [(1 + int(count)) / (1 + len(draws)) for count in as_far]


def able(deviations: Floats, tested: Sequence[bool], alpha: float) -> tuple[list[int], bool]:
    """Return the relations whose test can reach significance, and whether the pool's test can."""
    could = list(tested)
    if sum(could) > 1:
        for i, values in enumerate(np.moveaxis(deviations, -1, 0)):
            # The least possible p is the chance that every cluster draws its worst run.
            chance = (values == values.max(axis=1, keepdims=True)).mean(axis=1)
            could[i] &= float(np.exp(np.log(chance).sum())) <= alpha / 2
    return [i for i, is_able in enumerate(could[:-1]) if is_able], could[-1]


def _adjusted(
    values: Floats, draws: Floats, single: Sequence[float], relations: list[int], pool: bool
) -> dict[int, float]:
    """Return adjusted p-values, stepping down from the test with the smallest p.

    Each step counts the permutations in which the pool, or the largest remaining relation, is as
    far out as the most extreme remaining test. That test is removed; no later p is smaller.
    """
    last = len(values) - 1
    pool_rarity = rarity(draws[:, last]) if pool else np.ones(len(draws))
    left = sorted(relations, key=lambda i: -values[i])
    # The largest of the relations that are left at each step, from the last step to the first.
    largest = np.maximum.accumulate(draws[:, left[::-1]], axis=1)[:, ::-1] if left else draws
    results: dict[int, float] = {}
    floor, step = 0.0, 0
    while step < len(left) or pool:
        candidates = []
        if step < len(left):
            one = left[step]
            as_far = int((largest[:, step] >= values[one] - ROUNDING).sum())
            candidates.append((as_far, single[one], one))
        if pool:
            # Count permutations even if the exact p is known: ``pool_rarity`` below is counted in
            # permutations too, and the comparison of the two must treat ties alike.
            as_far = int((draws[:, last] >= values[last] - ROUNDING).sum())
            candidates.append((as_far, single[last], last))
        as_far, own, nearest = min(candidates)
        tests = len(left) - step + pool
        if tests == 1:
            reach = own
        elif as_far:
            drawn = largest[:, step]
            least = np.partition(drawn, len(drawn) - as_far)[len(drawn) - as_far]
            rare = np.asarray(drawn >= least - ROUNDING)
            if int(rare.sum()) > as_far:
                rare = np.asarray(drawn > least + ROUNDING)
            rare |= pool_rarity <= as_far / len(draws) + ROUNDING
            reach = (1 + int(rare.sum())) / (1 + len(draws))
        else:
            # No permutation is as far out: use Bonferroni over the remaining tests, but no more
            # than the smallest p that this number of permutations can show.
            reach = min(tests * own, _least_share(len(draws), step < len(left) and pool))
        floor = results[nearest] = max(floor, own, min(1.0, reach))
        if nearest == last:
            pool, pool_rarity = False, np.ones(len(draws))
        else:
            step += 1
    return results


def thresholds(draws: Floats, deviations: Floats, options: FamilyOptions) -> tuple[float, float]:
    """Return how far out a relation, and the pool, must be for an adjusted p of alpha.

    If too little differs yet for one of the two to reject, use half of alpha for both, because a
    detectable rise would let both reject.
    """
    relations, pool = able(deviations, options.tested, options.alpha)
    rare = [np.ones(len(draws))]
    if relations:
        largest = draws[:, relations].max(axis=1)
        rare.append(rarity(largest))
    if pool:
        rare.append(rarity(draws[:, -1]))
    several = sum(options.tested) > 1
    if options.worse is None and _least_share(len(draws), several) >= options.alpha:
        return math.inf, math.inf
    level = options.alpha / 2 if several else options.alpha
    if relations and pool:
        level = min(options.alpha, float(np.quantile(np.min(rare, axis=0), options.alpha)))
    normal = NormalDist().inv_cdf(1 - level)
    pool_level = max(normal, float(np.quantile(draws[:, -1], 1 - level))) if pool else normal
    relation_level = max(normal, float(np.quantile(largest, 1 - level))) if relations else normal
    return relation_level, pool_level


def rarity(drawn: Floats) -> Floats:
    """Return for each permutation the share of permutations that are at least as far out."""
    order = np.argsort(drawn)
    ordered = drawn[order]
    results = np.empty(len(drawn))
    results[order] = 1 - np.searchsorted(ordered, ordered - ROUNDING) / len(drawn)
    return results


def _least_share(draws: int, both: bool) -> float:
    return (1 + both) / (1 + draws)


LOOKS = 10
"""Number of times that a run that may stop early is judged; at the last, all is predicted.

Fifteen looks, ten of them in the first half, stop a regressed run as early on average, and detect
the smallest regressions slightly less often (benchmarks/calibration.py).
"""
_POWER = 1.5
_COLLAPSE_AT_END = 0.5


def look_of(cluster: str) -> int:
    """Return at which look, from 1 to ``LOOKS``, a cluster of sources is predicted."""
    return shard_index(f"{SEED}\0{cluster}", LOOKS)


def share_predicted(look: int) -> float:
    """Return the part of a suite that is predicted at a look, in (0, 1]."""
    return look / LOOKS


def spent(alpha: float, look: int) -> float:
    """Return how much of alpha all interim analyses up to this one may use, in (0, alpha]."""
    return float(alpha * share_predicted(look) ** _POWER)


def alpha_for_collapse(look: int) -> float:
    """Return the part of alpha for testing prediction coverage; half is for the last analysis."""
    return _COLLAPSE_AT_END if look == LOOKS else (1 - _COLLAPSE_AT_END) / (LOOKS - 1)


class Seen(NamedTuple):
    """The look of each cluster (``at``), and which tests each look so far had (``tested``)."""

    at: NDArray[np.int64]
    tested: Sequence[Sequence[bool]]


class _Look(NamedTuple):
    """One look: permuted sums in standard deviations, and the run's deviations so far."""

    draws: Floats
    seen: NDArray[np.bool_]
    deviations: Floats
    tested: Sequence[bool]
    spent: float


def family_at_look(outcomes: Floats, options: FamilyOptions, seen: Seen) -> Family:
    """Test every relation and their pool at the latest interim analysis."""
    *_, last = families_by_look(outcomes, options, seen)
    return last()


def families_by_look(
    outcomes: Floats, options: FamilyOptions, seen: Seen
) -> Iterator[Callable[..., Family]]:
    """Yield for each look so far a function that returns its family of tests.

    The function may be called with outcomes of the same sources whose runs are in another order,
    because these have the same permutations. Call it before the next look.

    An adjusted p below alpha means that the test rejects at that look; it is not the p of a run
    judged once. ``Family.final`` has the thresholds at the end of the run.
    """
    sides = (_Side(1.0), _Side(-1.0))
    for look in _looks(outcomes, options, seen):
        for side in sides:
            side.look(look)
        now = options._replace(tested=look.tested)
        yield partial(_family, look, *sides, now, thresholds(look.draws, look.deviations, now))


def _family(
    look: _Look,
    worse: _Side,
    better: _Side,
    options: FamilyOptions,
    final: tuple[float, float],
    outcomes: Floats | None = None,
) -> Family:
    deviations = look.deviations
    if outcomes is not None:
        deviations = with_pool(centred(outcomes[look.seen]), options.summed)
    values = (
        deviations[:, 0, :].sum(axis=0) / scale_of(look.deviations) / np.asarray(options.widened)
    )
    threshold, pool_threshold = worse.thresholds(look.spent) if math.isfinite(final[0]) else final
    return Family(
        worse=worse.tests(values, options, look.spent, options.worse),
        better=better.tests(-values, options, look.spent, options.better),
        threshold=threshold,
        pool_threshold=pool_threshold,
        final=final,
    )


def _looks(outcomes: Floats, options: FamilyOptions, seen: Seen) -> Iterator[_Look]:
    deviations = with_pool(centred(outcomes), options.summed)
    number = draws_for(options.alpha)
    sums = np.zeros((number, outcomes.shape[2]))
    for look, tested in enumerate(seen.tested, 1):
        new = deviations[seen.at == look, :, :-1]
        sums = sums + permuted_sums(new, options.seed + look, number)
        by_now = seen.at <= look
        so_far = deviations[by_now]
        draws = with_pool(sums, options.summed) / scale_of(so_far)
        yield _Look(draws, by_now, so_far, tested, spent(options.alpha, look))


class _Side:
    """One side of the tests over all looks, with the permutations that no look has removed."""

    _largest: Floats | None
    _pool: Floats | None
    _rare: Floats
    _cut: float
    _left: NDArray[np.bool_] | None = None

    def __init__(self, sign: float) -> None:
        self._sign = sign

    def look(self, look: _Look) -> None:
        """Remove the permutations that the previous look rejected; compute this look's cut-off."""
        draws = self._draws = self._sign * look.draws
        if self._left is None:
            self._left = np.ones(len(draws), dtype=np.bool_)
        else:
            self._left &= self._rare >= self._cut
        self._relations, pool = able(self._sign * look.deviations, look.tested, look.spent)
        self._largest = draws[:, self._relations].max(axis=1) if self._relations else None
        self._pool = draws[:, -1] if pool else None
        self._rare = np.ones(len(draws))
        for drawn in (self._largest, self._pool):
            if drawn is not None:
                self._rare = np.minimum(self._rare, rarity(drawn))
        left = np.sort(self._rare[self._left])
        more = math.floor(look.spent * len(draws)) - (len(draws) - len(left))
        self._cut = 0.0
        if more > 0:
            self._cut = float(left[more]) if more < len(left) else math.inf

    def thresholds(self, spent: float) -> tuple[float, float]:
        """Return how far out a relation, and the pool, must be to be significant at this look."""
        level = min(spent, self._cut) or spent
        normal = NormalDist().inv_cdf(1 - level)
        of_each = (self._largest, self._pool)
        relation_level, pool_level = (
            normal if drawn is None else max(normal, float(np.quantile(drawn, 1 - level)))
            for drawn in of_each
        )
        return relation_level, pool_level

    def tests(
        self, values: Floats, options: FamilyOptions, spent: float, exact: Sequence[float] | None
    ) -> Tests:
        """Return the p-values of a run's standardised differences; the pool's come last."""
        single = singly(values, self._draws) if exact is None else exact
        assert self._left is not None, "a look comes first"
        left = int(self._left.sum())
        adjusted = []
        for i, value in enumerate(values):
            drawn = self._pool if i == len(values) - 1 else self._largest
            if drawn is None or (i < len(values) - 1 and i not in self._relations):
                adjusted.append(1.0)
                continue
            rare = float((drawn >= value - ROUNDING).mean())
            as_rare = int((self._rare[self._left] <= rare + ROUNDING).sum())
            share = (1 + len(self._left) - left + as_rare) / (1 + len(self._left))
            adjusted.append(max(single[i], share * options.alpha / spent))
        return Tests(
            single=tuple(
                float(p) if tested else 1.0
                for p, tested in zip(single, options.tested, strict=True)
            ),
            adjusted=tuple(min(1.0, p) for p in adjusted),
        )
