"""What follows a clause, and whether it leans on a phrase that moves."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.rest import (
    has_late_relative,
    has_second_verb,
    leans_back,
    opens_with_place,
)


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("Anna bought the house in 1990.", False),
        ("Anna bought the house, and Boris sold it.", False),
        ("Anna bought the house when the war ended.", False),
        ("Anna bought the house.", False),
        ("Anna bought the house and sold it.", True),
        ("Anna bought the house and was then sold out.", True),
        ("Anna bought the house in Oslo, which had burned.", True),
        ("Anna bought the house, in which Boris lived.", True),
        ("Anna bought the house rather than the garden.", True),
        ("Anna bought the house, and many were sold.", True),
        ("Anna bought the house", True),
    ],
)
def test_what_leans_back(nlp: Language, text: str, leans: bool) -> None:
    doc = nlp(text)
    assert leans_back(doc[word(doc, "house").i + 1 :]) == leans


def test_second_verbs_and_late_relatives_are_told_apart(nlp: Language) -> None:
    verb, clause = nlp("Anna came, and then left."), nlp("Anna came to Oslo, which was cold.")
    assert (has_second_verb(verb[2:]), has_late_relative(verb[2:])) == (True, False)
    assert (has_second_verb(clause[2:]), has_late_relative(clause[2:])) == (False, True)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Anna built bases in Spain.", True),
        ("Anna built bases under the sea.", True),
        ("Anna built bases in 1990.", False),
        ("Anna built bases with Boris.", False),
    ],
)
def test_places_after_a_phrase(nlp: Language, text: str, place: bool) -> None:
    doc = nlp(text)
    assert opens_with_place(doc[word(doc, "bases").i + 1 :]) == place
