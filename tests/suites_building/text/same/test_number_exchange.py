"""A number of things exchanged."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a table for 2 people", "a table for 3 people"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("number-exchange", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("number-exchange", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "Open 24 hours.",
        "It takes 7 days.",
        "I am 18 years old.",
        "From 5 to 10 minutes.",
        "It costs $20 dollars.",
        "1 minute",
        "A20 cards",
        "2.5 hours",
        "no number",
        '"20 minutes"',
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("number-exchange", text) == []
