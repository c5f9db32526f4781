"""British and American spelling."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The color is gray.", "The colour is grey."),
        ("I cancelled it.", "I canceled it."),
        ("my favourite neighbours", "my favorite neighbors"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("dialect-spelling", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("dialect-spelling", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "A plain text.",
        "The Labour Party and the World Trade Center.",
        "Check the tires.",
        "https://colour.com/colour",
        '"the colour"',
        "A business license, and laws on child labor.",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("dialect-spelling", text) == []
