"""Letters lose their accents."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts


def undone(text: str) -> str:
    return "".join(a for a in unicodedata.normalize("NFD", text) if not unicodedata.combining(a))


def test_accents_are_dropped() -> None:
    assert texts("dropped-diacritics", "Is there a café in São Paulo?") == [
        "Is there a cafe in Sao Paulo?"
    ]


@pytest.mark.parametrize(
    "text", [*NOTHING_TO_EDIT, "A plain text.", "He sent his résumé.", "Привет й"]
)
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("dropped-diacritics", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("dropped-diacritics", text, undone, most=None)
