"""Clauses whose verb may change its voice by what stands around them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.clause_frame import (
    adverb_moves,
    clause_fault,
    is_enclosed,
    rest_fault,
    sentence_fault,
)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Anna bought the house in 1990.", None),
        ("Anna bought the house, and Boris sold it.", None),
        ("bought the house in 1990.", "fragment"),
        ("Anna bought the house in 1990", "fragment"),
        ("Anna bought the house?", "fragment"),
        ("Anna bought " + "a very " * 40 + "old house.", "long-sentence"),
        ("Anna bought\n the house in 1990.", "spacing"),
    ],
)
def test_sentences(nlp: Language, text: str, fault: str | None) -> None:
    assert sentence_fault(nlp(text)[:]) == fault


@pytest.mark.parametrize(
    ("text", "verb", "fault"),
    [
        ("Anna bought the house in 1990.", "bought", None),
        ("In 1990, Anna bought the house.", "bought", None),
        ("Boris left, and Anna bought the house.", "bought", None),
        ("Boris says that Anna bought the house.", "bought", None),
        ("Boris says Anna bought the house.", "bought", "opening"),
        ("Hoping for snow, Anna bought the house.", "bought", "front"),
    ],
)
def test_places_of_a_clause(nlp: Language, text: str, verb: str, fault: str | None) -> None:
    token = word(nlp(text), verb)
    subject = next(child for child in token.children if child.dep_ == "nsubj")
    assert clause_fault(token, subject) == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Anna bought the house in 1990.", None),
        ("Anna bought the house on May 3, 1990.", None),
        ("Anna bought the house when the war ended.", None),
        ("Anna bought the house later.", None),
        ("Anna bought the house cheaply.", "adverb"),
        ("Anna bought the house to live there.", "rest-xcomp"),
        ("Anna bought the house hoping for snow.", "control"),
    ],
)
def test_what_follows(nlp: Language, text: str, fault: str | None) -> None:
    doc = nlp(text)
    found = rest_fault(word(doc, "bought"), word(doc, "house").i + 1)
    assert (found is None) == (fault is None)


@pytest.mark.parametrize(
    ("text", "adverb", "moves"),
    [
        ("The company now uses the brand.", "now", True),
        ("The company later used the brand.", "later", True),
        ("The company mostly uses the brand.", "mostly", False),
        ("The company first used the brand.", "first", False),
        ("The company often uses the brand.", "often", False),
    ],
)
def test_adverbs_that_say_the_same_before_either_voice(
    nlp: Language, text: str, adverb: str, moves: bool
) -> None:
    assert adverb_moves(word(nlp(text), adverb)) == moves


@pytest.mark.parametrize(
    ("text", "enclosed"),
    [
        ("Boris left (Anna bought the house).", True),
        ('Boris said "Anna bought the house".', True),
        ("Boris (a man) left when Anna bought it.", False),
        ("Anna bought the house.", False),
    ],
)
def test_brackets_and_quotations(nlp: Language, text: str, enclosed: bool) -> None:
    doc = nlp(text)
    assert is_enclosed(doc[:], word(doc, "bought")) == enclosed
