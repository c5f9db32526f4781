"""Noun phrases that may change places, and those that may belong to the verb."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.phrases import (
    agent_phrase,
    has_clause,
    has_marks,
    names,
    noun_phrase,
)


@pytest.mark.parametrize(
    ("text", "head", "phrase"),
    [
        ("The company uses the SSE brand.", "brand", "the SSE brand"),
        ("Anna wrote the history of the town in 1990.", "history", "the history of the town"),
        ("Anna bought a house and a garden.", "house", "a house and a garden"),
        ("Anna opened the museum on 3 May 1990.", "museum", "the museum"),
    ],
)  # fmt: skip
def test_plain_phrases(nlp: Language, text: str, head: str, phrase: str) -> None:
    found = noun_phrase(word(nlp(text), head))
    assert found is not None
    assert found.span.text == phrase
    assert not found.is_pronoun
    assert not has_clause(found)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Anna bought no house in 1990.", "house"),
        ("Anna bought the same house again.", "house"),
        ("Anna bought every house in Oslo.", "house"),
        ("Anna bought the house, a ruin.", "house"),
        ('Anna bought the "small house" in 1990.', "house"),
        ("Anna bought it.", "it"),
        ("Anna bought her garden.", "garden"),
        ("Anna owns 3 Rhode Island Ave.", "Ave"),
    ],
)
def test_what_may_be_more_than_a_phrase(nlp: Language, text: str, head: str) -> None:
    assert noun_phrase(word(nlp(text), head)) is None


def test_before_its_verb_a_phrase_takes_what_hangs_on_it(nlp: Language) -> None:
    head = word(nlp("The house in the old town was sold."), "house")
    found = noun_phrase(head, closed=True)
    assert found is not None
    assert found.span.text == "The house in the old town"


def test_a_relative_clause_ends_the_phrase_with_the_sentence(nlp: Language) -> None:
    found = noun_phrase(word(nlp("Anna bought the house that burned."), "house"))
    assert found is not None
    assert found.span.text == "the house that burned"
    assert has_clause(found)


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("The film was written by Ann Lee, Bob Roy and Cy Poe.", "Ann Lee, Bob Roy and Cy Poe"),
        ("The film was written by Ann Lee in 1990.", "Ann Lee"),
        ("The film was written by the king of Norway.", "the king of Norway"),
    ],
)
def test_agents(nlp: Language, text: str, agent: str) -> None:
    doc = nlp(text)
    by = word(doc, "by")
    found = agent_phrase(next(by.children))
    assert found is not None
    assert found.span.text == agent


@pytest.mark.parametrize(
    "text",
    [
        "The film was written by Ann Lee, Bob Roy, Cy Poe.",
        "The film was written by Ann Lee and others, and sold.",
        "It was built by houses, gardens and roads.",
    ],
)
def test_what_is_no_list_of_names(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert names(doc[word(doc, "by").i + 1]) is None


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("the old town", False),
        ("Anna's house", False),
        ("the boys' house", False),
        ("the (old) town", True),
        ('the "old" town', True),
        ("the old town – now", True),
        ("and/or", True),
    ],
)
def test_marks(text: str, marks: bool) -> None:
    assert has_marks(text) == marks
