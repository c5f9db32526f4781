"""A star for a vowel."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, follow_ups, texts


def test_a_star_stands_for_a_vowel() -> None:
    assert texts("letter-masking", "I hate it.") == ["I h*te it."]


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "myth rhythm", "h*te"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("letter-masking", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("letter-masking", text)


@given(english)
def test_stars_stand_for_vowels_alone(text: str) -> None:
    for one in follow_ups("letter-masking", text):
        assert len(one.text) == len(text)
        pairs = zip(text, one.text, strict=True)
        assert all(new == "*" and old in "aeiou" for old, new in pairs if old != new)
