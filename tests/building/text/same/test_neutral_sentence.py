"""A sentence that says nothing of the matter."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Where is my card?", "I am typing this quickly. Where is my card?"),
        ("Where is my card?", "Where is my card? I am typing this on my phone."),
        ("where is my card", "i am typing this quickly. where is my card"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("neutral-sentence", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("neutral-sentence", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hi",
        "The winners are shown below.",
        "I lost my phone.",
        "12 is my number",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("neutral-sentence", text) == []
