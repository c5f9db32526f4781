"""Rows reduced to what a comparison takes of them, and what it says of a change."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from baselines.made import result_of, static
from cases import cases
from judging.made import DEFAULTS, bound, pattern_of, rows
from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Verdict
from mt_gate.judging.clustered import Rate, pair, rates
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.findings import never_compared
from mt_gate.judging.statistics import rate_interval
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    SourceVerdicts,
    applicable_units,
    observed_units,
    restrict_to,
    unstable_in_any,
    verdicts_from_rows,
    without_unstable,
)
from mt_gate.results.result import AnswerChurn, Decision, Flips, GroupRow, LabelledFlips, Stratum
from mt_gate.running.measuring import count_all
from reporting.judging import judged

Scores = np.ndarray[Any, np.dtype[np.float64]]


def test_groups_are_added_up_by_relation_and_source() -> None:
    verdicts = verdicts_from_rows(rows("vsn", per_source=2) + bound(["vs", ""]))
    static = verdicts["r"]
    assert (static.violated, static.satisfied) == ({"r:0"}, {"r:1"})
    assert static.not_applicable == {"vacuous": {"r:2"}}
    assert static.sources == {
        "s0": SourceVerdicts(2, frozenset({"r:0"})),
        "s1": SourceVerdicts(0, frozenset()),
    }
    assert (observed_units(static, False), applicable_units(static, False)) == (
        {"r:0", "r:1", "r:2"},
        {"r:0", "r:1"},
    )
    made = verdicts["b"]
    assert made.bound
    assert (set(observed_units(made, True)), applicable_units(made, True)) == ({"s0", "s1"}, {"s0"})


def test_silence_is_counted_separately() -> None:
    verdicts = verdicts_from_rows(rows("vsno") + bound(["vn", "", "nn", "o", "no"]))
    assert verdicts["b"].silent_sources == {"s1", "s2"}
    assert verdicts["r"].silent_sources is None


def test_what_noise_could_turn_is_counted_in_units_that_have_a_verdict() -> None:
    verdicts = verdicts_from_rows(rows("VsSn") + bound(["vS", "s", "V"]))
    assert verdicts["r"].unstable == {"r:0", "r:2"}
    assert verdicts["b"].unstable == {"s0", "s2"}
    vacuous = [msgspec.structs.replace(row, unstable=True) for row in rows("n")]
    assert verdicts_from_rows(vacuous)["r"].unstable == frozenset()


def test_what_is_unstable_in_one_run_is_left_out_of_all() -> None:
    new, old, older = (verdicts_from_rows(rows(p))["r"] for p in ("VsssnS", "vSssns", "vsVsns"))
    now, *before = without_unstable([new, old, older])
    for run in (now, *before):
        assert (run.applicable, run.unstable) == ({"r:3"}, frozenset())
        assert run.not_applicable == new.not_applicable


def test_nothing_is_left_out_of_stable_runs_and_of_those_that_do_not_say() -> None:
    stable = verdicts_from_rows(rows("vs"))["r"]
    unknown = dataclasses.replace(stable, unstable=None)
    assert without_unstable([stable, unknown]) == [stable, unknown]
    assert unstable_in_any([unknown, verdicts_from_rows(rows("Vs"))["r"]]) == {"r:0"}


def predicted_again(rng: np.random.Generator, scores: Scores, noise: float) -> RelationVerdicts:
    """Ask one checkpoint: each score moves by ``noise``, nothing else ever changes.

    A group has ten decisions on its source and the same ten on its follow-up, and is violated
    where two differ; it is unstable where one is as close as the noise is large.
    """
    moved = scores[:, np.newaxis] + rng.normal(0, noise, (len(scores), 2, 10))
    differs = ((moved[:, 0] > 0) != (moved[:, 1] > 0)).any(axis=1)
    close = np.abs(moved).min(axis=(1, 2)) < noise
    letters = zip(np.where(differs, "v", "s").tolist(), close.tolist(), strict=True)
    return verdicts_from_rows(rows("".join(c.upper() if near else c for c, near in letters)))["r"]


def test_nothing_changed_is_no_difference_without_what_either_run_has_unstable() -> None:
    """Dropped by the candidate's margins alone, noise in the baseline looks like an improvement."""
    rng = np.random.default_rng(5)
    both, one = [], []
    for _ in range(12):
        scores = rng.normal(0, 1, (1000, 10))
        old, new = (predicted_again(rng, scores, 0.05) for _ in range(2))
        silent = dataclasses.replace(old, unstable=frozenset())
        for runs, actual in (([new, old], both), ([new, silent], one)):
            now, before = without_unstable(runs)
            pairing = pair(now, [before])
            actual.append(pairing.differences.sum() / pairing.pairs)
    error = np.std(both) / len(both) ** 0.5
    assert abs(np.mean(both)) < 3 * error
    assert error < 0.003
    assert np.mean(one) < -0.02


def test_a_group_that_appears_twice_is_refused() -> None:
    with pytest.raises(CannotJudge, match="r:0 of r appears twice"):
        verdicts_from_rows(rows("s") + rows("v"))


def test_a_baseline_is_narrowed_to_the_groups_of_a_part() -> None:
    """The same as a baseline of the part alone, whatever the groups and their reasons."""
    whole = rows("vsnVoS", per_source=2) + bound(["vs", "", "V"])
    part = [row for row in whole if row.source_id != "s1"]
    restricted = verdicts_from_rows(part)
    [actual] = restrict_to([verdicts_from_rows(whole)], restricted)
    for name, expected in restricted.items():
        mine = actual[name]
        assert mine.violated == expected.violated
        assert mine.not_applicable == expected.not_applicable or expected.bound
        assert mine.sources == expected.sources
        assert (mine.unstable, mine.silent_sources) == (expected.unstable, expected.silent_sources)
        assert observed_units(mine, mine.bound) == observed_units(expected, expected.bound)
    assert actual["r"].satisfied == restricted["r"].satisfied
    [nothing] = restrict_to([verdicts_from_rows(whole)], {})
    assert not any(verdicts.groups or verdicts.sources for verdicts in nothing.values())


V, S, N = Verdict.VIOLATED, Verdict.SATISFIED, Verdict.NOT_APPLICABLE


def strata(rows: list[GroupRow]) -> Mapping[str, Stratum]:
    [relation] = count_all(["re/same-type"], rows)
    return relation.strata


def row(source: str, stratum: str, verdict: Verdict = V) -> GroupRow:
    return GroupRow(
        id="1f",
        relation="re/same-type",
        source_id=source,
        verdict=verdict,
        source={},
        stratum=stratum,
        reason="source-answer" if verdict is N else "",
    )


ROWS = [
    row("a", "rare"), row("a", "rare", S), row("b", "rare"), row("c", "rare", N),
    row("a", "frequent", S), row("b", "frequent", S), row("b", "frequent"), row("d", ""),
]  # fmt: skip


def test_counts_and_intervals_by_source() -> None:
    actual = strata(ROWS)
    assert [*actual] == ["frequent", "rare"]
    rare = actual["rare"]
    assert (rare.groups, rare.applicable, rare.violated) == (4, 3, 2)
    assert rare.violation_rate == pytest.approx(2 / 3)
    assert rare.ci95 == pytest.approx(rate_interval([1, 1], [2, 1]), abs=0.4)
    assert rare.ci95[0] <= 2 / 3 <= rare.ci95[1]
    assert count_all(["re/same-type"], ROWS)[0].groups == 8


def test_groups_of_one_source_are_one_cluster() -> None:
    """The same counts from ten sources are surer than from two."""
    separate = [row(f"s{n}", "rare", V if n % 2 else S) for n in range(40)]
    together = [row(f"s{n // 10}", "rare", V if n // 10 % 2 else S) for n in range(40)]

    def width(rows: list[GroupRow]) -> float:
        low, high = strata(rows)["rare"].ci95 or (0, 0)
        return high - low

    assert width(separate) < width(together)


def test_a_run_s_rates_are_by_relation_and_of_all_together() -> None:
    rows = [*static("vvss", "a"), *static("vs", "b"), *static("nn", "c")]
    actual = rates(result_of(rows), rows)
    assert [*actual.relations] == ["a", "b", "c"]
    assert actual.relations["a"] == Rate(4, 2, 0.5, rate_interval([2, 0], [2, 2]))
    assert actual.relations["b"] == Rate(2, 1, 0.5, rate_interval([1], [2]))
    assert actual.relations["c"] == Rate(0, 0, None, None)
    # The two groups of relation b are of the first source of relation a: one cluster.
    assert actual.overall == Rate(6, 3, 0.5, rate_interval([3, 0], [4, 2]))


@cases("judging/rules")
def test_which_rule_came_to_a_decision(
    candidate: str, baseline: str, settings: str, decision: str, rule: str
) -> None:
    values = json.loads(settings)
    result = judged(
        {"r": pattern_of(candidate)}, {"r": pattern_of(baseline)}, relations=("r",), **values
    )
    comparison = result.relations[0].comparison
    assert comparison is not None
    assert (comparison.decision, comparison.rule) == (decision, rule)
    strict = values.get("strict") and comparison.decision is Decision.INCONCLUSIVE
    failing = comparison.decision in (Decision.REGRESSION, Decision.COLLAPSE) or bool(strict)
    assert comparison.fails == (failing and result.exit_code == 1)


def test_what_is_open_fails_no_run_that_cannot_be_judged() -> None:
    result = judged({"r": "s" * 5}, {"r": "s" * 5}, strict=True)
    comparison = result.overall.comparison
    assert comparison is not None
    assert (result.exit_code, comparison.decision, comparison.fails) == (3, "inconclusive", False)


def test_a_limit_that_looks_like_what_exceeds_it_is_written_with_more_digits() -> None:
    result = judged(
        {"r": "v" * 251 + "s" * 4749}, {"r": "v" * 251 + "s" * 4749}, max_violation_rate={"r": 0.05}
    )
    assert "violation rate 5.02% (251 of 5,000) is above its limit of 5.00%" in result.reasons[0]


TURNED = Flips(number=30, of=1000, clusters=1000, rate=0.03, ci95=(0.0206, 0.0425))


@pytest.mark.parametrize(
    ("facts", "limits", "reason"),
    [
        (
            RunFacts(answers=AnswerChurn(inputs=TURNED)),
            {"max_churn": 0.0205},
            "3.0% of predictions changed (30 of 1,000), above the max-churn limit of 2.05% (95% CI "
            "starts at 2.06%)",
        ),
        (
            RunFacts(
                flips=LabelledFlips(labels="names", negative=TURNED, positive=3), labelled=True
            ),
            {"max_negative_flips": 0.02},
            "30 labelled inputs newly wrong (3.0% of 1,000), above the max-negative-flips limit of "
            "2.0% (95% CI starts at 2.1%)",
        ),
        (
            RunFacts(),
            {"max_churn": 0.02},
            "max-churn was not checked, because the baseline has no predictions. Record the "
            "baseline without --no-answers",
        ),
        (
            RunFacts(labelled=True),
            {"max_negative_flips": 0.02},
            "max-negative-flips was not checked, because the baseline has no predictions for these "
            "labelled inputs. Record a run with the same --labels",
        ),
    ],
)
def test_limits_of_what_changes(facts: RunFacts, limits: dict[str, float], reason: str) -> None:
    run = verdicts_from_rows(rows("v" * 20 + "s" * 80))
    outcome = compare(run, [run], msgspec.structs.replace(DEFAULTS, **limits), facts)
    assert outcome.reasons[int("not checked" in reason)] == reason


def test_relations_with_too_few_sources_are_named() -> None:
    few = "too few original texts to compare (minimum 10): "
    assert never_compared({"a": 9, "b": 10, "c": 0}) == f"{few}a (9), c (0)"
    assert never_compared({"a": 10}) == ""
    many = never_compared({str(number): 0 for number in range(11)})
    assert many.endswith("8 (0), 9 (0), ..."), "a line has an end"
