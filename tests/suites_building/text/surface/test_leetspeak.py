"""Figures for letters."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts
from mt_gate_suites.text.surface.leetspeak import SIGNS

BACK = {ord(sign): letter for letter, sign in SIGNS.items()}


def undone(text: str) -> str:
    return text.lower().translate(BACK)


def test_figures_stand_for_letters() -> None:
    (new,) = texts("leetspeak", "I hate it.")
    assert new == "I h473 it." or undone(new) == undone("I hate it.")
    assert sum(letter.isdigit() for letter in new) == 2


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "fly by lynch"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("leetspeak", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("leetspeak", text, undone)
