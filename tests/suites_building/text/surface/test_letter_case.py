"""Capitals, none, or one word of them."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import check_surface, english, follow_ups, texts


def undone(text: str) -> str:
    return text.casefold()


def test_capitals_none_or_one_word() -> None:
    found = {one.stratum: one.text for one in follow_ups("letter-case", "I hate Anna's dog.")}
    assert found["capitals"] == "I HATE ANNA'S DOG."
    assert found["no-capitals"] == "i hate anna's dog."
    assert found["one-word"] == "I HATE Anna's dog."


@pytest.mark.parametrize("text", ["12 345", "?!", "https://example.com/path", "ß", ""])
def test_a_text_without_letters_to_change_stays(text: str) -> None:
    assert texts("letter-case", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("letter-case", text, undone, most=None)
