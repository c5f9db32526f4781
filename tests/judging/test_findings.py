"""Which rule comes to each decision."""

from __future__ import annotations

import msgspec
import pytest

from judging.made import DEFAULTS, rows
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.run_findings import never_compared
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import AnswerChurn, Decision, Flips, LabelledFlips, Rule
from reporting.judging import judged

HELD = "s" * 100
RISEN = "v" * 7 + "s" * 93
NOISY = "V" + "v" * 4 + "s" * 95
"""Four of the five rises are stable, too few for a regression: p 2**-4."""
UNSTABLE = "V" * 3 + "v" * 4 + "s" * 93
"""More of it unstable than noise may excuse (``MOST_EXCUSED``)."""
STILL = "v" * 20 + "s" * 80
LARGE = "v" * 18 + "s" * 4982
RARE, OTHERS = "s" * 20 + "n" * 80, "s" * 20 + "o" * 80
LOST = Rule.COMPARABILITY_LOST
LIMITED = {"max_violation_rate": {"r": 0.1}}


@pytest.mark.parametrize(
    ("candidate", "baseline", "settings", "decision", "rule"),
    [
        (RISEN, HELD, {}, Decision.REGRESSION, Rule.RISE),
        (RISEN, HELD, {"must_hold": ("r:0",)}, Decision.REGRESSION, Rule.RISE),
        ("v" * 4 + "s" * 96, HELD, {}, Decision.PASS, Rule.NO_RISE),
        (NOISY, HELD, {}, Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE),
        (NOISY, HELD, {"strict": True}, Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE),
        (NOISY, HELD, {"must_hold": ("r:0",)}, Decision.REGRESSION, Rule.MUST_HOLD),
        ("V" * 2 + "v" * 4 + "s" * 94, HELD, {}, Decision.INCONCLUSIVE, Rule.RISE_OR_NOISE),
        (UNSTABLE, HELD, {}, Decision.REGRESSION, Rule.RISE),
        (UNSTABLE, HELD, {"strict": True}, Decision.REGRESSION, Rule.RISE),
        (STILL, STILL, {"strict": True}, Decision.PASS, Rule.NO_RISE),
        (
            LARGE,
            "s" * 5000,
            {"strict": True, "margin": 0.005},
            Decision.INCONCLUSIVE,
            Rule.NOT_SHOWN,
        ),
        (HELD, RISEN, {"strict": True, "margin": 0.0}, Decision.IMPROVED, Rule.FALL),
        ("s" * 5, "s" * 5, {}, Decision.NOT_COMPARABLE, Rule.TOO_FEW),
        (STILL, STILL, {"must_hold": ("r:0",)}, Decision.REGRESSION, Rule.MUST_HOLD),
        (HELD, HELD, {"must_hold": ("r:0",)}, Decision.PASS, Rule.NO_RISE),
        ("n" + HELD[1:], HELD, {"must_hold": ("r:0",)}, Decision.INCONCLUSIVE, Rule.MUST_HOLD),
        (STILL, STILL, {"max_violation_rate": {"*": 0.1}}, Decision.REGRESSION, Rule.LIMIT),
        ("n" * 100, "n" * 100, LIMITED, Decision.INCONCLUSIVE, Rule.LIMIT),
        (RISEN, HELD, {"margin": 0.2, "must_hold": ("r:0",)}, Decision.REGRESSION, Rule.MUST_HOLD),
        ("n" * 40 + "s" * 60, HELD, {}, Decision.COLLAPSE, Rule.STOPPED_ANSWERING),
        ("n" * 96 + "s" * 4, RARE, {}, Decision.COLLAPSE, Rule.STOPPED_ANSWERING),
        ("o" * 100, OTHERS, {}, Decision.INCONCLUSIVE, Rule.FEWER_APPLICABLE),
        ("o" * 15 + "s" * 85, HELD, {}, Decision.PASS, Rule.NO_RISE),
        ("o" * 4 + "s" * 12, "s" * 12 + "o" * 4, {}, Decision.INCONCLUSIVE, LOST),
        ("o" * 100, OTHERS, {"required": ("r",)}, Decision.COLLAPSE, Rule.REQUIRED),
        ("s" * 5, "s" * 5, {"required": ("r",)}, Decision.COLLAPSE, Rule.REQUIRED),
        (HELD, HELD, {"required": ("r",)}, Decision.PASS, Rule.NO_RISE),
        (HELD, STILL, {}, Decision.IMPROVED, Rule.FALL),
        (STILL, STILL, {}, Decision.PASS, Rule.NO_RISE),
    ],
)
def test_which_rule_came_to_a_decision(
    candidate: str,
    baseline: str,
    settings: dict[str, object],
    decision: Decision,
    rule: Rule,
) -> None:
    result = judged({"r": candidate}, {"r": baseline}, relations=("r",), **settings)
    comparison = result.relations[0].comparison
    assert comparison is not None
    assert (comparison.decision, comparison.rule) == (decision, rule)
    strict = settings.get("strict") and decision is Decision.INCONCLUSIVE
    failing = decision in (Decision.REGRESSION, Decision.COLLAPSE) or bool(strict)
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
    assert "violation rate 5.02 % (251 of 5,000) is above its limit 5.00 %" in result.reasons[0]


TURNED = Flips(number=30, of=1000, clusters=1000, rate=0.03, ci95=(0.0206, 0.0425))
SURELY = "(3.0 %, 95 % interval 2.1 % to 4.2 %), surely above"


@pytest.mark.parametrize(
    ("facts", "limits", "reason"),
    [
        (
            RunFacts(answers=AnswerChurn(inputs=TURNED)),
            {"max_churn": 0.0205},
            f"30 of 1,000 answers differ from the baseline's {SURELY} max-churn 2.05 % (from 2.06 "
            "% on)",
        ),
        (
            RunFacts(
                flips=LabelledFlips(labels="names", negative=TURNED, positive=3), labelled=True
            ),
            {"max_negative_flips": 0.02},
            f"30 of 1,000 labelled inputs turned from right to wrong {SURELY} max-negative-flips "
            "2.0 %",
        ),
        (
            RunFacts(),
            {"max_churn": 0.02},
            "max-churn was not checked: the baseline's answers are not known; record it with them",
        ),
        (
            RunFacts(labelled=True),
            {"max_negative_flips": 0.02},
            "max-negative-flips was not checked: the baseline was not asked these labelled inputs; "
            "record one of a run with the same --labels",
        ),
    ],
)
def test_limits_of_what_changes(facts: RunFacts, limits: dict[str, float], reason: str) -> None:
    run = verdicts_from_rows(rows(STILL))
    outcome = compare(run, [run], msgspec.structs.replace(DEFAULTS, **limits), facts)
    assert outcome.reasons[int("not checked" in reason)] == reason


def test_relations_with_too_few_sources_are_named() -> None:
    few = "too few sources to compare, of 10 needed: "
    assert never_compared({"a": 9, "b": 10, "c": 0}) == f"{few}a (9), c (0)"
    assert never_compared({"a": 10}) == ""
    many = never_compared({str(number): 0 for number in range(11)})
    assert many.endswith("8 (0), 9 (0), ..."), "a line has an end"
