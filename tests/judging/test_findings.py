"""Which rule comes to each decision."""

from __future__ import annotations

import json

import msgspec
import pytest

from cases import cases
from judging.made import DEFAULTS, pattern_of, rows
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.findings import never_compared
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import AnswerChurn, Decision, Flips, LabelledFlips
from reporting.judging import judged


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
