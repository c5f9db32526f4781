"""The decisions, each from rows whose outcome is known beforehand."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from judging.made import DEFAULTS, bound, moves_of, rows
from mt_gate.judging import family
from mt_gate.judging.clustered import MOST_EXCUSED
from mt_gate.judging.comparison import Outcome, RunFacts, compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import Change, Comparison, Decision, GateVerdict, GroupRow, Rule
from mt_gate.results.rules import MIN_CLUSTERS


def gate(
    candidate: Iterable[GroupRow],
    *baselines: Iterable[GroupRow],
    same: bool = False,
    **changed: object,
) -> Outcome:
    chosen = msgspec.structs.replace(DEFAULTS, **changed)
    before = [verdicts_from_rows(baseline) for baseline in baselines]
    return compare(verdicts_from_rows(candidate), before, chosen, RunFacts(same=same))


def of(outcome: Outcome, relation: str = "r") -> Comparison:
    return outcome.relations[relation]


def test_a_run_against_itself_passes_with_its_interval() -> None:
    run = rows("v" * 20 + "s" * 180)
    outcome = gate(run, run)
    relation = of(outcome)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    assert relation.decision is Decision.PASS
    assert (relation.delta, relation.p_value, relation.p_adjusted) == (0.0, 1.0, 1.0)
    assert (relation.pairs, relation.clusters) == (200, 200)
    assert (relation.new_violations, relation.fixed_violations) == (0, 0)
    bound = 1.959964**2 / (200 + 1.959964**2)
    assert relation.ci95 == pytest.approx((-bound, bound))
    assert relation.baseline_rate == relation.candidate_rate == pytest.approx(0.1)
    assert relation.minimum_detectable_effect is not None
    assert 0 < relation.minimum_detectable_effect < 0.1
    assert set(moves_of(outcome).values()) == {Change.STILL, Change.OK}
    assert "80% power" in outcome.reasons[0]
    assert "equal" not in " ".join(outcome.reasons)


def test_a_significant_rise_is_a_regression() -> None:
    outcome = gate(rows("v" * 30 + "s" * 170), rows("v" * 10 + "s" * 190))
    relation = of(outcome)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.REGRESSION, 1)
    assert relation.decision is Decision.REGRESSION
    assert relation.delta == pytest.approx(0.1)
    assert relation.p_value == pytest.approx(2**-20)
    assert relation.p_adjusted == relation.p_value  # its pool is the very same test
    assert (relation.new_violations, relation.fixed_violations) == (20, 0)
    assert relation.baseline_rate == pytest.approx(0.05)
    assert relation.candidate_rate == pytest.approx(0.15)
    assert (relation.rule, relation.fails) == (Rule.RISE, True)
    assert outcome.reasons[0].startswith(
        "r: violation rate rose: 5.0% → 15.0%, +10.0 pp (95% CI 6.6 to 14.9), p < 0.001"
    )
    assert [moves_of(outcome)[f"r:{i}"] for i in (9, 10, 29, 30)] == ["still", "new", "new", "ok"]


def test_an_improvement_does_not_hide_a_regression() -> None:
    better, worse = rows("s" * 100, "a"), rows("v" * 20 + "s" * 80, "b")
    before = rows("v" * 20 + "s" * 80, "a") + rows("s" * 100, "b")
    outcome = gate(better + worse, before)
    assert of(outcome, "a").decision is Decision.IMPROVED
    assert of(outcome, "b").decision is Decision.REGRESSION
    assert outcome.verdict is GateVerdict.REGRESSION
    assert outcome.reasons[0].startswith("b:")


def test_many_small_losses_add_up_in_the_pool() -> None:
    """Four relations lose 3 of 60 each (p = 1/8), together 12 (p = 1/4096)."""
    candidate, baseline = [], []
    for i, relation in enumerate("abcd"):
        candidate += rows("s" * 3 * i + "v" * 3 + "s" * (57 - 3 * i), relation)
        baseline += rows("s" * 60, relation)
    outcome = gate(candidate, baseline)
    assert {c.decision for c in outcome.relations.values()} == {Decision.PASS}
    assert outcome.overall.decision is Decision.REGRESSION
    assert outcome.overall.p_value == pytest.approx(2**-12)
    assert (outcome.overall.pairs, outcome.overall.clusters) == (240, 60)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.REGRESSION, 1)
    assert outcome.reasons[0].startswith("overall: violation rate rose")


def test_a_source_with_many_groups_is_one_piece_of_evidence() -> None:
    """20 groups flip, all of one source: certain of nothing."""
    candidate, baseline = rows("v" * 20 + "s" * 180, per_source=20), rows("s" * 200, per_source=20)
    relation = of(gate(candidate, baseline))
    assert (relation.pairs, relation.clusters) == (200, 10)
    assert relation.p_value == pytest.approx(0.5)
    assert relation.decision is Decision.PASS


def test_regression_comes_before_collapse() -> None:
    candidate = rows("n" * 100, "a") + rows("v" * 30 + "s" * 70, "b")
    outcome = gate(candidate, rows("s" * 100, "a") + rows("s" * 100, "b"))
    assert outcome.verdict is GateVerdict.REGRESSION
    assert of(outcome, "a").decision is Decision.COLLAPSE


@pytest.mark.parametrize(
    ("candidate", "decision"),
    [
        ("n" * 20 + "s" * 180, Decision.PASS),  # a fall of 0.10 is not more than 0.10
        ("n" * 21 + "s" * 179, Decision.COLLAPSE),
    ],
)
def test_a_collapse_is_more_than_the_loss_allowed(candidate: str, decision: Decision) -> None:
    assert of(gate(rows(candidate), rows("s" * 200))).decision is decision


def test_too_few_sources_are_not_compared() -> None:
    few = MIN_CLUSTERS - 1
    candidate = rows("v" * few, "a") + rows("s" * 50, "b")
    outcome = gate(candidate, rows("s" * few, "a") + rows("s" * 50, "b"), margin=0.2)
    relation = of(outcome, "a")
    assert relation.decision is Decision.NOT_COMPARABLE
    assert (relation.delta, relation.ci95, relation.p_value) == (None, None, None)
    assert relation.minimum_detectable_effect is None
    assert (relation.pairs, relation.new_violations) == (few, few)
    assert f"{few} original texts in both runs, minimum {MIN_CLUSTERS}" in relation.reason
    assert outcome.verdict is GateVerdict.PASS
    assert any(reason.startswith("a: not enough data") for reason in outcome.reasons)


def test_nothing_comparable_is_never_a_pass() -> None:
    outcome = gate(rows("s" * 9), rows("s" * 9))
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.CANNOT_JUDGE, 3)
    assert outcome.reasons[0].startswith("no verdict")
    assert gate([], []).exit_code == 3
    assert gate(rows("n" * 90), rows("n" * 90)).exit_code == 3
    assert gate(rows("s" * 90), []).exit_code == 3
    assert gate(rows("s" * 9), rows("s" * 9), strict=True).exit_code == 3


def test_strict_passes_the_very_same_checkpoint() -> None:
    run = rows("v" * 3 + "s" * 27, "a") + rows("s" * 5, "b")
    assert gate(run, run, strict=True).exit_code == 1
    outcome = gate(run, run, strict=True, same=True)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)


def test_strict_asks_nothing_of_relations_too_small_to_show_anything() -> None:
    run = rows("s" * 1000, "a") + rows("s" * 100, "b") + rows("s" * 5, "c")
    outcome = gate(run, run, strict=True)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    assert of(outcome, "b").decision is Decision.PASS
    assert outcome.reasons[-1].startswith("strict mode skipped relations")
    assert outcome.reasons[-1].endswith(": b, c")


@pytest.mark.parametrize("relations", [1, 2, 6])
def test_the_detectable_effect_is_detected_4_times_in_5(relations: int) -> None:
    """Among others a relation has half of alpha, which a run without a change does not show."""
    groups, names = 200, [f"r{i}" for i in range(relations)]
    before = [row for name in names for row in rows("s" * groups, name)]
    effect = gate(before, before).relations["r0"].minimum_detectable_effect
    assert effect is not None

    def fails(more: int) -> bool:
        worse = rows("v" * more + "s" * (groups - more), "r0")
        return gate([*worse, *before[groups:]], before).verdict is GateVerdict.REGRESSION

    enough = next(more for more in range(1, 20) if fails(more))
    assert 0.8 <= binom.sf(enough - 1, groups, effect) < 0.83


@pytest.mark.parametrize("runs", [1, 2, 3, 6, 7])
def test_a_rise_that_equals_the_margin_is_within_it(runs: int) -> None:
    """Means over several runs miss it by a last digit."""
    before = [rows("v" * (20 + i % 2) + "s" * (1000 - 20 - i % 2)) for i in range(runs)]
    rise = 30 / 1000
    now = rows("v" * 50 + "s" * 950)
    mean = sum(20 + i % 2 for i in range(runs)) / runs / 1000
    margin = rise + 20 / 1000 - mean
    delta = gate(now, *before, margin=margin).overall.delta
    assert delta == pytest.approx(margin, abs=1e-12)
    for near in (margin, delta - 1e-12, delta + 1e-12):
        assert gate(now, *before, margin=near).verdict is GateVerdict.PASS
    assert gate(now, *before, margin=margin - 1e-6).verdict is GateVerdict.REGRESSION


def test_a_limit_that_cannot_be_checked_is_inconclusive() -> None:
    run = rows("s" * 100) + rows("n" * 20, "empty")
    for relation in ("empty", "unheard-of"):
        outcome = gate(run, run, max_violation_rate={relation: 0.5})
        assert outcome.verdict is GateVerdict.INCONCLUSIVE
        assert any(relation in reason for reason in outcome.reasons)
    assert gate(run, run, max_violation_rate={"*": 0.5}).verdict is GateVerdict.PASS


@pytest.mark.parametrize(
    ("group", "verdict", "said"),
    [
        ("r:0", GateVerdict.REGRESSION, "r:0 is violated"),
        ("r:1", GateVerdict.REGRESSION, "r:1 is violated"),  # numerical noise is no excuse
        ("r:2", GateVerdict.INCONCLUSIVE, "r:2 could not be tested"),
        ("r:3", GateVerdict.PASS, None),
        ("r:999", GateVerdict.INCONCLUSIVE, "r:999 is not in this run"),
    ],
)
def test_must_hold(group: str, verdict: GateVerdict, said: str | None) -> None:
    run = rows("vVn" + "s" * 97)
    outcome = gate(run, run, must_hold=(group,))
    assert outcome.verdict is verdict
    assert said is None or any(said in reason for reason in outcome.reasons)


def test_a_baseline_that_does_not_say_what_is_unstable_excuses_nothing() -> None:
    candidate = verdicts_from_rows(rows("V" * 7 + "v" * 5 + "s" * 588))
    baseline = verdicts_from_rows(rows("s" * 600))
    silent = {"r": dataclasses.replace(baseline["r"], unstable=None)}
    outcome = compare(candidate, [silent], DEFAULTS)
    assert outcome.verdict is GateVerdict.REGRESSION
    assert of(outcome).reason.endswith(
        "7 cases (1.2%) could flip by numerical noise, but the baseline does not list its unstable "
        "cases. Record it again"
    )
    assert compare(verdicts_from_rows(rows("s" * 600)), [silent], DEFAULTS).exit_code == 0


def test_no_limit_is_passed_by_noise() -> None:
    run = rows("V" * 10 + "v" * 20 + "s" * 70)
    assert gate(run, run, max_violation_rate={"r": 0.25}).verdict is GateVerdict.REGRESSION
    assert gate(run, run, max_violation_rate={"r": 0.3}).verdict is GateVerdict.PASS


CODED = st.lists(st.sampled_from("vs"), min_size=MIN_CLUSTERS, max_size=60)


@settings(max_examples=25)
@given(st.lists(st.tuples(CODED, CODED), min_size=1, max_size=3), st.randoms())
def test_noise_never_excuses_more_than_its_share(
    relations: list[tuple[list[str], list[str]]], chosen: random.Random
) -> None:
    """What was a regression and is none stays one with all but that share of pairs counted."""
    stable: list[GroupRow] = []
    noisy: list[GroupRow] = []
    baseline: list[GroupRow] = []
    for i, (now, before) in enumerate(relations):
        size = min(len(now), len(before))
        doubtful = {*chosen.sample(range(size), chosen.randrange(size + 1))}
        marked = (c.upper() if j in doubtful else c for j, c in enumerate(now[:size]))
        stable += rows("".join(now[:size]), f"r{i}")
        noisy += rows("".join(marked), f"r{i}")
        baseline += rows("".join(before[:size]), f"r{i}")
    without, actual = gate(stable, baseline), gate(noisy, baseline)
    for relation, comparison in actual.relations.items():
        before_noise = without.relations[relation].decision
        excused = before_noise is not comparison.decision
        assert not excused or before_noise is Decision.REGRESSION
        assert not excused or comparison.decision is Decision.INCONCLUSIVE
        assert not excused or comparison.unstable <= max(1, MOST_EXCUSED * comparison.pairs)


def test_bound_relations_are_paired_by_source() -> None:
    candidate = bound(["vvs", "sv", "s", ""] * 10, run="x")
    baseline = bound(["s", "ss", "v", "v"] * 10, run="y")
    outcome = gate(candidate, baseline)
    relation = of(outcome, "b")
    assert (relation.pairs, relation.clusters) == (30, 30)
    assert relation.delta == pytest.approx((2 / 3 + 1 / 2 - 1) / 3)
    assert relation.baseline_rate == pytest.approx(1 / 3)
    assert relation.applicability is not None
    assert relation.applicability.applicable.baseline == 1.0
    assert relation.applicability.applicable.candidate == 0.75
    assert relation.applicability.only_baseline == 10
    assert (relation.new_violations, relation.fixed_violations) == (30, 10)
    assert moves_of(outcome)["b:0:0:"] is Change.NEW
    assert moves_of(outcome)["b:0:2:x"] is Change.OK
    assert moves_of(outcome)["b:2:0:"] is Change.FIXED
    assert "b:3:0:" not in moves_of(outcome)


def test_a_bound_relation_can_regress_and_noise_is_left_out() -> None:
    baseline = bound(["sss"] * 50)
    assert gate(bound(["vvs"] * 20 + ["sss"] * 30), baseline).verdict is GateVerdict.REGRESSION
    noisy = gate(bound(["VVs"] * 20 + ["sss"] * 30), baseline)
    assert of(noisy, "b").unstable == 20
    assert noisy.verdict is GateVerdict.REGRESSION
    few = gate(bound(["VVs"] + ["vvs"] * 4 + ["sss"] * 45), baseline)
    assert few.verdict is GateVerdict.INCONCLUSIVE


def test_static_and_bound_differences_are_pooled_by_source() -> None:
    candidate = rows("vv" + "s" * 38, per_source=2) + bound(["vs"] + ["ss"] * 19)
    baseline = rows("s" * 40, per_source=2) + bound(["ss"] * 20)
    overall = gate(candidate, baseline).overall
    assert (overall.pairs, overall.clusters) == (60, 20)
    assert overall.delta == pytest.approx(2.5 / 60)
    assert overall.p_value == pytest.approx(0.5, abs=0.01)


def test_a_whole_run_that_misses_groups_of_its_baseline_is_inconclusive() -> None:
    candidate, baseline = rows("s" * 90), rows("s" * 100) + rows("s" * 20, "gone")
    outcome = gate(candidate, baseline)
    assert outcome.verdict is GateVerdict.INCONCLUSIVE
    assert any(reason.startswith("30 cases of the base") for reason in outcome.reasons)
    assert gate(candidate, baseline, complete=False).verdict is GateVerdict.PASS


def test_the_order_of_rows_changes_nothing() -> None:
    candidate = rows("vsnvss" * 30, per_source=3) + bound(["vs", "sss", "v"] * 20)
    baseline = rows("svvsss" * 30, per_source=3) + bound(["ss", "vss", ""] * 20)
    one = gate(candidate, baseline)
    other = gate(candidate[::-1], baseline[::-1])
    assert dict(one.relations) == dict(other.relations)
    assert one.overall == other.overall


def suite_of_coins(rng: np.random.Generator) -> list[GroupRow]:
    """Five relations on 40 shared sources, two groups each, all violated 1 time in 5."""
    codes = np.where(rng.random((5, 80)) < 0.2, "v", "s")
    return [row for i in range(5) for row in rows("".join(codes[i]), f"r{i}", per_source=2)]


@pytest.mark.slow
def test_equal_checkpoints_raise_few_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 pairs of checkpoints with equal rates: at most alpha fail, with no margin at all."""
    monkeypatch.setattr(family, "DRAWS", 2_000)
    rng = np.random.default_rng(2)
    outcomes = [gate(suite_of_coins(rng), suite_of_coins(rng), margin=0.0) for _ in range(300)]
    alarms = sum(outcome.exit_code != 0 for outcome in outcomes)
    assert alarms / 300 <= 0.05 + 2 * (0.05 * 0.95 / 300) ** 0.5


def test_many_right_answers_do_not_hide_a_rise_over_all_relations() -> None:
    """Four relations that rise a little are clear together, whatever many right answers show."""
    names = [f"text/{name}" for name in "abcd"]
    before = [row for name in names for row in rows("s" * 100, name)]
    rises = ["s" * 4 * i + "v" * 4 + "s" * (96 - 4 * i) for i in range(4)]
    after = [row for name, rise in zip(names, rises, strict=True) for row in rows(rise, name)]
    answers = rows("v" * 20 + "s" * 5000, "text/known-answer")
    alone, among = gate(after, before), gate(after + answers, before + answers)
    assert alone.overall is not None
    assert among.overall is not None
    assert alone.overall.decision is among.overall.decision is Decision.REGRESSION
    assert among.overall.pairs == 400
    assert among.overall.delta == pytest.approx(0.04)
    assert of(among, "text/known-answer").decision is Decision.PASS
