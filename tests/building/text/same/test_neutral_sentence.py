"""A sentence that says nothing of the matter."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups

SEEDS = range(100)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Where is my card?", "I am typing this myself. Where is my card?"),
        ("Where is my card?", "Where is my card? I have typed this myself."),
        ("where is my card", "i am typing this myself. where is my card"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = [one for seed in SEEDS for one in follow_ups("neutral-sentence", before, seed=seed)]
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    again = follow_ups("neutral-sentence", before, seed=0)
    assert found[: len(again)] == again, "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hi",
        "The winners are shown below.",
        "I typed my name.",
        "12 is my number",
        "Navient is a servicer of the U.S.",
        "list my todo list items",
        "did i put grocery shopping on my todo list",
        "Why is there a direct debit payment on my app that is not from me?",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("neutral-sentence", text) == []


def test_what_points_back_never_opens_a_text() -> None:
    text = "Why do you need code verification for my top up?"
    found = {one.text for seed in SEEDS for one in follow_ups("neutral-sentence", text, seed=seed)}
    assert f"{text} The words are my own." in found
    assert f"The words are my own. {text}" not in found
    assert not [one for one in found if "I say this" in one]
