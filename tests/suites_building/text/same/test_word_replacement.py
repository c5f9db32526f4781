"""Words that say the same wherever they stand."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I want to purchase a card.", "I want to buy a card."),
        ("She purchased a house.", "She bought a house."),
        ("That is an awful story.", "That is a terrible story."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("word-replacement", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("word-replacement", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "The house is located in Rome.",
        "I stay here.",
        'He said "purchase it now".',
        "My phone is here.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("word-replacement", text, nlp) == []
