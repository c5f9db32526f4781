"""A vowel drawn out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts


def undone(text: str) -> str:
    return re.sub(r"([aeiou])\1{2,3}", r"\1", text)


def test_the_first_vowel_is_drawn_out() -> None:
    assert texts("repeated-letters", "I hate it.")[0] in {"I haaate it.", "I haaaate it."}


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "myth"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("repeated-letters", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("repeated-letters", text, undone)
