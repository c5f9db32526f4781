"""The author says that they say it."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups

SEEDS = range(100)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My card has not arrived.", "All I want to say is that my card has not arrived."),
        ("ATM took my card.", "Let me just say that ATM took my card."),
        ("Where is my card?", "I would like to ask: where is my card?"),
        ("where is my card?", "here is my question: where is my card?"),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = [one for seed in SEEDS for one in follow_ups("reported-speech", before, nlp, seed)]
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    again = follow_ups("reported-speech", before, nlp, 0)
    assert found[: len(again)] == again, "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I think that it is bad.",
        "I said no.",
        "The king built the house.",
        "What to do in London?",
        "Where is it? I lost it.",
        "that is bad.",
        "What a day.",
        "My card is lost; help me.",
        "is it",
        "I want to go home.",
        "Atm took my card.",
        "I mean besides me of course.",
        "i'm wanting you to flip a coin",
        "i am curious to know if you are a bot",
        "I was wondering whether exchanging currencies can be done on this app.",
        "i would love to know the closest gas station to glendale",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("reported-speech", text, nlp) == []


@pytest.mark.parametrize(
    "text",
    [
        "Could one of you please email me a copy of the standard template?",
        "can you order me a card?",
    ],
)
def test_nobody_would_like_to_know_a_request(text: str, nlp: Language) -> None:
    found = [one.text for seed in SEEDS for one in follow_ups("reported-speech", text, nlp, seed)]
    assert found
    assert not [one for one in found if " know" in one.lower().partition(":")[0]]
