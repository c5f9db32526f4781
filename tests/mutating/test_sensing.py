"""Counts of newly failing samples, and what follows from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from mt_gate.judging.verdicts import RelationVerdicts, SourceVerdicts
from mt_gate.mutating.sensing import Conclusion, Failing, answers, failing, signed
from mt_gate.results.result import RunSettings

SETTINGS = RunSettings(
    alpha=0.05,
    margin=0.01,
    strict=False,
    max_applicability_loss=0.1,
    max_violation_rate={},
    must_hold=(),
    relations=(),
    complete=True,
    noise=0.0,
)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_answers_are_counted_and_tested_as_mcnemar_does(pairs: list[tuple[bool, bool]]) -> None:
    before, after = (list(side) for side in zip(*pairs, strict=True))
    found = answers(before, after, SETTINGS)
    lost = sum(was and not now for was, now in pairs)
    won = sum(now and not was for was, now in pairs)
    assert found.newly_wrong == Failing(passed=sum(before), failing=lost)
    assert (found.newly_right, found.right) == (won, sum(after))
    if lost + won:
        wanted = binomtest(lost, lost + won, alternative="greater").pvalue
        assert found.p_value == pytest.approx(wanted, rel=1e-9)
    assert found.caught == (found.p_value < 0.05 and (lost - won) / len(pairs) > 0.01)


def test_a_fall_within_the_margin_is_let_pass() -> None:
    before = [True] * 10_000
    after = [False] * 20 + [True] * 9_980
    found = answers(before, after, SETTINGS)
    assert found.p_value < 0.001
    assert not found.caught


def test_groups_that_passed_and_are_violated_now() -> None:
    before = RelationVerdicts(
        id="a", satisfied=frozenset("pqrs"), violated=frozenset("t"), not_applicable={}
    )
    now = RelationVerdicts(
        id="a",
        satisfied=frozenset("p"),
        violated=frozenset("qtu"),
        not_applicable={"vacuous": frozenset("rs")},
    )
    assert failing({"a": now}, {"a": before}) == {"a": Failing(passed=4, failing=1)}


def test_bound_relations_count_sources() -> None:
    before = RelationVerdicts(
        id="a",
        bound=True,
        sources={
            "held": SourceVerdicts(2),
            "broken": SourceVerdicts(2, frozenset({"x"})),
            "silent": SourceVerdicts(0),
            "lost": SourceVerdicts(1),
        },
    )
    now = RelationVerdicts(
        id="a",
        bound=True,
        sources={
            "held": SourceVerdicts(3, frozenset({"y"})),
            "broken": SourceVerdicts(2, frozenset({"x"})),
            "silent": SourceVerdicts(1, frozenset({"z"})),
        },
    )
    assert failing({"a": now}, {"a": before}) == {"a": Failing(passed=2, failing=1)}


def test_a_relation_that_nothing_passed_has_no_ratio() -> None:
    assert Failing(passed=0, failing=0).ratio is None
    assert failing({}, {"a": RelationVerdicts(id="a", satisfied=frozenset("p"))}) == {
        "a": Failing(passed=1, failing=0)
    }


HIGH, LOW = [0.1 * item for item in range(1, 11)], [0.01] * 10


@pytest.mark.parametrize(
    ("relation", "accuracy", "conclusion"),
    [
        (HIGH, LOW, Conclusion.BETTER),
        (LOW, HIGH, Conclusion.WORSE),
        (HIGH, HIGH, Conclusion.SIMILAR),
        ([0.3, 0.1] * 5, [0.1, 0.3] * 5, Conclusion.SIMILAR),
        ([None] * 10, LOW, Conclusion.NO_DATA),
    ],
)
def test_conclusions(relation: list, accuracy: list, conclusion: Conclusion) -> None:
    assert signed(relation, accuracy, 0.05).conclusion is conclusion


@pytest.mark.parametrize(
    ("differences", "two_tailed", "one_tailed"),
    [
        # The smallest that ten pairs can give, as the paper's table 2 has them.
        ([item / 10 for item in range(1, 11)], 2 / 2**10, 1 / 2**10),
        ([-0.5], 1, 1),
        ([0.5, 0.5], 1 / 2, 1 / 4),  # by hand: equal differences share their rank
        ([0.3, 0.2, -0.1], 1 / 2, 1 / 4),
        ([0.3, 0, 0.2, 0, -0.1], 1 / 2, 1 / 4),  # without those that are the same
        ([0.0, 0.0], 1, 1),
    ],
)
def test_p_values(differences: list[float], two_tailed: float, one_tailed: float) -> None:
    accuracy = [1 / 3] * len(differences)
    found = signed([value + 1 / 3 for value in differences], accuracy, 0.05)
    assert found.two_tailed == pytest.approx(two_tailed)
    assert found.one_tailed == pytest.approx(one_tailed)


def test_mutants_without_a_ratio_are_left_out() -> None:
    found = signed([None, 0.2, 0.3], [0.1, 0.1, 0.3], 0.05)
    assert (found.mutants, found.differing) == (2, 1)
