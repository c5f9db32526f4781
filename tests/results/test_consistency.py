"""Decisions that are read back and that their own figures do not bear out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mt_gate.results.consistency import faults
from mt_gate.results.result import (
    AgainstAnchor,
    BaselineHead,
    ComparisonFigures,
    Decision,
    EarlyStop,
    GateVerdict,
    Result,
    Rule,
    Share,
)
from mt_gate.settings.policy import Accepted, Entry, Policy, Tier
from reporting import made_up
from reporting.judging import judged

HELD = "s" * 100
WHOLE = Share(baseline=1.0, candidate=1.0, p_adjusted=1.0)
RISEN = "v" * 7 + "s" * 93
STILL = "v" * 20 + "s" * 80
FALLEN = made_up.applicability(Share(baseline=0.9, candidate=0.5, p_adjusted=0.001), 40)

OTHERS = msgspec.structs.replace(
    FALLEN, answered=WHOLE, applicable=Share(baseline=0.9, candidate=0.4, p_adjusted=0.001)
)

LARGE = "v" * 18 + "s" * 4982
"""A rise that is no regression by a margin of half a point, nor shown to be none."""


WARNS = Policy(relations={"r": Entry(tier=Tier.WARN)})
ACCEPTED = Policy(
    accepted=(Accepted(relation="r", rise=0.5, reason="why", owner="ann", expires="2027-01-31"),)
)


def with_comparison(result: Result, **changed: Any) -> Result:
    """Return the result with fields of its one relation's comparison in others' place."""
    (relation,) = result.relations
    assert relation.comparison is not None
    comparison = msgspec.structs.replace(relation.comparison, **changed)
    return msgspec.structs.replace(
        result, relations=(msgspec.structs.replace(relation, comparison=comparison),)
    )


def found(result: Result) -> str:
    return "; ".join(faults(result))


RUNS = {
    "risen": judged({"r": RISEN}, {"r": HELD}, relations=("r",)),
    "held": judged({"r": HELD}, {"r": HELD}, relations=("r",)),
    "still": judged({"r": STILL}, {"r": STILL}, relations=("r",)),
    "strict": judged({"r": LARGE}, {"r": HELD * 50}, relations=("r",), strict=True, margin=0.005),
    "must": judged({"r": STILL}, {"r": STILL}, relations=("r",), must_hold=("r:0",)),
    "required": judged({"r": "s" * 5}, {"r": "s" * 5}, relations=("r",), required=("r",)),
    "none": judged({"r": "o" * 4 + "s" * 12}, {"r": "s" * 12 + "o" * 4}, relations=("r",)),
    "accepted": judged({"r": RISEN}, {"r": HELD}, relations=("r",), policy=ACCEPTED),
    "accepted, strict": judged(
        {"r": RISEN, "s": "s" * 500},
        {"r": HELD, "s": "s" * 500},
        relations=("r", "s"),
        policy=ACCEPTED,
        strict=True,
    ),
    "nothing blocks": judged(
        {"r": RISEN}, {"r": HELD}, relations=("r",), policy=WARNS, strict=True
    ),
    "limit": judged({"r": STILL}, {"r": STILL}, relations=("r",), max_violation_rate={"*": 0.1}),
}


EARLY = EarlyStop(look=5, looks=10, asked=50, clusters=100)


@pytest.mark.parametrize(
    ("early", "told"),
    [
        (EARLY, ""),
        (msgspec.structs.replace(EARLY, look=11), "look 11 of 10, 50 of 100 sources asked"),
        (msgspec.structs.replace(EARLY, asked=101), "look 5 of 10, 101 of 100 sources asked"),
        (
            msgspec.structs.replace(EARLY, look=10),
            "early: all looks made, and 50 of 100 sources asked",
        ),
        (
            msgspec.structs.replace(EARLY, look=10, asked=100, loss=False),
            "early: all looks made, and a reason for having stopped",
        ),
    ],
)
def test_how_far_a_run_went_that_could_stop_early(early: EarlyStop, told: str) -> None:
    assert told in found(msgspec.structs.replace(RUNS["held"], early=early))
    if early == EARLY:
        assert found(msgspec.structs.replace(RUNS["held"], early=early)) == ""


def test_a_part_is_read_by_the_margin_of_a_part() -> None:
    """A rise of seven points is above a margin of one in a fifth of a run, not in a tenth."""
    fifth, tenth = (
        msgspec.structs.replace(RUNS["risen"], early=msgspec.structs.replace(EARLY, look=look))
        for look in (2, 1)
    )
    assert found(fifth) == ""
    assert "rule rise, which its figures and settings do not let fire" in found(tenth)
    alone = msgspec.structs.replace(fifth, baseline=None)
    assert "could stop early, without a baseline" in found(alone)


@pytest.mark.parametrize("name", RUNS)
def test_what_the_gate_wrote_contradicts_nothing(name: str) -> None:
    assert found(RUNS[name]) == ""


@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("risen", {"fails": False}, "fails false, its decision is regression"),
        ("held", {"fails": True}, "fails true, its decision is pass"),
        ("risen", {"rule": Rule.LIMIT}, "rule limit, which its figures and settings do not let"),
        ("risen", {"rule": Rule.NO_RISE}, "decision regression by rule no-rise"),
        ("risen", {"rule": Rule.MUST_HOLD}, "rule must-hold, which its figures and settings"),
        (
            "risen",
            {"decision": Decision.PASS, "rule": Rule.NO_RISE, "fails": False},
            "decision pass, its figures let rule rise fire",
        ),
        (
            "held",
            {"decision": Decision.REGRESSION, "rule": Rule.RISE, "fails": False},
            "its run's exit_code is 0",
        ),
        ("held", {"rule": Rule.FALL, "decision": Decision.IMPROVED}, "rule fall, which its"),
        ("held", {"applicability": FALLEN}, "its figures let rule stopped-answering fire"),
        (
            "strict",
            {"decision": Decision.PASS, "rule": Rule.NO_RISE, "fails": False},
            "decision pass, its figures let rule not-shown fire",
        ),
        (
            "limit",
            {"decision": Decision.PASS, "rule": Rule.NO_RISE, "fails": False},
            "decision pass, its violation rate is above its limit",
        ),
        ("held", {"applicability": OTHERS}, "its figures let rule fewer-applicable fire"),
        (
            "held",
            {"rule": Rule.FEWER_APPLICABLE, "decision": Decision.INCONCLUSIVE},
            "rule fewer-applicable, which its figures and settings do not let fire",
        ),
        (
            "none",
            {"rule": Rule.TOO_FEW, "decision": Decision.NOT_COMPARABLE},
            "its figures let rule comparability-lost fire",
        ),
        (
            "required",
            {"rule": Rule.TOO_FEW, "decision": Decision.NOT_COMPARABLE, "fails": False},
            "decision not-comparable, though it is required and not compared",
        ),
        (
            "none",
            {"rule": Rule.REQUIRED, "decision": Decision.COLLAPSE},
            "rule required, and it is not required",
        ),
        ("still", {"rule": Rule.TOO_FEW}, "decision pass by rule too-few"),
    ],
)
def test_a_rule_that_its_figures_contradict_is_named(
    name: str, changed: dict[str, Any], told: str
) -> None:
    assert told in found(with_comparison(RUNS[name], **changed))


TIERS = Policy(
    relations={"ner/w": Entry(tier=Tier.WARN), "ner/s": Entry(tier=Tier.REPORT)},
)
TIERED = judged(
    {"ner/w": RISEN, "ner/s": RISEN, "ner/b": HELD},
    {"ner/w": HELD, "ner/s": HELD, "ner/b": HELD},
    relations=("ner/w", "ner/s", "ner/b"),
    policy=TIERS,
)


def tiered(at: int, comparison: dict[str, Any], **changed: Any) -> Result:
    """Return the run with tiers, with fields of a relation and its comparison in others' place."""
    relations = list(TIERED.relations)
    assert relations[at].comparison is not None
    found = msgspec.structs.replace(relations[at].comparison, **comparison)
    relations[at] = msgspec.structs.replace(relations[at], comparison=found, **changed)
    return msgspec.structs.replace(TIERED, relations=tuple(relations))


def test_a_run_with_tiers_contradicts_nothing() -> None:
    assert TIERED.verdict is GateVerdict.WARNING
    assert found(TIERED) == ""


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (tiered(0, {}, tier=Tier.REPORT), "ner/w: tier report, its policy says another"),
        (tiered(0, {"fails": True}), "fails true, its decision is regression"),
        (
            tiered(0, {"decision": Decision.PASS, "rule": Rule.NO_RISE}),
            "its figures let rule rise fire",
        ),
        (
            tiered(0, {"decision": Decision.NOT_JUDGED, "rule": Rule.REPORTED}),
            "rule reported, its tier is warn",
        ),
        (
            tiered(1, {"decision": Decision.PASS, "rule": Rule.NO_RISE}),
            "rule no-rise, its tier is report",
        ),
        (
            msgspec.structs.replace(TIERED, verdict=GateVerdict.PASS),
            "decision regression, tier warn, its run's verdict is pass",
        ),
        (
            tiered(2, {"decision": Decision.PASS, "rule": Rule.ACCEPTED}),
            "rule accepted, which its figures and settings do not let fire",
        ),
    ],
)
def test_a_tier_that_a_result_contradicts_is_named(result: Result, told: str) -> None:
    assert told in found(result)


def test_a_limit_that_is_not_exceeded_decides_nothing() -> None:
    lax = msgspec.structs.replace(RUNS["limit"].settings, max_violation_rate={"*": 0.5})
    result = msgspec.structs.replace(RUNS["limit"], settings=lax)
    assert "rule limit, its violation rate is not above its limit" in found(result)


def test_all_together_are_allowed_half_of_what_one_may_lose() -> None:
    """Seven points of answers lost: a relation may, the pool may not."""
    lost = msgspec.structs.replace(
        FALLEN, answered=Share(baseline=0.9, candidate=0.83, p_adjusted=0.001), applicable=WHOLE
    )
    assert found(with_comparison(RUNS["held"], applicability=lost)) == ""
    overall = RUNS["held"].overall
    assert overall.comparison is not None
    comparison = msgspec.structs.replace(overall.comparison, applicability=lost)
    result = msgspec.structs.replace(
        RUNS["held"], overall=msgspec.structs.replace(overall, comparison=comparison)
    )
    assert "overall: decision pass, its figures let rule stopped-answering fire" in found(result)


def test_the_pooled_decision_is_checked_as_well() -> None:
    overall = RUNS["risen"].overall
    assert overall.comparison is not None
    quiet = msgspec.structs.replace(overall.comparison, fails=False)
    result = msgspec.structs.replace(
        RUNS["risen"], overall=msgspec.structs.replace(overall, comparison=quiet)
    )
    assert "overall: fails false, its decision is regression" in found(result)


def with_p_part(result: Result, p: float | None) -> Result:
    overall = result.overall
    assert overall.comparison is not None
    comparison = msgspec.structs.replace(overall.comparison, p_part=p)
    return msgspec.structs.replace(
        result, overall=msgspec.structs.replace(overall, comparison=comparison)
    )


def test_the_p_of_parts_is_there_where_not_all_may_lose_the_same() -> None:
    """Else a result could hide what those lost that may lose least."""
    of_two = RUNS["accepted, strict"]
    assert of_two.overall.comparison is not None
    assert of_two.overall.comparison.p_part == 1.0
    assert found(with_p_part(of_two, None)) == "overall: p_part None, and some parts"
    told = "overall: p_part 0.01, and no part rose by more than it may"
    assert told in found(with_p_part(of_two, 0.01))
    assert "overall: p_part 1.0, and no parts" in found(with_p_part(RUNS["risen"], 1.0))
    assert found(with_comparison(RUNS["held"], p_part=1.0)) == "r: p_part 1.0, and no parts"


BASELINE = BaselineHead(
    path="ner.json",
    name="ner",
    recorded="2026",
    suite_sha256=RUNS["risen"].suite.sha256,
    checkpoint_fingerprint="",
)


def anchored(verdict: GateVerdict, rose: tuple[str, ...], **changed: Any) -> Result:
    """Return a run that was told against an anchor of its own figures."""
    pooled = RUNS["risen"].overall.comparison
    assert pooled is not None
    figures = {name: getattr(pooled, name) for name in ComparisonFigures.__struct_fields__}
    against = AgainstAnchor(
        name="ner",
        recorded="2025",
        figures=ComparisonFigures(**{**figures, **changed}),
        verdict=verdict,
        rose=rose,
        sentence="told",
    )
    return msgspec.structs.replace(RUNS["risen"], anchor=against, baseline=BASELINE)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (anchored(GateVerdict.REGRESSION, ("r",)), ""),
        (anchored(GateVerdict.PASS, ()), ""),
        (anchored(GateVerdict.COLLAPSE, ("r",)), ""),
        (anchored(GateVerdict.CANNOT_JUDGE, ("r",)), ""),
        (anchored(GateVerdict.PASS, ("r",)), "verdict pass against the anchor, and r rose"),
        (anchored(GateVerdict.PASS, (), ci95=(0.5, 0.1)), "anchor.figures.ci95 from 0.5 to 0.1"),
        (anchored(GateVerdict.PASS, (), p_value=None), "a difference without its interval"),
        (
            msgspec.structs.replace(anchored(GateVerdict.PASS, ()), baseline=None),
            "an anchor without a baseline",
        ),
    ],
)
def test_what_is_told_against_an_anchor_is_checked_as_well(result: Result, told: str) -> None:
    assert found(result) == told or (told and told in found(result))


CHURN = made_up.result()
assert CHURN.churn is not None
assert CHURN.labelled is not None


def with_churn(**changed: Any) -> Result:
    return msgspec.structs.replace(CHURN, churn=msgspec.structs.replace(CHURN.churn, **changed))


def with_labelled(**changed: Any) -> Result:
    return msgspec.structs.replace(
        CHURN, labelled=msgspec.structs.replace(CHURN.labelled, **changed)
    )


def limited(verdict: GateVerdict) -> Result:
    """Return a run whose answers differ by surely more than it allows."""
    settings = msgspec.structs.replace(made_up.settings(), max_churn=0.01)
    return made_up.result(verdict, settings=settings)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (with_churn(groups=made_up.flips(301, 400, 250)), "new violations"),
        (with_churn(groups=made_up.flips(30, 25, 20)), "30 of 25"),
        (with_churn(groups=made_up.flips(30, 400, 401)), "400 from 401 sources"),
        (
            with_churn(groups=msgspec.structs.replace(made_up.flips(30, 400, 250), ci95=None)),
            "a rate without its interval",
        ),
        (with_churn(groups=msgspec.structs.replace(made_up.flips(30, 400, 250), rate=0.5)),
         "30 of 400, and a rate of 0.5"),
        (with_labelled(wrong=(3, 2)), "each once and in order"),
        (with_labelled(wrong=(3, 3)), "each once and in order"),
        (with_labelled(wrong=(500,)), "numbers below 500"),
        (with_labelled(clusters=(1, 2)), "500 inputs, its clusters have 3"),
        (msgspec.structs.replace(CHURN, labelled=None), "of a run that was asked none"),
        (limited(GateVerdict.PASS), "verdict pass, its max_churn is above its limit"),
        (
            msgspec.structs.replace(made_up.result(GateVerdict.MEASURED), churn=CHURN.churn),
            "churn without a comparison",
        ),
    ],
)  # fmt: skip
def test_what_changed_is_checked_as_well(result: Result, told: str) -> None:
    assert told in found(result)


def test_what_changed_contradicts_nothing() -> None:
    said = {*found(CHURN).split("; ")}
    for result in (limited(GateVerdict.REGRESSION), with_labelled(clusters=(200, 300))):
        assert {*found(result).split("; ")} <= said
