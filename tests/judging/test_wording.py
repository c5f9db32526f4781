"""Sentences that say why, with figures as every report writes them."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from mt_gate.judging import wording
from mt_gate.results.result import ComparisonFigures, Share
from reporting import made_up

FIGURES = ComparisonFigures(
    pairs=1200,
    clusters=400,
    new_violations=60,
    fixed_violations=0,
    delta=0.05,
    ci95=(0.03, 0.07),
    p_value=0.0213,
    p_adjusted=0.084,
    minimum_detectable_effect=0.031,
    baseline_rate=0.0,
    candidate_rate=0.05,
)
NUMBERS = (
    "0 % to 5.0 % (+5.0 pp, 95 % interval [+3.0, +7.0] pp, adjusted p 0.084; "
    "1,200 pairs from 400 sources, 60 new and 0 fixed violations)"
)


def test_what_the_test_shows() -> None:
    assert wording.rose(FIGURES) == f"violation rate rose, {NUMBERS}"
    assert wording.fell(FIGURES) == f"violation rate fell, {NUMBERS}"
    assert wording.rose_alone(FIGURES).endswith(
        "; the rise is significant alone (p 0.021), not among all tests of the run"
    )
    assert "adjusted p 0.210" in wording.fell(replace(FIGURES, p_better=0.21))
    full = replace(FIGURES, baseline_rate=0.97, minimum_detectable_effect=0.03)
    assert wording.no_rise(full).endswith("; a rise to 100 % could have been missed")
    assert wording.no_rise(FIGURES).endswith("; a rise of 5.0 pp could have been missed")
    assert wording.no_rise(replace(FIGURES, delta=0.03)).endswith(
        "; a rise of 3.1 pp would have been found 4 times in 5"
    )


def test_what_is_asked_beside_the_test() -> None:
    assert wording.not_shown(FIGURES, 0.01).endswith("as large as 7.0 pp, the margin is 1.0 pp")
    assert wording.over_limit(61, 1000, 0.05) == (
        "violation rate 6.1 % (61 of 1,000) is above its limit 5.0 %"
    )
    assert wording.over_limit(5003, 100_000, 0.05) == (
        "violation rate 5.003 % (5,003 of 100,000) is above its limit 5.000 %"
    )
    near = wording.not_shown(replace(FIGURES, ci95=(0.0, 0.0101)), 0.01)
    assert near.endswith("as large as 1.01 pp, the margin is 1.00 pp")


def test_what_is_less_to_test_by() -> None:
    shares = made_up.applicability(Share(baseline=1.0, candidate=0.4, p_adjusted=0.0001), 60)
    assert wording.stopped_answering(shares, made_up.settings()) == (
        "stopped answering: answered share fell from 100 % to 40.0 % (adjusted p <0.001), "
        "more than the 10.0 % allowed"
    )
    most = made_up.applicability(Share(baseline=0.52, candidate=0.48, p_adjusted=0.0001), 60)
    assert wording.stopped_answering(most, made_up.settings()).endswith("50.0 % of it allowed")
    rare = made_up.applicability(Share(baseline=0.09, candidate=0.0, p_adjusted=0.0001), 9)
    assert wording.stopped_answering(rare, made_up.settings()).endswith(
        "more than the 50.0 % of it allowed"
    )
    answered = Share(baseline=1.0, candidate=0.999, p_adjusted=1.0)
    others = msgspec.structs.replace(rare, answered=answered)
    assert wording.far_fewer_applicable(others, made_up.settings()) == (
        "other answers, fewer groups to test by: applicable share fell from 9.0 % to 0 % "
        "(adjusted p <0.001), answered share from 100 % to 99.9 %; more than 50.0 % of what it "
        "tested by is lost"
    )
    none = msgspec.structs.replace(FIGURES, clusters=3, p_value=None)
    assert wording.comparability_lost(none, others) == (
        "no longer comparable: 3 paired sources of the baseline's 200, at least 10 are needed"
    )
    assert wording.required(none) == (
        "required, and not compared: 3 paired sources, at least 10 are needed"
    )


def test_what_only_one_run_has() -> None:
    assert wording.missing(1200).startswith("1,200 groups or sources of the baseline")
    assert wording.added(3).startswith("3 groups or sources of this run")


def test_relations_with_too_few_sources_are_named() -> None:
    assert wording.never_compared({"a": 10, "b": 400}) == ""
    told = "too few sources to compare, of 10 needed: "
    assert wording.never_compared({"a": 9, "b": 10, "c": 0}) == f"{told}a (9), c (0)"
    many = wording.never_compared({str(number): 0 for number in range(11)})
    assert many.endswith("8 (0), 9 (0), ..."), "a line has an end"
