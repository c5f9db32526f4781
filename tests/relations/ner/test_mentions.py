"""What of a mention is compared, and where it stands in both sentences."""

from __future__ import annotations

import pytest

from mt_gate.domain import Block, Entity, Side
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entities import EntityPlace, core, cores, place_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the Hague", "Hague"),
        ("The  Hague", "Hague"),
        ("Acme Inc.", "Acme Inc"),
        ("the Acme Inc.", "Acme Inc"),
        ("Theo", "Theo"),
        ("the ", "the "),  # nothing is left without it
        (".", "."),
        ("the .", "."),
        ("A.", "A"),
        ("Hague", "Hague"),
    ],
)
def test_an_article_before_and_a_full_stop_after_are_left_out(text: str, expected: str) -> None:
    sentence = f"In {text} he sat."
    found = core(sentence, Entity(3, 3 + len(text), "LOC"))
    assert sentence[found.start : found.end] == expected
    assert found.label == "LOC"


def test_the_words_around_a_mention_are_none_of_it() -> None:
    assert core("the Hague.", Entity(4, 9, "LOC")) == Entity(4, 9, "LOC")


def test_entities_are_known_by_their_cores_in_order() -> None:
    output = {"entities": [[0, 9, "LOC"], [13, 17, "PER"]]}
    assert [*cores("The Hague or Anna.", output).items()] == [
        (Entity(4, 9, "LOC"), Entity(0, 9, "LOC")),
        (Entity(13, 17, "PER"), Entity(13, 17, "PER")),
    ]


def test_a_stretch_stands_in_both_sentences_or_in_its_own() -> None:
    alignment = (Block(0, 5, 4), Block(4, 0, 3))
    case = ExecutedGroup({"text": "Annamet."}, {"text": "met..Anna"}, {}, {}, alignment)
    assert place_of(case, Side.SOURCE, 0, 4) == EntityPlace((0, 4), (5, 9))
    assert place_of(case, Side.FOLLOW_UP, 5, 9) == EntityPlace((0, 4), (5, 9))
    assert place_of(case, Side.SOURCE, 0, 5) == EntityPlace((0, 5), None)
    assert place_of(case, Side.FOLLOW_UP, 2, 4) == EntityPlace(None, (2, 4))
