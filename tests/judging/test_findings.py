"""Which rule comes to each decision."""

from __future__ import annotations

import pytest

from mt_gate.judging.findings import SEVERITY
from mt_gate.results.result import Decision, Rule
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


def test_every_decision_has_its_severity() -> None:
    assert set(SEVERITY) == set(Decision)
