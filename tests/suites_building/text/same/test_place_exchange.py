"""One city for another of its country."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("What is the weather in Chicago?", "What is the weather in Denver?"),
        ("what time is it in tokyo", "what time is it in nagoya"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("place-exchange", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("place-exchange", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "What is the weather like?",
        "I flew from Paris to Lyon.",
        "A Chicago style pizza.",
        "I live in Paris, Texas.",
        "Where is the tower in Chicago?",
        "how far is it to dallas",
        "book a flight to boston",
        "I met Anna in Paris.",
        '"in Paris"',
        "in PARIS",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("place-exchange", text) == []
