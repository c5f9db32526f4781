"""Questions get the capitals of their names, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from cases import table
from making_questions import read


@pytest.mark.parametrize(
    ("question", "title", "passage", "names"), table(__file__, "names_are_recognised")
)
def test_names_are_recognised(
    nlp: Language, question: str, title: str, passage: str, names: list[str]
) -> None:
    read_question = read(nlp, question, passage, title)
    assert [read_question.cased[start:end] for start, end in read_question.names] == names


@pytest.mark.parametrize(
    "question",
    ["is an oz and a fl oz the same", "can a tight hat give you a headache", "does it rain"],
)
def test_a_question_without_names_stays_as_it_is(nlp: Language, question: str) -> None:
    actual = read(nlp, question, "An oz is less. It can be tight.", "Fluid ounce")
    assert actual.cased == question
    assert actual.names == ()


def test_words_that_open_a_sentence_prove_nothing(nlp: Language) -> None:
    actual = read(nlp, "is sugar good for cats", "Sugar is sweet. Cats hunt.", "Sugar")
    assert actual.cased == "is sugar good for cats"


def test_i_is_a_capital(nlp: Language) -> None:
    assert read(nlp, "can i drive").cased == "can I drive"


@given(
    st.text(alphabet="abAB é'’-.?\"“(ß1", max_size=30), st.text(alphabet="abAB ß'.\"", max_size=40)
)
def test_offsets_are_those_of_the_question(nlp: Language, question: str, passage: str) -> None:
    actual = read(nlp, question, passage, "Ab (film)")
    assert len(actual.cased) == len(question)
    assert actual.doc.text == f"{actual.cased}?"
    assert all(0 <= start < end <= len(question) for start, end in actual.names)
