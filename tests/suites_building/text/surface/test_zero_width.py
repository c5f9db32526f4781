"""Characters that take no room."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts
from mt_gate_suites.text.surface.zero_width import INVISIBLE


def undone(text: str) -> str:
    return "".join(letter for letter in text if letter not in INVISIBLE)


def test_nothing_is_seen() -> None:
    (new,) = texts("zero-width", "I hate it.")
    assert len(new) == len("I hate it.") + 1
    assert undone(new) == "I hate it."


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("zero-width", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("zero-width", text, undone)


def test_the_characters_are_format_characters() -> None:
    assert {unicodedata.category(one) for one in INVISIBLE} == {"Cf"}
