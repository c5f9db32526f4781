"""Nouns whose participle may become a relative clause."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.reduced_nouns import takes_clause


@pytest.mark.parametrize(
    ("text", "noun", "verb", "takes"),
    [
        ("It is a film directed by Ann Lee.", "film", "directed", True),
        ("It is a club founded by Ann Lee.", "club", "founded", True),
        ("He is a man named by Ann Lee.", "man", "named", False),
        ("It is an upcoming film directed by Ann Lee.", "film", "directed", False),
        ("He is the chief executive chosen by Ann Lee.", "executive", "chosen", False),
        ("It is with music composed by Ann Lee.", "music", "composed", False),
        ("It is based on a game developed by Ann Lee.", "game", "developed", False),
    ],
)
def test_nouns(nlp: Language, text: str, noun: str, verb: str, takes: bool) -> None:
    doc = nlp(text)
    assert takes_clause(word(doc, noun), word(doc, verb), comma=False) == takes


def test_behind_a_comma_works_and_what_is_said_of_a_thing_alone(nlp: Language) -> None:
    film = nlp("It is a film, directed by Ann Lee.")
    assert takes_clause(word(film, "film"), word(film, "directed"), comma=True)
    house = nlp("He bought a house, built by Ann Lee.")
    assert not takes_clause(word(house, "house"), word(house, "built"), comma=True)
