"""Marks over letters that stay what they are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts
from mt_gate_suites.text.surface.combining_marks import MARKS


def undone(text: str) -> str:
    return "".join(letter for letter in text if letter not in MARKS)


def test_a_mark_is_laid_over_a_letter() -> None:
    (new,) = texts("combining-marks", "I hate it.")
    assert len(new) == len("I hate it.") + 1
    assert undone(new) == "I hate it."


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("combining-marks", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("combining-marks", text, undone)


def test_no_mark_makes_another_letter() -> None:
    for mark in MARKS:
        assert unicodedata.combining(mark)
        assert all(unicodedata.normalize("NFC", a + mark) == a + mark for a in "aeiounclst")
