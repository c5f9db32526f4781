"""Statistics against brute force, against other implementations, and by simulation."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest, norm
from scipy.stats import t as student_t

from cases import table
from mt_gate.judging.statistics import (
    PERMUTATIONS,
    SMALLEST_P,
    chance_left,
    difference_interval,
    holm,
    lump_size,
    minimum_detectable_effect,
    provable_margin,
    rate_interval,
    sign_flip_p,
    student_quantile,
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


def plain_holm(p_values: list[float]) -> list[float]:
    """max over j <= i of min(1, (m - j) p_(j)), by the definition."""
    ordered = sorted(p_values)
    m = len(ordered)
    by_p = {
        p: max(min(1.0, (m - j) * ordered[j]) for j in range(i + 1)) for i, p in enumerate(ordered)
    }
    return [by_p[p] for p in p_values]


@given(st.lists(st.floats(1e-12, 1) | st.sampled_from([0.01, 0.5]), max_size=12))
def test_holm_is_its_definition(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(plain_holm(p_values))


CLUSTERS = st.lists(st.tuples(st.integers(-3, 3), st.integers(3, 9)), min_size=1, max_size=60)


@given(CLUSTERS)
def test_an_interval_is_ordered_holds_the_estimate_and_mirrors(
    clusters: list[tuple[int, int]],
) -> None:
    differences, weights = np.array(clusters, dtype=float).T
    low, high = difference_interval(differences, weights)
    assert -1 <= low <= differences.sum() / weights.sum() <= high <= 1
    assert low < high
    assert difference_interval(-differences, weights) == pytest.approx((-high, -low))
    assert (low, high) == pytest.approx(difference_interval(differences[::-1], weights[::-1]))


@pytest.mark.parametrize(
    ("up", "down", "pairs", "expected"),
    # Where no pair differs the bound is z**2 / (n + z**2).
    [(12, 2, 14 + 43, None), (0, 0, 30, (-0.1135, 0.1135))],
)
def test_an_interval_of_single_pairs_is_tangos(
    up: int, down: int, pairs: int, expected: tuple[float, float] | None
) -> None:
    differences = [1] * up + [-1] * down + [0] * (pairs - up - down)
    low, high = difference_interval(differences, [1] * pairs)
    for bound in (low, high):  # where the score test is just significant
        assert abs(score(up, down, pairs, bound)) == pytest.approx(1.959964, abs=1e-6)
    if expected:
        assert (low, high) == pytest.approx(expected, abs=5e-5)


def score(up: int, down: int, pairs: int, difference: float) -> float:
    """The score statistic, its nuisance share found by search instead of by formula."""

    def likelihood(fewer: float) -> float:
        more = fewer + difference
        rest = 1 - fewer - more
        if min(fewer, more, rest) < 0:
            return -math.inf
        terms = ((up, more), (down, fewer), (pairs - up - down, rest))
        if any(count and not chance for count, chance in terms):
            return -math.inf
        return sum(count * math.log(chance) for count, chance in terms if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    best = minimize_scalar(
        lambda x: -likelihood(x), bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    best = max([best, low, high], key=likelihood)
    variance = pairs * (2 * best + difference - difference**2)
    return (up - down - pairs * difference) / math.sqrt(variance)


def test_whole_clusters_that_flip_count_once_each() -> None:
    single = difference_interval([1] * 8 + [0] * 40, [1] * 48)
    whole = difference_interval([5] * 8 + [0] * 40, [5] * 48)
    assert whole == pytest.approx(single)


def test_few_flips_are_not_taken_for_single_ones() -> None:
    differences, weights = [1, 1] + [0] * 48, [4] * 50
    assert 1 < lump_size(np.array(differences), np.array(weights)) < 4
    assert lump_size(np.zeros(50), np.array(weights)) == pytest.approx(4)
    assert lump_size(np.repeat([1, -1, 0], [400, 400, 200]), np.full(1000, 4)) == pytest.approx(
        1, abs=0.02
    )


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sources", [50, 200])
def test_an_interval_covers_the_truth(size: int, whole: bool, sources: int) -> None:
    """95 % intervals of 400 samples; a tenth of the pairs up, a twentieth down."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        if whole:
            differences = size * rng.choice([1, -1, 0], sources, p=[0.1, 0.05, 0.85])
        else:
            up = rng.binomial(size, 0.1, sources)
            differences = up - rng.binomial(size - up, 0.05 / 0.9)
        low, high = difference_interval(differences, [size] * sources)
        hits += low <= 0.05 <= high
    assert 0.92 <= hits / 400 <= 0.985


def test_what_runs_of_a_recipe_add_is_added_to_the_variance() -> None:
    rng = np.random.default_rng(3)
    differences = rng.integers(-1, 2, 2000)
    low, high = difference_interval(differences, [1] * 2000)
    spread = (high - low) / 2 / norm.ppf(0.975)
    wide = difference_interval(differences, [1] * 2000, added=3 * spread**2)
    assert wide[1] - wide[0] == pytest.approx(2 * (high - low), rel=0.01)
    assert difference_interval([1] * 9, [1] * 9, added=4.0) == (-1.0, 1.0)


def test_a_margin_that_can_be_shown_is_shown_nine_times_in_ten() -> None:
    rng = np.random.default_rng(1)
    before = np.repeat([1, -1, 0], [60, 60, 2880])
    margin = provable_margin(before, [1] * 3000)
    shown = 0
    for _ in range(400):
        differences = rng.choice([1, -1, 0], 3000, p=[0.02, 0.02, 0.96])
        shown += difference_interval(differences, [1] * 3000)[1] <= margin
    assert 0.86 <= shown / 400 <= 0.95


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(6, 9)), min_size=1, max_size=80))
def test_a_loss_lets_no_more_margin_pass_as_provable(clusters: list[tuple[int, int]]) -> None:
    """Else a loss would make of a relation one that a strict gate asks nothing of."""
    differences, weights = zip(*clusters, strict=True)
    nothing_worse = [min(0, difference) for difference in differences]
    provable = provable_margin(nothing_worse, weights)
    assert provable_margin(differences, weights) <= provable + 1e-9


@given(st.floats(0.51, 0.999), st.integers(1, 12))
def test_student_is_scipys(level: float, freedom: int) -> None:
    assert student_quantile(level, freedom) == pytest.approx(student_t.ppf(level, freedom))
    assert student_quantile(level, math.inf) == pytest.approx(norm.ppf(level))


THRESHOLD, MARGIN = 2.4, 0.01


def simulated_power(
    sources: int, discordant: int, effect: float, margin: float, lump: int
) -> float:
    """Share of simulated candidates, worse by ``effect``, that are called a regression."""
    rng = np.random.default_rng(sources + discordant)
    result, runs = 0, 1000
    alpha = 1 - NormalDist().cdf(THRESHOLD)
    for _ in range(runs):
        worse = rng.binomial(discordant, 0.5) + rng.poisson(effect * sources)
        better = discordant - rng.binomial(discordant, 0.5)
        p = sign_flip_p(np.repeat([lump, -lump], [worse, better]))
        result += p < alpha and (worse - better) / sources > margin
    return result / runs


@pytest.mark.parametrize(
    ("sources", "discordant", "margin", "lump"),
    table(__file__, "detectable_effects"),
)
def test_the_detectable_effect_is_detected_four_times_in_five(
    sources: int, discordant: int, margin: float, lump: int
) -> None:
    up = discordant // 2
    signs = np.repeat([lump, -lump, 0], [up, discordant - up, sources - discordant])
    effect = minimum_detectable_effect(signs, [lump] * sources, threshold=THRESHOLD, margin=margin)
    assert 0.70 <= simulated_power(sources, discordant, effect, margin, lump) <= 0.92


def test_detectable_effect_grows_with_noise_and_shrinks_with_sources() -> None:
    def effect(
        sources: int, discordant: int, threshold: float = THRESHOLD, margin: float = MARGIN
    ) -> float:
        differences = [1.0] * discordant + [0.0] * (sources - discordant)
        weights = [1.0] * sources
        return minimum_detectable_effect(differences, weights, threshold=threshold, margin=margin)

    assert effect(500, 50) > effect(500, 5) >= effect(500, 0)
    assert effect(2000, 0) < effect(500, 0)
    assert effect(500, 20, threshold=3) > effect(500, 20)
    assert effect(5000, 20, margin=0.1) > 0.1
    assert effect(3, 0) == 1.0
    nothing = minimum_detectable_effect([], [], threshold=THRESHOLD, margin=MARGIN)
    assert nothing == 1.0


@given(
    st.lists(st.integers(-2, 2), min_size=1, max_size=40),
    st.floats(0.05, 0.95),
    st.floats(0.0, 0.2),
    st.floats(0.0, 1.0),
)
def test_the_chance_left_is_one_and_grows_with_what_was_seen(
    differences: list[int], share: float, margin: float, room: float
) -> None:
    def chance(values: list[int]) -> float:
        return chance_left(
            values, [2] * len(values), share=share, threshold=1.8, margin=margin, room=room
        )

    actual = chance(differences)
    assert 0 <= actual <= 1
    better, worse = ([side * abs(value) for value in differences] for side in (-1, 1))
    assert chance(better) <= actual + 1e-9
    assert actual <= chance(worse) + 1e-9


def test_the_chance_left_is_small_only_where_little_is_left() -> None:
    even = [1.0, -1.0] * 20 + [0.0] * 160

    def chance(values: list[float], share: float, room: float = 1.0) -> float:
        return chance_left(
            values, [1] * len(values), share=share, threshold=1.8, margin=0.01, room=room
        )

    chances = [chance(even, share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.5 > 0.1 > chances[-1]
    assert chance([*[1.0] * 40, *even], 0.5) > 0.99
    assert chance([0.0] * 50, 0.5, room=0.0) == 0.0


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


class TestRateInterval:
    def test_all_or_nothing_is_not_certain(self) -> None:
        """Eight clusters that agree within are worth eight trials."""
        assert rate_interval([0] * 8, [3] * 8) == pytest.approx(wilson(0, 8))
        assert rate_interval([3] * 8, [3] * 8) == pytest.approx(wilson(8, 8))

    def test_single_trials_are_wilsons(self) -> None:
        assert rate_interval([1] * 30 + [0] * 70, [1] * 100) == pytest.approx(wilson(30, 100))

    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60))
    def test_it_is_ordered_and_within_bounds(self, pairs: list[tuple[int, int]]) -> None:
        counts = [hit for hit, _ in pairs]
        low, high = rate_interval(counts, [hit + miss + 1 for hit, miss in pairs])
        assert 0 <= low <= high <= 1

    def test_it_covers_the_true_rate_of_clustered_groups(self) -> None:
        rng = np.random.default_rng(4)
        covered = 0
        for _ in range(200):
            rates = rng.beta(2, 6, 150)
            sizes = rng.integers(1, 6, 150)
            low, high = rate_interval(rng.binomial(sizes, rates), sizes)
            covered += low <= 0.25 <= high
        assert covered >= 180


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


def test_no_sampled_p_is_below_one_of_the_permutations_and_the_run() -> None:
    assert sign_flip_p([0.1 + at * 0.37 for at in range(60)]) == 1 / (1 + PERMUTATIONS)


def test_where_nothing_differs_as_many_flips_are_needed_as_an_exact_test_needs() -> None:
    """Five flips to one side are rarer than one in twenty; a mean of 6.72 gives as many 80 %."""
    threshold = NormalDist().inv_cdf(0.95)
    actual = minimum_detectable_effect([0.0] * 1000, [1.0] * 1000, threshold=threshold, margin=0.0)
    assert actual * 1000 == pytest.approx(6.7210, abs=0.001)
