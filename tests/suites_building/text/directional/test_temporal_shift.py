"""What was felt once, and no longer is."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I hate this airline.", "I used to hate this airline, but I no longer do."),
        ("The service is bad.", "I used to think that the service was bad, but I no longer do."),
        ("Cats are a nuisance.", "I used to think that cats were a nuisance, but I no longer do."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("temporal-shift", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("temporal-shift", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I hated it.",
        "I never hate it.",
        "My transfer is pending.",
        "Is it bad?",
        "We are a group.",
        "It was bad.",
        "I buy bread.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("temporal-shift", text, nlp) == []
