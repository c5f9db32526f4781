"""Statistics against brute force, against other implementations, and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mt_gate.judging import statistics
from mt_gate.judging.statistics import (
    PERMUTATIONS,
    SMALLEST_P,
    bootstrap_interval,
    holm,
    minimum_detectable_effect,
    rate_interval,
    sign_flip_p,
    wilson,
    wilson_clustered,
)

WHOLE = st.lists(st.integers(-9, 9), max_size=10)
FRACTIONS = st.lists(
    st.tuples(st.integers(-6, 6), st.sampled_from([2, 3, 5, 7])).map(lambda x: x[0] / x[1]),
    max_size=10,
)


def enumerate_p(differences: list[float]) -> float:
    """All 2**n sign patterns, one by one."""
    magnitudes = [abs(x) for x in differences if x]
    observed = math.fsum(differences) - 1e-9
    patterns = list(itertools.product((-1, 1), repeat=len(magnitudes)))
    as_large = sum(
        math.fsum(s * m for s, m in zip(signs, magnitudes, strict=True)) >= observed
        for signs in patterns
    )
    return as_large / len(patterns)


@given(WHOLE)
def test_whole_differences_are_tested_exactly(differences: list[int]) -> None:
    assert sign_flip_p(differences) == pytest.approx(enumerate_p(differences), rel=1e-12)


@given(st.integers(1, 200), st.data())
def test_one_group_a_source_is_mcnemars_exact_test(n: int, data: st.DataObject) -> None:
    worse = data.draw(st.integers(0, n))
    expected = binomtest(worse, n, 0.5, alternative="greater").pvalue
    got = sign_flip_p([1] * worse + [-1] * (n - worse))
    assert got == pytest.approx(max(expected, SMALLEST_P), rel=1e-10)


@pytest.mark.parametrize(("worse", "better"), [(50_400, 49_600), (50_000, 50_000), (3_000, 2_500)])
def test_many_sources_stay_exact(worse: int, better: int) -> None:
    differences = np.repeat([1.0, -1.0], [worse, better])
    expected = binomtest(worse, worse + better, 0.5, alternative="greater").pvalue
    assert sign_flip_p(differences) == pytest.approx(expected, rel=1e-9)
    assert sign_flip_p(7 * differences) == pytest.approx(expected, rel=1e-9)


def test_large_and_small_counts_mix() -> None:
    """A whole-number test of two magnitudes, one convolved by hand from the other."""
    ones, fives = np.repeat([1.0, -1.0], [300, 250]), [5.0] * 4 + [-5.0]
    total = 50 + 15
    by_hand = 0.0
    for up in range(6):
        least = math.ceil((total - 5 * (2 * up - 5) + 550) / 2)
        tail = binomtest(least, 550, 0.5, alternative="greater").pvalue
        by_hand += math.comb(5, up) / 32 * tail
    assert sign_flip_p([*ones, *fives]) == pytest.approx(by_hand, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(FRACTIONS)
def test_fractions_are_sampled_near_the_exact_p(differences: list[float]) -> None:
    expected = enumerate_p(differences)
    error = 5 * math.sqrt(expected * (1 - expected) / PERMUTATIONS) + 2 / PERMUTATIONS
    assert sign_flip_p(differences) == pytest.approx(expected, abs=error)


def test_many_equal_fractions_are_sampled_near_the_exact_p() -> None:
    """Common magnitudes are drawn as binomials, rare ones from a table."""
    whole = np.repeat([3.0, -3.0, 2.0, -2.0], [120, 100, 20, 22])
    exact = sign_flip_p(whole)
    # A tiny difference makes the numbers fractions and hardly moves the sum.
    sampled = sign_flip_p([*(whole + 1e-7 * np.sign(whole)), 0.5e-7])
    assert sampled == pytest.approx(exact, abs=0.006)


def test_numbers_too_large_to_convolve_are_sampled() -> None:
    assert sign_flip_p([10**9, 10**9 + 1, 10**9 + 7, -3] * 8) < 2 / PERMUTATIONS


@given(WHOLE | FRACTIONS)
@settings(max_examples=50, deadline=None)
def test_p_is_a_probability_and_the_same_each_time(differences: list[float]) -> None:
    p = sign_flip_p(differences)
    assert 0 < p <= 1
    assert p == sign_flip_p(differences[::-1])


@given(WHOLE, st.integers(0, 9))
def test_p_falls_as_a_difference_turns_worse(differences: list[int], index: int) -> None:
    if index >= len(differences):
        return
    worse = [*differences]
    worse[index] = abs(worse[index])
    assert sign_flip_p(worse) <= sign_flip_p(differences) * (1 + 1e-12)


@given(WHOLE)
def test_both_sides_meet(differences: list[int]) -> None:
    """P(sum >= s) + P(sum <= s) is 1 and the chance of s itself."""
    total = sign_flip_p(differences) + sign_flip_p([-x for x in differences])
    assert total >= 1 - 1e-12


@given(WHOLE, st.integers(0, 20))
def test_sources_that_do_not_differ_are_no_evidence(differences: list[int], zeros: int) -> None:
    assert sign_flip_p(differences + [0] * zeros) == sign_flip_p(differences)


@pytest.mark.parametrize("differences", [[], [0], [0.0, -0.0, 1e-15]])
def test_nothing_differs(differences: list[float]) -> None:
    assert sign_flip_p(differences) == 1.0


def test_p_never_reaches_zero() -> None:
    assert sign_flip_p([1] * 5000) == SMALLEST_P


@pytest.mark.parametrize("differences", [[math.nan], [math.inf], [[1.0]], 1.0])
def test_what_is_no_vector_of_numbers_is_refused(differences: object) -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip_p(differences)  # type: ignore[arg-type]


def plain_holm(p_values: list[float]) -> list[float]:
    """max over j <= i of min(1, (m - j) p_(j)), by the definition."""
    ordered = sorted(p_values)
    m = len(ordered)
    by_p = {
        p: max(min(1.0, (m - j) * ordered[j]) for j in range(i + 1)) for i, p in enumerate(ordered)
    }
    return [by_p[p] for p in p_values]


@given(st.lists(st.floats(1e-12, 1), max_size=12, unique=True))
def test_holm_is_its_definition(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(plain_holm(p_values))


def test_holm_by_hand() -> None:
    # Worked by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, then 0.04 raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.5]) == [1.0, 1.0]


CLUSTERS = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(3, 9)), min_size=2, max_size=60
).filter(lambda pairs: any(difference for difference, _ in pairs))


@given(CLUSTERS)
@settings(max_examples=50, deadline=None)
def test_interval_is_ordered_holds_the_estimate_and_repeats(
    clusters: list[tuple[int, int]],
) -> None:
    differences, weights = np.array(clusters, dtype=float).T
    low, high = bootstrap_interval(differences, weights, seed=1, draws=2000)
    assert -1 <= low <= high <= 1
    estimate = differences.sum() / weights.sum()
    assert low - 0.02 <= estimate <= high + 0.02
    assert (low, high) == bootstrap_interval(differences[::-1], weights[::-1], seed=1, draws=2000)


@pytest.mark.parametrize("sources", [3, 12, 400])
def test_interval_agrees_with_one_by_one_resampling(sources: int) -> None:
    """Kinds drawn together, and rare ones singly, against plain index draws."""
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 6, sources)
    differences = np.where(rng.random(sources) < 0.2, rng.integers(-1, 3, sources), 0)
    differences[0] = 1
    drawn = rng.integers(0, sources, (20_000, sources))
    plain = differences[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    got = bootstrap_interval(differences, weights, seed=0, draws=20_000)
    assert got == pytest.approx(np.quantile(plain, [0.025, 0.975]), rel=0.02, abs=0.002)


@pytest.mark.parametrize("sources", [1, 2, 9, 10, 30, 1000])
def test_every_sample_has_as_many_clusters_as_there_are(
    sources: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all are alike but for one, an estimate tells how often that one came."""
    monkeypatch.setattr(statistics, "_CHUNK", 5000)
    values, sizes = np.zeros(sources), np.ones(sources)
    values[0] = 1.0
    rng = np.random.default_rng(1)
    estimates = statistics._resampled_ratios(values, sizes, 20_000, rng)
    times = estimates * sources
    assert len(times) > 19_800
    assert np.allclose(times, np.round(times))
    # Binomial(n, 1/n): mean 1, variance 1 - 1/n.
    assert times.mean() == pytest.approx(1, abs=0.03)
    assert times.var() == pytest.approx(1 - 1 / sources, abs=0.05)


def test_interval_turns_with_the_sign() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 5, 300)
    differences = rng.binomial(weights, 0.2) - rng.binomial(weights, 0.1)
    low, high = bootstrap_interval(differences, weights, seed=1)
    mirrored = bootstrap_interval(-differences, weights, seed=1)
    assert mirrored == pytest.approx((-high, -low), abs=0.003)


def test_interval_covers_the_truth() -> None:
    """95 % intervals of 300 samples of 200 sources hold the true mean."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(300):
        weights = rng.integers(1, 5, 200)
        differences = rng.binomial(weights, 0.15) - rng.binomial(weights, 0.10)
        low, high = bootstrap_interval(differences, weights, seed=0, draws=1000)
        hits += low <= 0.05 <= high
    assert 0.90 <= hits / 300 <= 0.98


def test_an_interval_where_nothing_differs_is_clopper_pearsons() -> None:
    for n in (1, 10, 59, 1000):
        low, high = bootstrap_interval([0.0] * n, [2.0] * n, seed=0)
        expected = binomtest(0, n).proportion_ci(0.95, "exact").high
        assert (low, high) == pytest.approx((-expected, expected))


def test_an_interval_needs_a_source() -> None:
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval([], [], seed=0)
    with pytest.raises(ValueError, match="positive"):
        bootstrap_interval([1.0], [0.0], seed=0)
    with pytest.raises(ValueError, match="2 differences, 1 weights"):
        bootstrap_interval([1.0, 0.0], [1.0], seed=0)


ALPHA, MARGIN = 0.05 / 6, 0.01


def simulated_power(sources: int, discordant: int, effect: float, margin: float) -> float:
    """Share of simulated candidates, worse by ``effect``, that are called a regression."""
    rng = np.random.default_rng(sources + discordant)
    found, runs = 0, 2000
    for _ in range(runs):
        worse = rng.binomial(discordant, 0.5) + rng.poisson(effect * sources)
        better = discordant - rng.binomial(discordant, 0.5)
        p = sign_flip_p(np.repeat([1.0, -1.0], [worse, better]))
        found += p < ALPHA and (worse - better) / sources > margin
    return found / runs


@pytest.mark.parametrize(
    ("sources", "discordant", "margin"),
    [(100, 0, 0.01), (500, 0, 0.01), (300, 12, 0.01), (500, 50, 0.01), (2000, 100, 0.05)],
)
def test_the_effect_said_to_be_detectable_is_found_four_times_in_five(
    sources: int, discordant: int, margin: float
) -> None:
    up = discordant // 2
    differences = [1] * up + [-1] * (discordant - up) + [0] * (sources - discordant)
    effect = minimum_detectable_effect(differences, [1] * sources, alpha=ALPHA, margin=margin)
    assert 0.70 <= simulated_power(sources, discordant, effect, margin) <= 0.92


def test_detectable_effect_grows_with_noise_and_shrinks_with_sources() -> None:
    def effect(
        sources: int, discordant: int, alpha: float = ALPHA, margin: float = MARGIN
    ) -> float:
        differences = [1.0] * discordant + [0.0] * (sources - discordant)
        weights = [1.0] * sources
        return minimum_detectable_effect(differences, weights, alpha=alpha, margin=margin)

    assert effect(500, 50) > effect(500, 5) >= effect(500, 0)
    assert effect(2000, 0) < effect(500, 0)
    assert effect(500, 20, alpha=0.001) > effect(500, 20)
    assert effect(5000, 20, margin=0.1) > 0.1
    assert effect(3, 0) == 1.0
    assert minimum_detectable_effect([], [], alpha=ALPHA, margin=MARGIN) == 1.0


class TestClusteredShares:
    @given(st.integers(1, 500), st.data())
    def test_one_trial_a_cluster_is_wilson(self, n: int, data: st.DataObject) -> None:
        k = data.draw(st.integers(0, n))
        assert wilson_clustered(k, [1] * n) == pytest.approx(wilson(k, n))

    def test_clusters_of_one_size_count_once_each(self) -> None:
        assert wilson_clustered(30, [10] * 12) == pytest.approx(wilson(3, 12))

    @given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.data())
    def test_clusters_never_tell_more_than_their_trials(
        self, sizes: list[int], data: st.DataObject
    ) -> None:
        k = data.draw(st.integers(0, sum(sizes)))
        low, high = wilson_clustered(k, sizes)
        plain = wilson(k, sum(sizes))
        assert 0 <= low <= plain[0] + 1e-9
        assert 1 >= high >= plain[1] - 1e-9

    @pytest.mark.parametrize(("k", "sizes"), [(0, []), (5, [1, 2]), (-1, [3])])
    def test_what_is_no_share(self, k: int, sizes: list[int]) -> None:
        with pytest.raises(ValueError, match=r"at least one trial|expected a share"):
            wilson_clustered(k, sizes)


class TestRateInterval:
    def test_all_or_nothing_is_not_certain(self) -> None:
        bound = 1 - 0.025 ** (1 / 8)
        assert rate_interval([0] * 8, [3] * 8, seed=1) == pytest.approx((0, bound))
        assert rate_interval([3] * 8, [3] * 8, seed=1) == pytest.approx((1 - bound, 1))

    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60))
    def test_it_is_ordered_and_within_bounds(self, pairs: list[tuple[int, int]]) -> None:
        counts = [hit for hit, _ in pairs]
        low, high = rate_interval(counts, [hit + miss + 1 for hit, miss in pairs], seed=1)
        assert 0 <= low <= high <= 1

    def test_it_covers_the_true_rate_of_clustered_groups(self) -> None:
        rng = np.random.default_rng(4)
        covered = 0
        for seed in range(200):
            rates = rng.beta(2, 6, 150)
            sizes = rng.integers(1, 6, 150)
            low, high = rate_interval(rng.binomial(sizes, rates), sizes, seed=seed)
            covered += low <= 0.25 <= high
        assert covered >= 180

    def test_counts_outside_their_sizes(self) -> None:
        with pytest.raises(ValueError, match="to each cluster's size"):
            rate_interval([2], [1], seed=1)


class TestWilson:
    @given(st.integers(1, 5000), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
    def test_it_is_scipys(self, n: int, data: st.DataObject, level: float) -> None:
        k = data.draw(st.integers(0, n))
        expected = binomtest(k, n).proportion_ci(level, method="wilson")
        assert wilson(k, n, level=level) == pytest.approx(tuple(expected), abs=1e-12)

    @given(st.integers(1, 10**9), st.data())
    def test_it_holds_the_share_and_lies_in_range(self, n: int, data: st.DataObject) -> None:
        k = data.draw(st.integers(0, n))
        low, high = wilson(k, n)
        assert 0 <= low <= k / n <= high <= 1

    def test_bounds_are_exact_at_the_ends(self) -> None:
        assert wilson(0, 7)[0] == 0
        assert wilson(7, 7)[1] == 1

    @pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 3), (4, 3)])
    def test_what_is_no_share(self, k: int, n: int) -> None:
        with pytest.raises(ValueError, match="expected a share"):
            wilson(k, n)
