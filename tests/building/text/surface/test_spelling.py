"""Words spelt otherwise, within a budget."""

from __future__ import annotations

from random import Random

import pytest

from mt_gate.building.text.surface.spelling import Spelling, content_words, respelt


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
