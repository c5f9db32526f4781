from __future__ import annotations

from making import question
from mt_gate.domain import Verdict
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.structural import RELATION

TEXT = "Anna was in Oslo with Boris."


def verdict(before: list, after: list) -> Verdict:
    follow_up, blocks = question(TEXT)
    case = ExecutedGroup(
        {"text": TEXT}, {"text": follow_up}, {"entities": before}, {"entities": after}, blocks
    )
    return RELATION.holds(case).verdict


def test_follow_ups_stand_in_the_suite() -> None:
    assert RELATION.bind is None


def test_the_same_names_in_their_new_places_satisfy() -> None:
    assert verdict([[0, 4, "PER"]], [[4, 8, "PER"]]) is Verdict.SATISFIED


def test_another_label_violates() -> None:
    assert verdict([[0, 4, "PER"]], [[4, 8, "ORG"]]) is Verdict.VIOLATED


def test_silence_is_vacuous() -> None:
    assert verdict([], []) is Verdict.NOT_APPLICABLE
