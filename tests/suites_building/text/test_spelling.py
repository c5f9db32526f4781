"""Words spelt otherwise, within a budget."""

from __future__ import annotations

from random import Random

import pytest

from cases import table
from mt_gate_suites.text.surface.spelling import Spelling, content_words, is_disguised, respelt


def starred(word: str, _: Random) -> list[Spelling]:
    return [Spelling(0, len(word), "*" * len(word))]


@pytest.mark.parametrize(("words", "edited"), [(1, 1), (7, 1), (8, 2), (40, 2)])
def test_the_budget_grows_with_the_text(words: int, edited: int) -> None:
    text = " ".join(["banana"] * words)
    (new,) = respelt(text, Random(1), starred)
    assert new.text.count("******") == edited
    assert new.text.count("banana") == words - edited


def test_short_words_and_words_of_grammar_stay() -> None:
    assert respelt("the cat with which", Random(1), starred) == []
    assert [word.text for word in content_words("which banana there")] == ["banana"]


def test_words_that_cannot_be_spelt_otherwise_leave_their_room_to_others() -> None:
    def some(word: str, _: Random) -> list[Spelling]:
        return [Spelling(0, 1, "*")] if word == "cherry" else []

    for seed in range(10):
        (new,) = respelt("banana cherry potato", Random(seed), some)
        assert new.text == "banana *herry potato"


@pytest.mark.parametrize("text", table(__file__, "texts_that_are_disguised_already_are_left_alone"))
def test_texts_that_are_disguised_already_are_left_alone(text: str) -> None:
    assert is_disguised(text)
    assert content_words(text) == []


@pytest.mark.parametrize(
    "text",
    ["a cafe\u0301 in the town", "I am a fan", "call 5 of us", "on 1st of May", "a@b.org, 3*4", ""],
)
def test_texts_that_are_not(text: str) -> None:
    assert not is_disguised(text)
