"""Slips of the finger: near keys, never the first letter, never another word."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, follow_ups, texts
from mt_gate.language.forms import is_word
from mt_gate_suites.text.surface import keyboard_typo


def test_a_letter_gives_way_to_its_neighbour() -> None:
    (new,) = texts("keyboard-typo", "I hate waiting.")
    assert len(new) == len("I hate waiting.")
    differing = [(a, b) for a, b in zip("I hate waiting.", new, strict=True) if a != b]
    ((old, slip),) = differing
    assert slip in keyboard_typo._NEAR[old]


def test_a_word_never_becomes_another() -> None:
    for seed in range(40):
        for one in follow_ups("keyboard-typo", "form bank card hate", seed=seed):
            changed = set(one.text.split()) - set("form bank card hate".split())
            assert changed
            assert not any(is_word(word) for word in changed)


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "of to in", "it is I"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("keyboard-typo", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("keyboard-typo", text)
