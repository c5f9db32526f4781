"""Requests made politely."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Can you tell me my balance?", "Could you please tell me my balance?"),
        ("will you send my card", "would you please send my card"),
        ("I want to cancel my card.", "I would like to cancel my card."),
        ("Tell me my balance.", "Please tell me my balance."),
        ("set a timer", "please set a timer"),
        ("Can you call me?", "Could you please call me?"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("politeness", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("politeness", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "Can you please tell me?",
        "Can you swim?",
        "What is my balance?",
        "Please help me.",
        "I want my card.",
        "He can tell me.",
        "`tell me`",
        "Would you call this fair?",
        "would you describe him as kind",
        "Can you call yourself a fan?",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("politeness", text) == []
