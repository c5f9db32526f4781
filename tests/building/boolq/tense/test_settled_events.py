"""Events that happened once or not at all, and those of which a second may come."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate.building.boolq.tense.settled_events import settled

FILM = ("Gone is a 1990 American comedy film. It stars Joe Bloggs.", "Gone (film)")
SHIP = ("The Titanic was a liner that sank in 1912.", "Titanic")
BOOK = ("Emma is a novel by Jane Austen.", "Emma (novel)")
NONE = ("", "")


@pytest.mark.parametrize(
    ("rest", "about"),
    [
        ("england win the world cup in 1966", NONE),
        ("brazil win the 2002 world cup", NONE),
        ("italy qualify for the 2018 world cup", NONE),
        ("the war start in 1914", NONE),
        ("the titanic sink", SHIP),
        ("the captain go down with the ship", SHIP),
        ("jane austen write the book", NONE),
        ("halo come out before doom", NONE),
        ("joe bloggs sing in gone", FILM),
        ("gone win an oscar", FILM),
        ("joe bloggs win an oscar for gone", FILM),
    ],
)
def test_what_happened_once(nlp: Language, rest: str, about: tuple[str, str]) -> None:
    assert settled(read(nlp, f"did {rest}", *about), rest)


@pytest.mark.parametrize(
    ("rest", "about"),
    [
        ("england win the world cup", NONE),
        ("anyone win the world cup in 1966", BOOK),
        ("anyone sink", SHIP),
        ("jane austen write books", NONE),
        ("people write the book", NONE),
        ("emma die", BOOK),
        ("rome fall in 476", BOOK),
        ("joe bloggs sing in gone", SHIP),
        ("joe bloggs sing in cats", FILM),
        ("gone win an oscar", SHIP),
        ("he win an oscar for gone", NONE),
        ("the ship come out", SHIP),
        ("the titanic sink before he was saved", SHIP),
    ],
)
def test_what_may_come_again_or_is_a_story(
    nlp: Language, rest: str, about: tuple[str, str]
) -> None:
    assert not settled(read(nlp, f"did {rest}", *about), rest)
