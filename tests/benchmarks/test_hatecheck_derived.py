"""Cases, and those that people derived from them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cases import table
from hatecheck_derived import (
    DERIVED,
    FAULTY,
    MORE_CHANGED,
    OTHER_LABEL,
    Case,
    DerivedRelation,
    Pairs,
    derived_groups,
    is_respelt,
    read_cases,
)
from mt_gate.domain import Source
from mt_gate.suites.format import find_suite, read_suite

SHARED = Path(__file__).parents[3] / "shared" / "data"
BY_NAME = {one.name: one for one in DERIVED}


def pairs(relation: DerivedRelation, *derived: Case) -> Pairs:
    source = Source(id="a", input={"text": "They are bad."}, origin="c")
    first = Case("a", "They are bad.", "hateful")
    return derived_groups(relation, [first, *derived], [source], "hateful")


def test_a_case_that_keeps_the_label() -> None:
    case = Case("b", "I think they are bad.", "hateful", "a", "phrase_opinion_h")
    (group,) = pairs(BY_NAME["rephrased-case"], case).groups
    assert (group.source, group.follow_up, group.stratum) == ("a", {"text": case.text}, "opinion")


@pytest.mark.parametrize(
    ("name", "case", "why"),
    [
        (
            "negated-attack",
            Case("b", "They are bad.", "hateful", "a", "negate_neg_nh"),
            OTHER_LABEL,
        ),
        (
            "negated-attack",
            Case("b", "They are not.", "non-hateful", "x", "negate_neg_nh"),
            OTHER_LABEL,
        ),
        (
            "spelling-variant",
            Case("b", "Of course they are bd.", "hateful", "a", "spell_char_del_h"),
            MORE_CHANGED,
        ),
        (
            "negated-praise",
            Case("b", "They are never any good.", "hateful", "a", "negate_pos_h"),
            FAULTY,
        ),
    ],
)
def test_cases_that_are_left_out(name: str, case: Case, why: str) -> None:
    assert pairs(BY_NAME[name], case) == ([], Counter({why: 1}))


@pytest.mark.parametrize(("after", "respelt"), table(__file__, "spelling_alone"))
def test_spelling_alone(after: str, respelt: bool) -> None:
    assert is_respelt("They are bad.", after) == respelt


def test_every_pair_of_hatecheck_is_counted() -> None:
    """2,046 cases name another one; each is in the suite, or counted by why it is not."""
    if not (SHARED / "text/hatecheck_cases.csv").is_file():
        pytest.skip("needs the data beside the checkout: ../shared/data/text/hatecheck_cases.csv")
    texts = read_cases(SHARED / "text/hatecheck_cases.csv")
    label = {one.id: one.label for one in texts}
    functions = {name for one in DERIVED for name in one.functions}
    derived = [one for one in texts if one.derived_from]
    assert len(derived) == 2046
    assert {one.function for one in derived} == functions
    same_label = sum(one.label == label[one.derived_from] for one in derived)
    assert (same_label, len(derived) - same_label) == (1446, 600)
    suite = read_suite(find_suite("moderation-default"))
    ids = {one.id for one in DERIVED}
    result = [one for one in suite.head.relations if one.id in ids]
    assert sum(one.groups + sum(one.left_out.values()) for one in result) == 2046
