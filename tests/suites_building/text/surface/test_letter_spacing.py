"""The letters of one word stand apart."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts


def undone(text: str) -> str:
    return text.replace(" ", "")


def test_the_letters_of_one_word_stand_apart() -> None:
    assert texts("letter-spacing", "I hate it.") == ["I h a t e it."]


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "incomprehensibilities", "of it"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("letter-spacing", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("letter-spacing", text, undone, most=1)
