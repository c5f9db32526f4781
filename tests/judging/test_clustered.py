"""The tests of a run, from paired sources."""

from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from judging.made import DEFAULTS, bound, rows
from mt_gate.judging.clustered import (
    MIN_CLUSTERS,
    SEEDS,
    ClusteredTest,
    Pairing,
    clustered_test,
    clustered_tests,
    pair,
    pool,
    side_by_side,
)
from mt_gate.judging.clustered import tested_at_looks as enough_at_looks
from mt_gate.judging.family import look_of
from mt_gate.judging.findings import significance_finding
from mt_gate.judging.measuring import Measured
from mt_gate.judging.statistics import sign_flip_p
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import ComparisonFigures, Decision

Floats = NDArray[np.float64]


def pairing(violations: Sequence[Sequence[float]], weights: Sequence[float] = ()) -> Pairing:
    """Sources in order, each with its violations by run, the candidate's first."""
    rows = np.array(violations, dtype=np.float64).reshape(len(violations), -1 if violations else 2)
    return Pairing(
        sources=tuple(f"s{i:03d}" for i in range(len(rows))),
        violations=rows,
        weights=np.array(weights or np.maximum(1.0, rows.max(axis=1)), dtype=np.float64),
    )


def noisy(clusters: int, runs: int, seed: int, rate: float = 0.3) -> Pairing:
    rng = np.random.default_rng(seed)
    return pairing((rng.random((clusters, runs)) < rate).astype(float).tolist())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=MIN_CLUSTERS, max_size=30))
def test_one_relation_and_one_run_is_the_sign_flip_test(differences: list[int]) -> None:
    one = pairing([[max(0, d), max(0, -d)] for d in differences])
    relation, pooled = clustered_tests([one], pool([one]), DEFAULTS)
    expected = sign_flip_p([float(d) for d in differences])
    assert relation == pooled == clustered_test(one, DEFAULTS)
    if sum(differences) >= 0:
        assert relation.p_value == relation.p_adjusted == pytest.approx(expected)


def test_the_pool_of_one_relation_is_not_tested_twice() -> None:
    """Next to relations without a source, too."""
    one = pairing([[1, 0]] * 6 + [[0, 1]] + [[0, 0]] * 20)
    nothing = pairing([])
    tests = clustered_tests([nothing, one, nothing], pool([nothing, one, nothing]), DEFAULTS)
    assert tests[1] == tests[-1]
    assert tests[1].p_adjusted == pytest.approx(8 / 128)
    assert [(tests[i].p_value, tests[i].delta) for i in (0, 2)] == [(None, 0.0)] * 2


def test_few_sources_are_not_compared() -> None:
    few, enough = pairing([[1, 0]] * (MIN_CLUSTERS - 1)), pairing([[1, 0]] * MIN_CLUSTERS)
    assert clustered_test(few, DEFAULTS).p_value is None
    assert clustered_test(few, DEFAULTS).delta == 1.0
    assert clustered_test(enough, DEFAULTS).p_value == pytest.approx(2**-MIN_CLUSTERS)


@pytest.mark.parametrize("runs", [2, 4])
def test_order_makes_no_difference(runs: int) -> None:
    """Neither of relations nor of sources: not in a digit."""
    relations = [noisy(60, runs, seed) for seed in range(4)]
    tests = clustered_tests(relations, pool(relations), DEFAULTS)
    backwards = relations[::-1]
    *each, pooled = clustered_tests(backwards, pool(backwards), DEFAULTS)
    assert [*each[::-1], pooled] == tests


PROGRAM = """
from judging.made import DEFAULTS, rows
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
def run(*patterns):
    made = (rows(of, f"r{i}", per_source=2) for i, of in enumerate(patterns))
    return verdicts_from_rows(row for of in made for row in of)
now, before = run("vssvs" * 20, "vsv" * 30, "svsss" * 18), run("vvsss" * 20, "ssv" * 30, "ss" * 45)
outcome = compare(now, [before, run("svs" * 33, "vvs" * 30, "sv" * 45)], DEFAULTS)
print([*outcome.relations.values(), outcome.overall])
"""


def test_the_seed_of_hashes_makes_no_difference() -> None:
    """Sets of ids come in another order in every process."""
    answers = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in "123"
    }
    assert len(answers) == 1


def test_sources_for_which_no_run_differs_are_left_out() -> None:
    one = pairing([[1, 0, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    two = pairing([[0, 0, 0], [1, 1, 1], [2, 2, 2], [0, 3, 0]])
    _, actual = side_by_side([one, two])
    assert actual[:, :, 0].tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert actual[:, :, 1].tolist() == [[0, 0, 0], [0, 0, 0], [0, 3, 0]]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_runs_of_one_recipe_are_never_narrower_than_sources(seed: int, runs: int) -> None:
    test = clustered_test(noisy(40, runs, seed), DEFAULTS)
    assert test.added >= 0
    assert clustered_test(noisy(40, 2, seed), DEFAULTS).added == 0


def test_runs_that_differ_everywhere_widen_the_test() -> None:
    """One seed is 15 points worse than another: a candidate 12 points worse is no evidence."""
    rng = np.random.default_rng(5)
    rates = (0.27, 0.05, 0.15, 0.25)
    seeds = pairing((rng.random((600, 4)) < rates).astype(float).tolist())
    alike = pairing((rng.random((600, 4)) < (0.27, 0.15, 0.15, 0.15)).astype(float).tolist())
    by_sources = 0.02
    assert math.sqrt(clustered_test(seeds, DEFAULTS).added) > 2 * by_sources
    assert clustered_test(seeds, DEFAULTS).p_adjusted > 0.05
    assert math.sqrt(clustered_test(alike, DEFAULTS).added) < 2 * by_sources
    assert clustered_test(alike, DEFAULTS).p_adjusted < 0.05


@pytest.mark.parametrize("runs", [3, 4])
def test_the_order_of_the_baselines_runs_makes_no_difference(runs: int) -> None:
    first = noisy(50, runs, 2)
    other = pairing(first.violations[:, [0, *range(runs - 1, 0, -1)]].tolist())
    one, two = (clustered_test(of, DEFAULTS) for of in (first, other))
    assert (one.p_value, one.p_adjusted, one.p_better) == (
        two.p_value,
        two.p_adjusted,
        two.p_better,
    )
    assert one.added == pytest.approx(two.added)


def test_exchanged_runs_fail_seldom() -> None:
    """Four runs alike: alpha is kept, and not by a test that is deaf."""
    rng = np.random.default_rng(8)
    actual = []
    for _ in range(150):
        runs = pairing(rng.binomial(3, 0.3, (40, 4)).astype(float).tolist(), [3.0] * 40)
        actual.append(clustered_test(runs, DEFAULTS).p_adjusted < 0.05)
    assert 0.0 < np.mean(actual) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 150)


def moderated(one: Pairing, number: int, candidates: int = 1) -> float:
    """Return the variance between trainings of a difference, by the formula of moderated t."""
    baseline = one.violations[:, candidates:]
    rate = baseline.sum() / number / one.pairs
    by_runs = 0.0
    if number > 1:
        by_sources = sum(np.var(source, ddof=1) for source in baseline)
        by_runs = (np.var(baseline.sum(axis=0), ddof=1) - by_sources) / one.pairs**2
    known, freedom = number - 1, SEEDS.freedom + number - 1
    variance = (
        SEEDS.freedom * SEEDS.scale * rate * (1 - rate) + known * max(0.0, by_runs)
    ) / freedom
    few = scipy.stats.t.ppf(0.975, freedom) / scipy.stats.norm.ppf(0.975)
    return float((1 / candidates + 1 / number) * variance * few**2)


def test_a_difference_is_widened_by_what_trainings_and_the_runs_show() -> None:
    rows = [[1, 0, 1], [2, 1, 1], [0, 0, 2], [1, 0, 0], [3, 1, 2], [0, 1, 3]] * 5
    one = pairing(rows, [9.0] * 30)
    assert np.var(one.baseline.sum(axis=0)) > one.baseline.var(axis=1, ddof=1).sum()
    assert clustered_test(one, DEFAULTS).added == pytest.approx(moderated(one, 2))


RETRAINED = msgspec.structs.replace(DEFAULTS, retrained=True)


def test_one_run_is_widened_by_trainings_if_the_candidate_was_retrained() -> None:
    one = noisy(200, 2, 4)
    changed, retrained = clustered_test(one, DEFAULTS), clustered_test(one, RETRAINED)
    assert changed.added == 0.0
    assert retrained.added == pytest.approx(moderated(one, 1))
    assert (retrained.p_value or 0) > (changed.p_value or 0)


def test_several_trainings_of_the_candidate_count_as_their_mean() -> None:
    """The same mean as one run is tested with less variance between trainings."""
    rng = np.random.default_rng(6)
    runs = rng.binomial(3, 0.3, (200, 6)).astype(float)
    several = dataclasses.replace(pairing(runs.tolist(), [3.0] * 200), candidates=3)
    test = clustered_test(several, RETRAINED)
    assert test.delta == pytest.approx((runs[:, :3].mean() - runs[:, 3:].mean()) / 3)
    assert test.added == pytest.approx(moderated(several, 3, 3))
    means = np.stack([runs[:, :3].mean(axis=1), *runs[:, 3:].T], axis=1)
    one = clustered_test(pairing(means.tolist(), [3.0] * 200), RETRAINED)
    assert one.delta == pytest.approx(test.delta)
    assert one.added == pytest.approx(2 * test.added)


def test_recipes_alike_fail_seldom() -> None:
    """Three trainings of each side, which differ as much as other trainings do."""
    rng = np.random.default_rng(9)
    failed = []
    for _ in range(150):
        rates = np.clip(0.2 + rng.normal(0, math.sqrt(SEEDS.scale * 0.16), 6), 0, 1)
        runs = rng.binomial(3, rates, (300, 6)).astype(float).tolist()
        several = dataclasses.replace(pairing(runs, [3.0] * 300), candidates=3)
        failed.append(clustered_test(several, RETRAINED).p_adjusted < 0.05)
    assert np.mean(failed) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 150)
    worse = rng.binomial(3, [0.3] * 3 + [0.2] * 3, (300, 6)).astype(float).tolist()
    lost = dataclasses.replace(pairing(worse, [3.0] * 300), candidates=3)
    assert clustered_test(lost, RETRAINED).p_adjusted < 0.05


def test_what_one_relation_does_not_show_of_a_recipe_others_do() -> None:
    """In the mean of all, each as much as it is known; more in one that shows more."""
    steady = pairing([[0, 1, 0], [1, 0, 1]] * 20)
    uneven = pairing([[0, 0, 1]] * 10 + [[1, 1, 1]] * 30)
    alone, with_other = (
        clustered_tests(relations, pool(relations), DEFAULTS)[0].added
        for relations in ([steady], [steady, uneven])
    )
    assert alone > 0.0  # from other trainings
    assert with_other > alone
    both = clustered_tests([steady, uneven], pool([steady, uneven]), DEFAULTS)
    assert both[1].added > with_other


@pytest.mark.parametrize("lost", [0, 1, 12])
def test_what_is_added_hangs_on_no_candidate(lost: int) -> None:
    """Else a loss where the baseline's runs agree would widen what a strict gate can be shown."""
    uneven = pairing([[0, 0, 1]] * 10 + [[1, 1, 1]] * 30)
    agreed = pairing([[1, 0, 0]] * lost + [[0, 0, 0]] * (40 - lost))
    relations = [agreed, uneven]
    added = clustered_tests(relations, pool(relations), DEFAULTS)[0].added
    still = [pairing([[0, 0, 0]] * 40), uneven]
    assert added == clustered_tests(still, pool(still), DEFAULTS)[0].added > 0


def test_a_relation_of_its_own_alpha_is_tested_by_itself_at_a_look_too() -> None:
    one, other = noisy(200, 2, 1), noisy(200, 2, 2)
    own = msgspec.structs.replace(DEFAULTS, alpha=0.2)
    tests = clustered_tests([one, other], pool([one, other]), DEFAULTS, {0: own}, look=1)
    assert tests[0] == clustered_test(one, own, 1)
    assert tests[0] != clustered_test(one, own)
    assert math.isfinite(tests[0].final)
    assert not math.isfinite(clustered_test(one, own).final)


def test_what_is_tested_at_a_look_has_sources_enough_by_then() -> None:
    of = noisy(40, 2, 1)
    looks = sorted(look_of(source) for source in of.sources)
    first = looks[MIN_CLUSTERS - 1]
    actual = enough_at_looks([of, of, pairing([])], {1}, first + 1)
    assert actual == [[now >= first, False, False] for now in range(1, first + 2)]


def test_the_other_side_is_as_exact() -> None:
    better = pairing([[0, 1]] * 6 + [[1, 0]] + [[0, 0]] * 20)
    assert clustered_test(better, DEFAULTS).p_better == pytest.approx(8 / 128)


@pytest.mark.parametrize(("delta", "beyond"), [(0.02, True), (0.01, False), (0.005, False)])
def test_what_counts_on_either_side_is_beyond_the_margin(delta: float, beyond: bool) -> None:
    worse = ClusteredTest(delta=delta, p_adjusted=0.001)
    better = ClusteredTest(delta=-delta, p_value=0.9, p_better=0.001)
    assert DEFAULTS.margin == 0.01
    assert (worse.regressed(DEFAULTS), better.regressed(DEFAULTS)) == (beyond, False)
    none = dict.fromkeys(ComparisonFigures.__struct_fields__)
    counts = {"pairs": 100, "clusters": 100, "new_violations": 0, "fixed_violations": 2}
    figures = ComparisonFigures(**none | counts | {"delta": -delta, "p_value": 0.9, "unstable": 0})
    measured = Measured(
        pairing=pairing([]),
        test=better,
        stable=better,
        figures=figures,
        settings=DEFAULTS,
        plain_margin=DEFAULTS.margin,
    )
    assert (significance_finding(measured).decision is Decision.IMPROVED) is beyond


def test_groups_are_paired_by_id_and_added_up_by_source() -> None:
    new = verdicts_from_rows(rows("vvsn", per_source=2))["r"]
    old = verdicts_from_rows(rows("svvs", per_source=2))["r"]
    paired = pair(new, [old])
    assert (paired.new, paired.fixed, paired.still) == ({"r:0"}, {"r:2"}, {"r:1"})
    assert paired.sources == ("s0", "s1")
    assert paired.violations.tolist() == [[2.0, 1.0], [0.0, 1.0]]
    assert (paired.differences.tolist(), paired.weights.tolist()) == ([1.0, -1.0], [2.0, 1.0])
    assert (paired.unstable, paired.excusable) == (0, False)


def test_bound_groups_are_paired_by_source_and_their_rates() -> None:
    new = verdicts_from_rows(bound(["vs", "s", ""], run="x"))["b"]
    old = verdicts_from_rows(bound(["s", "vs", "v"], run="y"))["b"]
    paired = pair(new, [old])
    assert paired.differences.tolist() == [0.5, -0.5]
    assert paired.weights.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("unstable", "excusable"), [(0, False), (1, True), (2, True), (3, False)])
@pytest.mark.parametrize("shared", [0, 1])
def test_few_unstable_pairs_of_any_run_are_excusable(
    unstable: int, excusable: bool, shared: int
) -> None:
    pattern = "V" * unstable + "s" * (100 - unstable)
    noisy, stable = (verdicts_from_rows(rows(p))["r"] for p in (pattern, "s" * 100))
    baselines = [stable, noisy, stable] if shared else [stable]
    assert pair(noisy, baselines).unstable == unstable
    assert pair(noisy, baselines).excusable is excusable
    assert pair(stable, [noisy]).excusable is excusable


def test_nothing_is_excusable_where_a_run_does_not_say_what_is_unstable() -> None:
    new = verdicts_from_rows(rows("V" + "s" * 99))["r"]
    silent = dataclasses.replace(new, unstable=None)
    for paired in (pair(new, [new, silent]), pool([pair(new, [new]), pair(new, [silent])])):
        assert (paired.unstable_known, paired.excusable) == (False, False)
    assert pair(new, [silent]).unstable == 1


def test_runs_of_a_baseline_are_averaged() -> None:
    new, *old = (verdicts_from_rows(rows(p))["r"] for p in ("vvss", "vsss", "vssv", "nsss"))
    paired = pair(new, old)
    assert paired.sources == ("s1", "s2", "s3")  # applicable in all
    assert paired.differences.tolist() == pytest.approx([1.0, 0.0, -1 / 3])
    assert (paired.new, paired.fixed, paired.still) == ({"r:1"}, set(), set())
    most = pair(new, old[:2])
    assert (most.new, most.still) == ({"r:1"}, {"r:0"})


def test_relations_side_by_side_keep_their_sources() -> None:
    one = pair(verdicts_from_rows(rows("vs"))["r"], [verdicts_from_rows(rows("ss"))["r"]])
    two = pair(verdicts_from_rows(rows("svv"))["r"], [verdicts_from_rows(rows("svs"))["r"]])
    sources, cube = side_by_side([one, two])
    assert sources == ("s0", "s2")
    assert cube.shape == (2, 2, 2)  # of s1 no run differs
    assert cube[:, 0, :].tolist() == [[1, 0], [0, 1]]


def test_pairing_needs_no_sources_for_two_baselines() -> None:
    new = RelationVerdicts(id="r", violated=frozenset({"r:0"}), satisfied=frozenset({"r:1"}))
    old = RelationVerdicts(id="r", violated=frozenset({"r:1"}), satisfied=frozenset({"r:0"}))
    moved = pair(new, [old])
    assert (moved.new, moved.fixed) == ({"r:0"}, {"r:1"})
