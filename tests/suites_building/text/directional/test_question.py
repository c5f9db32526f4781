"""Statements as their questions."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The new service is bad.", "Is the new service bad?"),
        ("The cats belong in the house.", "Do the cats belong in the house?"),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("question", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("question", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I hate waiting in line.",
        "Is the service bad?",
        "The service is not bad.",
        "the service is bad",
        "My new card is bad.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("question", text, nlp) == []
