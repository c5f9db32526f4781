"""Shifts of predictions on the originals, with scipy and arithmetic as oracles."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from scipy.stats import binomtest, norm

from judging.made import DEFAULTS
from mt_gate.domain import AnswerChange
from mt_gate.judging.churn import (
    Original,
    describe_shift,
    describe_shift_of_profiles,
    find_one_class,
    shifts,
    shifts_of_profiles,
)
from mt_gate.results.result import AnswerChurn, Flips, MovedAnswers, Profiles
from mt_gate.tasks.table import TASKS

TEXT, NER = TASKS["text"], TASKS["ner"]


def originals(pairs: Sequence[tuple[str, str]]) -> list[Original]:
    """Return originals, each of its own cluster, with one label each; "" is none."""
    return [
        Original(f"s{i}", (before,) if before else (), (after,) if after else ())
        for i, (before, after) in enumerate(pairs)
    ]


def some(**counts: int) -> list[Original]:
    """Return originals from counts of moves: ``a_b=3`` are three from a to b."""
    return originals([tuple(name.split("_")) for name, n in counts.items() for _ in range(n)])  # type: ignore[misc]


@pytest.mark.parametrize(("lost", "gained"), [(0, 30), (5, 25), (12, 18), (15, 15)])
def test_a_shift_of_one_label_is_mcnemars_exact_test(lost: int, gained: int) -> None:
    actual = shifts(TEXT, some(a_b=lost, b_a=gained, a_a=200, b_b=200))
    by_label = {one.label: one for one in actual}
    # Two labels that exchange their places: Holm doubles the p of each.
    wanted = min(1.0, 2 * binomtest(gained, lost + gained).pvalue)
    assert by_label["a"].p_value == pytest.approx(wanted, rel=1e-6)
    assert by_label["a"].before == (200 + lost) / (400 + lost + gained)
    assert by_label["a"].after == (200 + gained) / (400 + lost + gained)


@pytest.mark.parametrize(
    "originals",
    [
        some(a_a=300, b_b=200),
        some(a_b=40, b_a=40, a_a=300, b_b=300),
        some(a_b=5, a_a=2000, b_b=2000),  # less than the margin
        some(a_b=8),  # too few
        [],
    ],
)
def test_nothing_is_said_where_nothing_moves(originals: list[Original]) -> None:
    assert describe_shift(TEXT, originals, [], DEFAULTS) == ""


def test_labels_that_change_places_agree_by_chance_alone() -> None:
    """The shares are alike, and so is every relation that compares a prediction with another."""
    message = describe_shift(TEXT, some(a_b=150, b_a=150), [], DEFAULTS)
    assert message.startswith("predictions agree with the baseline's on 0% of 300 originals")


def test_two_systems_that_know_nothing_of_each_other_agree_by_chance() -> None:
    rng = random.Random(3)
    pairs = [(rng.choice("ab"), rng.choice("ab")) for _ in range(400)]
    assert "no more often than chance" in describe_shift(TEXT, originals(pairs), [], DEFAULTS)
    alike = [(one, one if rng.random() < 0.7 else other) for one, other in pairs]
    assert describe_shift(TEXT, originals(alike), [], DEFAULTS) == ""


@pytest.mark.parametrize("alike", [11, 12])
def test_few_originals_that_agree_are_no_shift(alike: int) -> None:
    originals = some(a_a=alike - 1, b_b=1, a_b=12 - alike)
    assert describe_shift(TEXT, originals, [], DEFAULTS) == ""


def test_what_lies_between_two_runs_of_the_baseline_is_chance() -> None:
    originals = some(a_b=60, b_a=2, a_a=200, b_b=200)
    shares = {"share of a": 202 / 462, "share of b": 260 / 462}
    runs = [{"share of a": 260 / 462, "share of b": 202 / 462}, shares]
    assert describe_shift(TEXT, originals, runs[:1], DEFAULTS)
    assert describe_shift(TEXT, originals, runs, DEFAULTS) == ""


def test_clusters_count_once() -> None:
    """Thirty originals of one cluster are one piece of evidence."""
    moved = [Original("one", ("a",), ("b",)) for _ in range(30)]
    still = [Original(f"s{i}", ("a",), ("a",)) for i in range(100)]
    assert describe_shift(TEXT, [*moved, *still], [], DEFAULTS) == ""


def test_entities_of_a_kind_that_are_no_longer_recognised() -> None:
    originals = [Original(f"s{i}", ("LOC", "PER"), ("LOC",)) for i in range(40)]
    message = describe_shift(NER, originals, [], DEFAULTS)
    assert "“PER” 1.000 per original → 0.000 per original" in message
    assert "LOC" not in message


def test_shares_alone_are_an_unpaired_test() -> None:
    profiles = Profiles(candidate={"share of a": 0.30}, baseline={"share of a": 0.45})
    [actual] = shifts_of_profiles(TEXT, profiles, 500)
    z = 0.15 / math.sqrt((0.45 * 0.55 + 0.30 * 0.70) / 500)
    assert actual.p_value == pytest.approx(2 * norm.sf(z), rel=1e-6)
    message = describe_shift_of_profiles(TEXT, profiles, 500, [], DEFAULTS)
    assert "“a” 45.0% → 30.0%" in message
    assert describe_shift_of_profiles(TEXT, profiles, 5, [], DEFAULTS) == ""
    alike = Profiles(candidate={"share of a": 0.44}, baseline={"share of a": 0.45})
    assert describe_shift_of_profiles(TEXT, alike, 500, [], DEFAULTS) == ""


def churn(**counts: int) -> AnswerChurn:
    """Return what moved, from counts as in ``some``."""
    moves = [(*name.split("_"), n) for name, n in counts.items()]
    number = sum(counts.values())
    turned = sum(n for before, after, n in moves if before != after)
    return AnswerChurn(
        inputs=Flips(number=turned, of=number, clusters=number, rate=turned / number, ci95=(0, 1)),
        moves=tuple(
            MovedAnswers(
                how=AnswerChange.KEPT if before == after else AnswerChange.CHANGED,
                before=before,
                after=after,
                number=n,
            )
            for before, after, n in moves
        ),
    )


NOTHING = Profiles(candidate={})


@pytest.mark.parametrize(
    ("churned", "expected"),
    [
        (churn(a_a=100, b_a=100), "“a” for 100% of the inputs (50.0% in the baseline)"),
        (churn(a_a=80, b_a=919, b_b=1), "“a” for 99.9%"),
        (churn(a_a=100, b_b=100), ""),
        (churn(a_a=100, b_a=90, b_b=10), ""),
        (churn(a_a=195, b_a=5), ""),  # the baseline did so, too
        (churn(a_a=9), ""),
    ],
)
def test_one_class_for_everything(churned: AnswerChurn, expected: str) -> None:
    sentence = find_one_class(TEXT, churned, NOTHING, known=False)
    assert expected in sentence
    assert bool(sentence) == bool(expected)


def test_one_class_by_shares_where_the_baseline_keeps_no_predictions() -> None:
    profiles = Profiles(
        candidate={"share of a": 1.0}, baseline={"share of a": 0.5, "share of b": 0.5}
    )
    assert "“a” for 100%" in find_one_class(TEXT, None, profiles, known=False)
    # Originals that are all of one class, as hateful ones are, show nothing.
    assert find_one_class(TEXT, None, profiles, known=True) == ""
    assert find_one_class(NER, None, profiles, known=False) == ""
