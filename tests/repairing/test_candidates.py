from __future__ import annotations

import math

import pytest

from cases import table
from mt_gate.repairing.reading import Suspect
from mt_gate.repairing.vote import candidates, masks, same_case
from repairing.made_tools import SETTINGS, Alike, Words, tools


def suspect(text: str, words: str, said: str | None = "LOC") -> Suspect:
    start = text.index(words)
    return Suspect(text, (start, start + len(words)), said)


@pytest.mark.parametrize(
    ("words", "whole", "parts"), table(__file__, "words_are_masked_then_parts_of_compounds")
)
def test_words_are_masked_then_parts_of_compounds(words: str, whole: list, parts: list) -> None:
    actual = masks(suspect(f"They saw {words} there.", words))
    assert [mask.slot.filler for mask in actual if not mask.part] == whole
    assert [mask.slot.filler for mask in actual if mask.part] == parts


@pytest.mark.parametrize(
    ("before", "after", "same"), table(__file__, "letter_case_agrees_by_the_first_letter")
)
def test_letter_case_agrees_by_the_first_letter(before: str, after: str, same: bool) -> None:
    assert same_case(before, after) is same


def words_of(table: dict, text: str, entity: str, **more: object) -> list[str]:
    (result,) = candidates([suspect(text, entity)], tools(table, **more), SETTINGS)
    return [candidate.slot.filler for candidate in result]


def test_an_entity_changes_one_word_at_a_time() -> None:
    table = {"New": [("Old", 7.0)], "York": [("Haven", 6.0), ("Orleans", 5.6)]}
    got = words_of(table, "He left New York.", "New York")
    assert got == ["Old York", "New Haven", "New Orleans"]


@pytest.mark.parametrize(
    "fill",
    table(__file__, "what_is_no_candidate"),
)
def test_what_is_no_candidate(fill: tuple[str, float]) -> None:
    assert words_of({"Oslo": [fill]}, "He left Oslo.", "Oslo") == []


def test_a_candidate_that_is_not_alike_is_left_out() -> None:
    table = {"Oslo": [("Rome", 6.0), ("Monday", 6.0), ("Paris", 6.0)]}
    cosines = {"Rome": 0.45, "Monday": 0.44, "Paris": math.nan}
    assert words_of(table, "In Oslo.", "Oslo", cosine=lambda _, new: cosines[new]) == ["Rome"]


def test_likeness_is_between_the_entities_each_in_its_sentence() -> None:
    made = tools({"York": [("Haven", 6.0)]})
    candidates([suspect("He left New York.", "New York")], made, SETTINGS)
    assert isinstance(made.similarity, Alike)
    ((before, after),) = made.similarity.requests
    assert (before.filler, after.filler) == ("New York", "New Haven")
    assert after.text == "He left New Haven."


def test_a_slot_that_two_entities_share_is_filled_once() -> None:
    made = tools({"Stratum": [("Alpha", 6.0)]})
    text = "It is Project Stratum."
    actual = candidates(
        [suspect(text, "Project Stratum"), suspect(text, "Stratum")], made, SETTINGS
    )
    assert [[c.slot.filler for c in own] for own in actual] == [["Project Alpha"], ["Alpha"]]
    assert isinstance(made.fillers, Words)
    assert len(made.fillers.requests) == len(set(made.fillers.requests)) == 2


def test_the_same_sentence_counts_once_and_as_a_whole_word() -> None:
    table = {"Bosnia-Serbia": [("Bosnia-Croatia", 6.0)], "Serbia": [("Croatia", 9.0)]}
    (actual,) = candidates([suspect("In Bosnia-Serbia.", "Bosnia-Serbia")], tools(table), SETTINGS)
    assert [(c.slot.filler, c.part) for c in actual] == [("Bosnia-Croatia", False)]


def test_no_more_than_the_top_are_taken() -> None:
    table = {"Oslo": [(f"Town{number}", 6.0) for number in range(99)]}
    assert len(words_of(table, "In Oslo.", "Oslo")) == 50
