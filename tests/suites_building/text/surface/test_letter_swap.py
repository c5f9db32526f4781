"""Two letters within a word change places."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, texts


def undone(text: str) -> str:
    return "".join(sorted(text))


def test_two_letters_change_places() -> None:
    (new,) = texts("letter-swap", "I was waiting.")
    assert new != "I was waiting."
    assert sorted(new) == sorted("I was waiting.")
    assert new.split()[2][0] == "w"


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "aaaa eeee", "the and"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("letter-swap", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("letter-swap", text, undone)
