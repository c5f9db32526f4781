"""A sentence on chance stands only where a test decided, and says what its p-value says."""

from __future__ import annotations

import pytest

from mt_gate.reporting.words.chance import chance
from mt_gate.reporting.writers.html import report
from mt_gate.results.result import GateVerdict, Result
from reporting import made_up
from reporting.judging import Patterns, judged

HELD = "s" * 100
STILL = "v" * 20 + "s" * 80
NULL = "if changes were as likely for better as for worse."


def said(result: Result) -> str:
    return chance(result, {})


def new(number: int, of: int = 100) -> str:
    """Groups of which so many are newly violated: chance alone does that 1 in 2**number times."""
    return "v" * number + "s" * (of - number)


def noisy(number: int, unstable: int = 1) -> str:
    """The same of 100 groups, of which the first could be turned by noise."""
    return "V" * unstable + new(number - unstable, 100 - unstable)


def test_a_rise_is_hardly_chance() -> None:
    result = judged({"r": new(7)}, {"r": HELD})
    assert result.verdict is GateVerdict.REGRESSION
    # One of 2**7 ways to turn seven changes; all together are the very same test.
    assert said(result) == (
        f"Hardly chance: “r” would reach +7.0 pp in about 0.8 % of comparisons {NULL} "
        "This run makes no other: adjusted p 0.008, below alpha 0.05."
    )
    assert "in fewer than 1 of 1,000 comparisons if" in said(judged({"r": new(12)}, {"r": HELD}))


def test_the_relation_that_the_lead_names_is_told_not_all_together() -> None:
    result = judged({"a": new(8), "b": new(9)}, {"a": HELD, "b": HELD})
    pooled = result.overall.comparison
    assert pooled is not None
    assert pooled.p_value == pytest.approx(2**-17)
    assert "“b”, the clearest of 2 rises, would reach +9.0 pp in about 0.2 %" in said(result)


def test_all_together_where_no_relation_rises_by_itself() -> None:
    result = judged({"a": new(5), "b": new(5)}, {"a": HELD, "b": HELD})
    assert [r.comparison.rule for r in result.relations if r.comparison] == ["rise-alone"] * 2
    assert "all relations together would reach +5.0 pp in fewer than 1 of" in said(result)
    assert "makes 3" in said(result)


def test_a_rise_alone_among_many_may_be_chance() -> None:
    still = {"a": "s" * 600, "b": "s" * 600}
    result = judged({"r": new(5), **still}, {"r": HELD, **still})
    assert result.verdict is GateVerdict.PASS
    assert said(result) == (
        f"It may be chance: “r” would reach +5.0 pp in about 3.1 % of comparisons {NULL} "
        "This run makes 4: adjusted p 1, not below alpha 0.05."
    )


def test_noise_is_told_as_noise() -> None:
    result = judged({"r": noisy(5)}, {"r": HELD})
    assert result.verdict is GateVerdict.INCONCLUSIVE
    assert said(result) == (
        "It may be numerical noise: the rise of “r” (+5.0 pp) is not a regression without the "
        "groups that noise alone could flip."
    )


def test_more_noise_than_excuses_a_rise_is_not_told() -> None:
    result = judged({"r": noisy(7, unstable=3)}, {"r": HELD})
    assert result.verdict is GateVerdict.REGRESSION
    assert said(result) == said(judged({"r": new(7)}, {"r": HELD}))


def test_both_doubts_are_told() -> None:
    """All together stay within the margin, so that each relation speaks for itself."""
    result = judged(
        {"a": noisy(6), "b": new(5), "c": "s" * 1200}, {"a": HELD, "b": HELD, "c": "s" * 1200}
    )
    assert result.verdict is GateVerdict.INCONCLUSIVE
    chance_of_b, _, noise_of_a = said(result).partition("0.05. ")
    assert "It may be chance" in chance_of_b
    assert "“b” would reach +5.0 pp" in chance_of_b
    assert noise_of_a.startswith("It may be numerical noise: the rise of “a” (+6.0 pp)")


LESS, MORE = "s" * 97, "v" * 6 + "s" * 91
SAME: Patterns = {"r": STILL}


@pytest.mark.parametrize(
    ("candidate", "baseline", "settings", "verdict"),
    [
        (SAME, SAME, {"strict": True, "margin": 0.0001}, GateVerdict.INCONCLUSIVE),
        ({"r": "vvv" + LESS}, {"r": "sss" + MORE}, {"strict": True}, GateVerdict.INCONCLUSIVE),
        ({"r": new(12)}, {"r": HELD}, {"strict": True, "margin": 0.15}, GateVerdict.INCONCLUSIVE),
        (SAME, SAME, {"must_hold": ("r:0",)}, GateVerdict.REGRESSION),
        (SAME, SAME, {"must_hold": ("nowhere",)}, GateVerdict.INCONCLUSIVE),
        (SAME, SAME, {"max_violation_rate": {"*": 0.1}}, GateVerdict.REGRESSION),
        ({"r": HELD}, {"r": STILL}, {"must_hold": ("nowhere",)}, GateVerdict.INCONCLUSIVE),
        (SAME, SAME, {}, GateVerdict.PASS),
        ({"r": HELD}, {"r": STILL}, {}, GateVerdict.IMPROVED),
    ],
)
def test_what_no_test_decided_is_no_matter_of_chance(
    candidate: Patterns, baseline: Patterns, settings: dict[str, object], verdict: GateVerdict
) -> None:
    result = judged(candidate, baseline, **settings)
    assert result.verdict is verdict
    assert said(result) == ""


def test_a_rise_beside_a_group_that_must_hold_is_told() -> None:
    settings = {"must_hold": ("b:0",)}
    result = judged({"a": new(12), "b": STILL}, {"a": HELD, "b": STILL}, **settings)
    assert said(result).startswith("Hardly chance: “a” would reach +12.0 pp")


def test_where_noise_or_a_rule_may_have_decided_nothing_is_claimed() -> None:
    result = judged({"r": noisy(5)}, {"r": HELD}, max_violation_rate={"*": 0.0})
    assert result.verdict is GateVerdict.REGRESSION
    assert said(result) == ""


def test_a_collapse_is_hardly_chance() -> None:
    result = judged(
        {"a": "n" * 11 + "s" * 89, "b": HELD, "c": HELD}, {"a": HELD, "b": HELD, "c": HELD}
    )
    assert result.verdict is GateVerdict.COLLAPSE
    # 2**-11 four times: Holm over the three relations and all together.
    assert said(result) == (
        "Hardly chance: a gate that may give a false alarm, on any of 3 relations or on all "
        "together, in about 0.2 % of runs would still have found the fall of “a” "
        "(adjusted p 0.002, below alpha 0.05)."
    )


@pytest.mark.parametrize("verdict", [GateVerdict.MEASURED, GateVerdict.CANNOT_JUDGE])
def test_without_a_comparison_there_is_nothing_to_say(verdict: GateVerdict) -> None:
    assert said(made_up.result(verdict)) == ""


def test_the_page_names_the_relation_by_its_title() -> None:
    page = report(made_up.result(), made_up.again([]), made_up.CATALOGUE)
    assert "“Entity shuffle” would reach +5.2 pp in fewer than 1 of 1,000" in page
