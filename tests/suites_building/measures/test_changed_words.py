"""What an edit is called, and that what only moves is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.suites.format import find_suite, read_suite, shipped_suites
from mt_gate.tasks.table import TASKS
from mt_gate_suites.measures.changed_words import REARRANGED, edit_of

NER, BOOLQ, RE = TASKS["ner"], TASKS["boolq"], TASKS["re"]


@pytest.mark.parametrize(
    ("source", "follow_up", "name"),
    table(__file__, "sentences"),
)
def test_sentences(source: str, follow_up: str, name: str) -> None:
    assert edit_of(NER, {"text": source}, {"text": follow_up}).name == name


def test_question_and_passage() -> None:
    before = {"question": "is it a true story", "passage": "It is true."}
    after = {"question": "is it a real story", "passage": "It is true."}
    assert edit_of(BOOLQ, before, after).name == "true -> real"
    assert edit_of(BOOLQ, after, {**after, "passage": "True it is."}).name == REARRANGED


def test_pairs() -> None:
    text = "Anna lives in Oslo; she likes Oslo."
    source = {"text": text, "head": [0, 4, "PERSON"], "tail": [14, 18, "CITY"]}
    swapped = {"text": text, "head": source["tail"], "tail": source["head"]}
    assert edit_of(RE, source, swapped).is_rearrangement
    pronoun = {**source, "head": [20, 23, "PERSON"]}
    assert edit_of(RE, source, pronoun).name == "anna -> she"
    again = {**source, "tail": [30, 34, "CITY"]}
    assert edit_of(RE, source, again).is_rearrangement, "another mention with the same words"
    kind = {**source, "tail": [14, 18, "LOCATION"]}
    assert edit_of(RE, source, kind).name == "type CITY -> type LOCATION"


@given(st.text(), st.text())
def test_an_edit_read_backwards(one: str, other: str) -> None:
    there = edit_of(NER, {"text": one}, {"text": other})
    back = edit_of(NER, {"text": other}, {"text": one})
    assert (back.taken_out, back.put_in) == (there.put_in, there.taken_out)
    assert edit_of(NER, {"text": one}, {"text": one}).is_rearrangement


@pytest.mark.parametrize("name", shipped_suites())
def test_every_shipped_group_has_a_name(name: str) -> None:
    suite = read_suite(find_suite(name))
    inputs = {source.id: source.input for source in suite.sources}
    for group in suite.groups:
        actual = edit_of(TASKS[suite.head.task], inputs[group.source], group.follow_up)
        assert actual.name == actual.name.strip() != ""
