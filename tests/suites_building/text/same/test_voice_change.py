"""Active and passive, by the builder of boolq."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The king built the house in 1990.", "The house was built by the king in 1990."),
        ("The house was built by the king in 1990.", "The king built the house in 1990."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("voice-change", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("voice-change", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "Where is my card?",
        "I slept well.",
        "the king built the house",
        "The king built the house and @anna sold it.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("voice-change", text, nlp) == []
