"""Permutations against every order of the runs, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import permutation_test

from mt_gate.judging.family import DRAWS, MOST_DRAWS, centred, draws_for, permuted_sums

Floats = NDArray[np.float64]


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


def every_sum(apart: Floats) -> Floats:
    """The sum of each way to take one run of every cluster, shape (ways, relations)."""
    clusters, runs, relations = apart.shape
    ways = itertools.product(range(runs), repeat=clusters)
    return np.array(
        [sum((apart[i, run] for i, run in enumerate(way)), np.zeros(relations)) for way in ways]
    )


@settings(max_examples=30, deadline=None)
@given(outcomes())
def test_sums_come_as_often_as_among_all_orders(given_outcomes: Floats) -> None:
    apart = centred(given_outcomes)
    every, sums = every_sum(apart), permuted_sums(apart, seed=1)
    assert sums.shape == (DRAWS, apart.shape[2])
    for i, j in itertools.product(range(apart.shape[2]), repeat=2):
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
    apart = centred(np.array([[[1.0], [0.0]]] * 100 + [[[3.0], [0.0]]]))
    sums = permuted_sums(apart, seed=1)[:, 0]
    assert set(np.unique(sums * 2 % 2)) == {1.0}  # 100 times a half either way, and 1.5
    assert sums.std() == pytest.approx(math.sqrt(100 / 4 + 9 / 4), rel=0.03)


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_the_order_of_runs_makes_no_difference(given_outcomes: Floats) -> None:
    """But where two relations have the same outcomes in each cluster."""
    apart = centred(given_outcomes)
    runs, relations = apart.shape[1:]
    alike = {np.sort(apart[:, :, i], axis=1).tobytes() for i in range(relations)}
    assume(len(alike) == relations)
    order = np.random.default_rng(0).permutation(runs)
    assert np.array_equal(permuted_sums(apart, 7, 50), permuted_sums(apart[:, order], 7, 50))


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_clusters_without_a_difference_change_nothing(given_outcomes: Floats) -> None:
    apart = centred(given_outcomes)
    more = np.concatenate([apart, np.zeros((3, *apart.shape[1:]))])
    assert np.array_equal(permuted_sums(apart, 7, 50), permuted_sums(more, 7, 50))


@given(outcomes())
@settings(max_examples=30, deadline=None)
def test_the_order_of_relations_makes_no_difference(given_outcomes: Floats) -> None:
    apart = centred(given_outcomes)
    backwards = permuted_sums(apart[:, :, ::-1], 7, 50)
    assert np.array_equal(permuted_sums(apart, 7, 50), backwards[:, ::-1])


@pytest.mark.parametrize("seed", [1, 2])
def test_two_runs_are_scipys_exchange_of_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    new, old = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    apart = centred(np.stack([new, old], axis=1)[:, :, None])
    ours = (permuted_sums(apart, 3)[:, 0] >= apart[:, 0].sum() - 1e-9).mean()
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
