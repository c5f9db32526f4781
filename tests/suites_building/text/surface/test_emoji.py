"""An emoji behind the text."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import check_surface, english, texts
from mt_gate_suites.text.surface.emoji import EMOJI


def undone(text: str) -> str:
    return "".join(letter for letter in text if letter not in EMOJI).rstrip()


def test_an_emoji_stands_behind_the_text() -> None:
    (new,) = texts("emoji", "Where is my card? ")
    assert new[:-3] == "Where is my card?"
    assert new[-2] in EMOJI
    assert new[-1] == " "


@pytest.mark.parametrize("text", ["", "  ", "Thanks 🙏"])
def test_it_does_nothing_to_no_text_or_behind_another(text: str) -> None:
    assert texts("emoji", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("emoji", text, undone, most=None)
