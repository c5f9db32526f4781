from __future__ import annotations

import pytest

from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.entities import compare_entities

BEFORE = "Anna bought a house in Oslo."
AFTER = "Anna purchased a house in Oslo."
BLOCKS = (Block(0, 0, 5), Block(11, 14, 17))
ANNA, OSLO = [0, 4, "PER"], [23, 27, "LOC"]
OSLO_AFTER = [26, 30, "LOC"]


def judge(before: list[list[object]], after: list[list[object]]) -> Judgement:
    case = ExecutedGroup(
        {"text": BEFORE}, {"text": AFTER}, {"entities": before}, {"entities": after}, BLOCKS
    )
    return compare_entities(case, only_shared=True)


def test_holds_where_all_names_keep_their_labels() -> None:
    assert judge([ANNA, OSLO], [ANNA, OSLO_AFTER]).verdict is Verdict.SATISFIED


@pytest.mark.parametrize(
    "after",
    [
        [ANNA],  # lost
        [ANNA, [26, 30, "PER"]],  # another label
        [ANNA, [23, 30, "LOC"]],  # another range
        [ANNA, OSLO_AFTER, [17, 22, "ORG"]],  # a word that was none
    ],
)
def test_is_violated_where_a_label_changes(after: list[list[object]]) -> None:
    judgement = judge([ANNA, OSLO], after)
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.unmatched


def test_none_is_a_label() -> None:
    judgement = judge([ANNA], [ANNA, OSLO_AFTER])
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.unmatched == {"source": [], "follow_up": [OSLO_AFTER]}


@pytest.mark.parametrize("entity", [[5, 11, "ORG"], [0, 11, "PER"], [8, 19, "ORG"]])
def test_a_slot_in_an_entity_is_not_applicable(entity: list[object]) -> None:
    judgement = judge([entity, OSLO], [OSLO_AFTER])
    assert (judgement.verdict, judgement.reason) == (
        Verdict.NOT_APPLICABLE,
        NotApplicable.SLOT_IN_ENTITY,
    )


def test_the_new_word_is_not_compared() -> None:
    """It is in one sentence only, so its label is not compared."""
    assert judge([ANNA], [ANNA, [5, 14, "ORG"]]).verdict is Verdict.SATISFIED


@pytest.mark.parametrize("after", [[], [[5, 14, "ORG"]]])
def test_nothing_to_compare_is_vacuous(after: list[list[object]]) -> None:
    judgement = judge([], after)
    assert (judgement.verdict, judgement.reason) == (Verdict.NOT_APPLICABLE, "vacuous")


def test_a_mark_within_a_name_touches_no_name() -> None:
    case = ExecutedGroup(
        {"text": BEFORE},
        {"text": BEFORE.replace("Oslo", "Os\u200blo")},
        {"entities": [ANNA, OSLO]},
        {"entities": [ANNA, [23, 28, "LOC"]]},
        (Block(0, 0, 25), Block(25, 26, 3)),
    )
    assert compare_entities(case, only_shared=True).verdict is Verdict.SATISFIED
