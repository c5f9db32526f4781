"""Letters of another script that look the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts
from mt_gate_suites.text.surface.homoglyph import LOOKALIKES

BACK = {ord(new): old for old, new in LOOKALIKES.items()}


def undone(text: str) -> str:
    return text.translate(BACK)


def test_a_letter_of_another_script_looks_the_same() -> None:
    (new,) = texts("homoglyph", "I hate it.")
    assert new != "I hate it."
    assert undone(new) == "I hate it."
    assert any("CYRILLIC" in unicodedata.name(letter) for letter in new)


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "rfgt"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("homoglyph", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("homoglyph", text, undone)


def test_each_lookalike_is_of_one_letter() -> None:
    assert len(set(LOOKALIKES.values())) == len(LOOKALIKES)
    assert all(unicodedata.category(new)[0] == "L" for new in LOOKALIKES.values())
