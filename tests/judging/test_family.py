"""The family of tests against its definition, over every order of the runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import permutation_test

from mt_gate.judging.family import (
    DRAWS,
    MOST_DRAWS,
    Family,
    FamilyOptions,
    centred,
    draws_for,
    family_tests,
    permuted_sums,
)
from mt_gate.judging.statistics import sign_flip_p

Floats = NDArray[np.float64]


@st.composite
def pairs(draw: st.DrawFn, most_relations: int = 3) -> Floats:
    """Violations of two runs over a few clusters; differences from -2 to 2."""
    clusters, relations = draw(st.integers(1, 9)), draw(st.integers(1, most_relations))
    number = clusters * relations
    differences = draw(st.lists(st.integers(-2, 2), min_size=number, max_size=number))
    values = np.array(differences, dtype=np.float64).reshape(clusters, relations)
    return np.stack([np.maximum(values, 0), np.maximum(-values, 0)], axis=1)


def exact(outcomes: Floats, side: int) -> list[float]:
    """The exact p of each relation, and of the pool, by itself."""
    differences = side * (outcomes[:, 0] - outcomes[:, 1])
    return [sign_flip_p(of) for of in (*differences.T, differences.sum(axis=1))]


def family_of(
    outcomes: Floats,
    *,
    alpha: float = 0.05,
    chosen: Sequence[bool] | None = None,
    widened: Sequence[float] | None = None,
    known: bool = True,
) -> Family:
    number = outcomes.shape[2] + 1
    question = FamilyOptions(
        alpha=alpha,
        tested=chosen or [True] * number,
        widened=widened or [1.0] * number,
        worse=exact(outcomes, 1) if known else None,
        better=exact(outcomes, -1) if known else None,
        seed=1,
    )
    return family_tests(outcomes, question)


def by_definition(outcomes: Floats, alpha: float = 0.05) -> list[tuple[float, float]]:
    """Between what each adjusted p lies, from every pattern of signs, step by step.

    Two tests may come to the same chance; which of them is as far out then hangs on the draws, so
    that it counts for the upper bound and not for the lower.
    """
    deviations = centred(outcomes)
    deviations = np.concatenate([deviations, deviations.sum(axis=2, keepdims=True)], axis=2)[:, 0]
    scale = np.sqrt((deviations**2).sum(axis=0))
    scale[scale == 0] = 1.0
    signs = np.array(list(itertools.product((1, -1), repeat=len(deviations))))
    sums, values = signs @ deviations / scale, deviations.sum(axis=0) / scale
    last = len(values) - 1
    able = [2.0 ** -np.count_nonzero(of) <= alpha / 2 for of in deviations.T]
    left, pool = [i for i in range(last) if able[i]], able[last]
    result, floor = [(1.0, 1.0)] * (last + 1), (0.0, 0.0)

    def chances(drawn: Floats) -> Floats:
        return np.array([(drawn >= x - 1e-9).mean() for x in drawn])

    while left or pool:
        first = max(left, key=lambda i: values[i], default=last)
        blocks = [(sums[:, left].max(axis=1), first)] if left else []
        blocks += [(sums[:, last], last)] if pool else []
        candidates = sorted(((of >= values[i] - 1e-9).mean(), i) for of, i in blocks)
        p, nearest = candidates[0]
        assume(len(candidates) == 1 or candidates[1][0] - p > NEAR)
        rare = np.min([chances(of) for of, _ in blocks], axis=0)
        own = (sums[:, nearest] >= values[nearest] - 1e-9).mean()
        low = max(floor[0], own, (rare < p - NEAR).mean())
        floor = result[nearest] = (low, max(floor[1], (rare <= p + NEAR).mean()))
        left, pool = [i for i in left if i != nearest], pool and nearest != last
    return result


NEAR = 0.02
"""Of a chance: more than that of 20,000 draws is off by."""


def near(p: float) -> object:
    return pytest.approx(p, abs=6 * math.sqrt(p * (1 - p) / DRAWS) + 3 / DRAWS)


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_adjusted_p_is_that_of_all_patterns_of_signs(outcomes: Floats) -> None:
    bounds = by_definition(outcomes)
    for p, (low, high) in zip(family_of(outcomes).worse.adjusted, bounds, strict=True):
        assert low - NEAR <= p <= high + NEAR


@pytest.mark.parametrize("worse", range(5, 10))
def test_alike_relations_are_one_test(worse: int) -> None:
    """The chance of a sum is all there or not at all, whatever was sampled of it."""
    signs = np.array([1.0] * worse + [-1.0] * (10 - worse))
    outcomes = np.repeat(np.stack([signs > 0, signs < 0], axis=1)[:, :, None], 4, axis=2) * 1.0
    alone = sign_flip_p(signs)
    assert family_of(outcomes).worse.adjusted == tuple([near(alone)] * 5)


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_no_p_is_below_that_of_the_test_alone(outcomes: Floats) -> None:
    family = family_of(outcomes)
    for side in (family.worse, family.better):
        for single, adjusted in zip(side.single, side.adjusted, strict=True):
            assert 0 < single <= adjusted <= 1


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_a_less_likely_relation_never_has_a_larger_p(outcomes: Floats) -> None:
    family = family_of(outcomes)
    deviations = centred(outcomes)[:, 0]
    spread = np.sqrt((deviations**2).sum(axis=0))
    values = deviations.sum(axis=0) / np.where(spread > 0, spread, 1)
    able = [2.0 ** -np.count_nonzero(of) <= 0.025 for of in deviations.T]
    order = sorted(np.flatnonzero(able).tolist(), key=lambda i: -values[i])
    adjusted = [family.worse.adjusted[i] for i in order]
    assert adjusted == sorted(adjusted)


def test_both_sides_are_one_test_mirrored() -> None:
    outcomes = np.random.default_rng(4).binomial(5, 0.3, (80, 2, 4)) * 1.0
    family, mirrored = family_of(outcomes), family_of(outcomes[:, ::-1])
    assert family.better.single == mirrored.worse.single
    assert list(family.better.adjusted) == [near(p) for p in mirrored.worse.adjusted]
    assert min(family.better.adjusted) < 1 > min(family.worse.adjusted)


def test_what_cannot_reject_costs_the_others_nothing() -> None:
    """Five sources that differ have a chance of 1/32, above half of alpha, at best."""
    large = np.zeros((40, 2, 1))
    large[:14, 0], large[14:18, 1] = 1, 1
    small = np.zeros((40, 2, 20))
    small[:5, 0] = 1
    with_small = np.concatenate([large, small], axis=2)
    tested = [True] * 21 + [False]
    both = family_of(with_small, chosen=tested).worse.adjusted
    assert both[0] == near(sign_flip_p([1] * 14 + [-1] * 4))
    assert both[1:] == (1.0,) * 21


def test_six_sources_that_differ_are_tested_with_the_others() -> None:
    outcomes = np.zeros((6, 2, 2))
    outcomes[:, 0, 0] = 1
    outcomes[0, 0, 1] = 1
    worse = family_of(outcomes, chosen=[True, True, False]).worse
    assert worse.adjusted[:2] == (near(1 / 64), 1.0)


def test_only_the_chosen_relations_are_tested() -> None:
    outcomes = np.zeros((20, 2, 2))
    outcomes[:12, 0] = 1
    family = family_of(outcomes, chosen=[True, False, False])
    assert family.worse.adjusted[0] == pytest.approx(2**-12)
    assert family.worse.adjusted[1:] == family.worse.single[1:] == (1.0, 1.0)


def test_a_test_that_is_widened_needs_more() -> None:
    outcomes = np.zeros((60, 3, 1))
    outcomes[:20, 0], outcomes[20:28, 1], outcomes[28:36, 2] = 1, 1, 1
    by_width = [
        family_of(outcomes, chosen=[False, True], widened=[1.0, wide], known=False).worse.single[1]
        for wide in (1.0, 1.5, 3.0)
    ]
    assert by_width == sorted(by_width)
    assert by_width[0] < 0.05 < by_width[2]


def test_thresholds_are_those_at_which_a_run_fails() -> None:
    """A relation just above its threshold is below alpha, and one below it is not."""
    rng = np.random.default_rng(3)
    base = np.zeros((400, 2, 6))
    flips = rng.random((400, 6)) < 0.2
    base[:, 0], base[:, 1] = flips & (rng.random((400, 6)) < 0.5), 0
    base[:, 1] = flips & (base[:, 0] == 0)
    family = family_of(base)
    assert 1.96 < family.threshold < 2.7  # of six, each at a little more than half of alpha
    assert 1.64 < family.pool_threshold < 2.0
    spread = math.sqrt(flips[:, 0].sum())
    for steps, significant in ((-2, False), (2, True)):
        target = family.threshold * spread + 2 * steps
        moved = base.copy()
        at = np.flatnonzero(flips[:, 0])
        ups = round((len(at) + target) / 2)
        moved[at, :, 0] = [1, 0]
        moved[at[ups:], :, 0] = [0, 1]
        assert (family_of(moved).worse.adjusted[0] < 0.05) is significant


@st.composite
def outcomes(draw: st.DrawFn, most_runs: int = 3) -> Floats:
    """Violations of a few clusters, runs and relations."""
    clusters, runs = draw(st.integers(0, 6)), draw(st.integers(2, most_runs))
    relations = draw(st.integers(1, 3))
    numbers = st.lists(
        st.integers(0, 3),
        min_size=clusters * runs * relations,
        max_size=clusters * runs * relations,
    )
    return np.array(draw(numbers), dtype=np.float64).reshape(clusters, runs, relations)


def every_sum(deviations: Floats) -> Floats:
    """The sum of each way to take one run of every cluster, shape (ways, relations)."""
    clusters, runs, relations = deviations.shape
    ways = itertools.product(range(runs), repeat=clusters)
    return np.array(
        [
            sum((deviations[i, run] for i, run in enumerate(way)), np.zeros(relations))
            for way in ways
        ]
    )


@settings(max_examples=30, deadline=None)
@given(outcomes())
def test_sums_come_as_often_as_among_all_orders(outcomes_of_runs: Floats) -> None:
    deviations = centred(outcomes_of_runs)
    every, sums = every_sum(deviations), permuted_sums(deviations, seed=1)
    assert sums.shape == (DRAWS, deviations.shape[2])
    for i, j in itertools.product(range(deviations.shape[2]), repeat=2):
        expected = (every[:, i] * every[:, j]).mean()
        spread = (every[:, i] * every[:, j]).std()
        error = 5 * spread / math.sqrt(DRAWS) + 1e-9
        assert (sums[:, i] * sums[:, j]).mean() == pytest.approx(expected, abs=error)
    for level in np.unique(np.round(every[:, 0], 9)):
        share = (every[:, 0] >= level - 1e-6).mean()
        error = 5 * math.sqrt(share * (1 - share) / DRAWS) + 1e-9
        assert (sums[:, 0] >= level - 1e-6).mean() == pytest.approx(share, abs=error)


def test_clusters_with_common_outcomes_are_drawn_together_and_no_worse() -> None:
    """100 clusters alike are one draw of a binomial; one that is alone is a draw of its own."""
    deviations = centred(np.array([[[1.0], [0.0]]] * 100 + [[[3.0], [0.0]]]))
    sums = permuted_sums(deviations, seed=1)[:, 0]
    assert set(np.unique(sums * 2 % 2)) == {1.0}  # 100 times a half either way, and 1.5
    assert sums.std() == pytest.approx(math.sqrt(100 / 4 + 9 / 4), rel=0.03)


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_the_order_of_runs_makes_no_difference(outcomes_of_runs: Floats) -> None:
    """But where two relations have the same outcomes in each cluster."""
    deviations = centred(outcomes_of_runs)
    runs, relations = deviations.shape[1:]
    alike = {np.sort(deviations[:, :, i], axis=1).tobytes() for i in range(relations)}
    assume(len(alike) == relations)
    order = np.random.default_rng(0).permutation(runs)
    assert np.array_equal(
        permuted_sums(deviations, 7, 50), permuted_sums(deviations[:, order], 7, 50)
    )


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_clusters_without_a_difference_change_nothing(outcomes_of_runs: Floats) -> None:
    deviations = centred(outcomes_of_runs)
    more = np.concatenate([deviations, np.zeros((3, *deviations.shape[1:]))])
    assert np.array_equal(permuted_sums(deviations, 7, 50), permuted_sums(more, 7, 50))


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_the_order_of_relations_makes_no_difference(outcomes_of_runs: Floats) -> None:
    deviations = centred(outcomes_of_runs)
    backwards = permuted_sums(deviations[:, :, ::-1], 7, 50)
    assert np.array_equal(permuted_sums(deviations, 7, 50), backwards[:, ::-1])


@pytest.mark.parametrize("seed", [1, 2])
def test_two_runs_are_scipys_exchange_of_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    new, old = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    deviations = centred(np.stack([new, old], axis=1)[:, :, None])
    ours = (permuted_sums(deviations, 3)[:, 0] >= deviations[:, 0].sum() - 1e-9).mean()
    theirs = permutation_test(
        (new, old),
        lambda x, y, axis: (x - y).sum(axis=axis),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=DRAWS,
        rng=np.random.default_rng(9),
    ).pvalue
    assert ours == pytest.approx(theirs, abs=0.02)


def test_clusters_without_outcomes_sum_to_nothing() -> None:
    assert not permuted_sums(np.zeros((0, 2, 3)), 1, 10).any()


def test_a_smaller_alpha_takes_more_permutations_up_to_a_bound() -> None:
    assert [draws_for(alpha) for alpha in (0.5, 0.05, 0.001)] == [DRAWS] * 3
    assert draws_for(0.0005) == 40_000
    assert draws_for(1e-6) == MOST_DRAWS
