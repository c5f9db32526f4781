"""All tests of a run as one family: each relation's, and that of all relations pooled.

The largest standardised difference of the relations (max-T, step-down) and the pooled difference
share alpha, so that a run in which nothing changed fails with at most that chance. Both are read
from one set of permutations, and each gets at least half of alpha: more, the more they have in
common. Tests that could not reject, whatever the order of the runs, are left out.

References:
    Westfall and Young 1993, Resampling-Based Multiple Testing, algorithm 4.1 (step-down max-T).
    Tarone 1990, Biometrics 46:515, leaving out tests that cannot reject.
    Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39, why a sampled p
    is (1 + c) / (1 + N).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS, MOST_DRAWS = 20_000, 100_000
"""Permutations of a family of tests; a p near 0.025 has a standard error of 0.001. More are drawn
where so small a part of alpha is left to a family that none of them would be as far out."""

Floats = NDArray[np.float64]

# From this many clusters with the same outcomes on, one draw of how often each run was taken is
# cheaper than a draw per cluster.
_MANY = 64
_BYTE = 256
_ROWS = 512
_BEYOND = 20


def draws_for(alpha: float) -> int:
    """Return how many permutations show what is as rare as alpha: twenty such, within bounds."""
    return max(DRAWS, min(MOST_DRAWS, math.ceil(_BEYOND / alpha)))


def centred(outcomes: Floats) -> Floats:
    """Return violations less their mean over the runs of the cluster."""
    return np.asarray(outcomes - outcomes.mean(axis=1, keepdims=True), dtype=np.float64)


def permuted_sums(outcomes: Floats, seed: int, draws: int | None = None) -> Floats:
    """Return, shape (draws, relations), the sum over clusters of what a run drawn at random had.

    ``outcomes`` are of ``centred``.
    """
    draws = DRAWS if draws is None else draws
    _, runs, relations = outcomes.shape
    rng = np.random.default_rng(seed)
    sums = np.zeros((draws, relations))
    # In an order of their own, so that draws do not depend on that of the relations; nor on that
    # of the runs, but where two relations have the same outcomes in each cluster.
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
    """Add one run of each cluster to every draw, several clusters at a time.

    A random number picks one of at most 256 sums that the next few clusters can have: a fraction of
    the work of drawing and adding them one by one.
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
    """The p-values of a family's tests, one per relation and last the pool's.

    ``single`` are those of each test by itself, ``adjusted`` those among all.
    """

    single: tuple[float, ...]
    adjusted: tuple[float, ...]


class Family(NamedTuple):
    """Both sides of a family of tests, and how far out a difference must be to reject.

    ``threshold`` is of a relation's difference, ``pool_threshold`` of the pooled one, in standard
    deviations of what permutations give; infinite where alpha is less than they can show. ``final``
    are both at the end of a run that is looked at before it, see ``sequential``.
    """

    worse: Tests
    better: Tests
    threshold: float
    pool_threshold: float
    final: tuple[float, float] = (math.inf, math.inf)


class FamilyOptions(NamedTuple):
    """What is tested, and how strictly; sequences have the pool last."""

    alpha: float
    tested: Sequence[bool]
    widened: Sequence[float]
    worse: Sequence[float] | None
    better: Sequence[float] | None
    seed: int
    summed: int | None = None


def family_tests(outcomes: Floats, options: FamilyOptions) -> Family:
    """Test every relation and their pool.

    ``outcomes`` are violations, shape (clusters, runs, relations), the candidate's run first. A
    cluster without groups of a relation has the same there for every run.
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
    """Return values, relations on the last axis, with the sum of the first ``summed`` at the end.

    None sums up all of them.
    """
    pool = values[..., :summed].sum(axis=-1, keepdims=True)
    return np.concatenate([values, pool], axis=-1)


def scale_of(deviations: Floats) -> Floats:
    """Return by relation how far sums spread under permutations; 1 where nothing differs."""
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
    """Return for each test by itself the share of permutations that are as far out as its value."""
    as_far = (draws >= values - ROUNDING).sum(axis=0)
    return [(1 + int(count)) / (1 + len(draws)) for count in as_far]


def able(deviations: Floats, tested: Sequence[bool], alpha: float) -> tuple[list[int], bool]:
    """Return the relations whose test could reject at alpha, and whether the pool's could."""
    could = list(tested)
    if sum(could) > 1:
        level = alpha / 2
        could = [is_so and _least_p(deviations[:, :, i]) <= level for i, is_so in enumerate(could)]
    return [i for i, is_able in enumerate(could[:-1]) if is_able], could[-1]


def _least_p(deviations: Floats) -> float:
    chance = (deviations == deviations.max(axis=1, keepdims=True)).mean(axis=1)
    return float(np.exp(np.log(chance).sum()))


def _adjusted(
    values: Floats, draws: Floats, single: Sequence[float], relations: list[int], pool: bool
) -> dict[int, float]:
    """Return adjusted p-values, step by step from the least likely test on.

    Each step counts how often permutations put the pool, or the largest of the relations that are
    left, as far out as the one that is least likely now. That one leaves; none after it gets less.
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
            # Of the permutations, too, though its own p is known: the chance of a sum that many of
            # them have must be the same on both sides of a comparison.
            as_far = int((draws[:, last] >= values[last] - ROUNDING).sum())
            candidates.append((as_far, single[last], last))
        as_far, own, nearest = min(candidates)
        tests = len(left) - step + pool
        if tests == 1:
            reach = own
        elif as_far:
            rare = _as_rare(largest[:, step], as_far)
            rare |= pool_rarity <= as_far / len(draws) + ROUNDING
            reach = _share(int(rare.sum()), len(draws))
        else:
            # Where no permutation reaches, a test's own p counts for each that is left, unless
            # that is more than the chance that none of so many reaches.
            reach = min(tests * own, _least_share(len(draws), step < len(left) and pool))
        floor = results[nearest] = max(floor, own, min(1.0, reach))
        if nearest == last:
            pool, pool_rarity = False, np.ones(len(draws))
        else:
            step += 1
    return results


def _as_rare(drawn: Floats, most: int) -> NDArray[np.bool_]:
    least = np.partition(drawn, len(drawn) - most)[len(drawn) - most]
    results = np.asarray(drawn >= least - ROUNDING)
    return results if int(results.sum()) <= most else np.asarray(drawn > least + ROUNDING)


def thresholds(draws: Floats, deviations: Floats, options: FamilyOptions) -> tuple[float, float]:
    """Return how far out a relation, and the pool, must be for an adjusted p of alpha.

    Where little differs yet, so that one of the two could reject nothing, a rise that would be
    found lets both: each is sure of half of alpha alone.
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
    of_pool = max(normal, float(np.quantile(draws[:, -1], 1 - level))) if pool else normal
    of_relation = max(normal, float(np.quantile(largest, 1 - level))) if relations else normal
    return of_relation, of_pool


def rarity(drawn: Floats) -> Floats:
    """Return for each permutation the share of them that is as far out."""
    order = np.argsort(drawn)
    ordered = drawn[order]
    results = np.empty(len(drawn))
    results[order] = 1 - np.searchsorted(ordered, ordered - ROUNDING) / len(drawn)
    return results


def _share(count: int, draws: int) -> float:
    return (1 + count) / (1 + draws)


def _least_share(draws: int, both: bool) -> float:
    return _share(int(both), draws)
