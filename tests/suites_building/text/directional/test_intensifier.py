"""What is said gets stronger."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The service is bad.", "The service is really bad."),
        ("I hate pizza.", "I really hate pizza."),
        ("Trains are dangerous.", "Trains are really dangerous."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("intensifier", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("intensifier", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "The service is very bad.",
        "The service is not bad.",
        "The service is wooden.",
        "Is the service bad?",
        "Be quiet.",
        "It is bad and ugly.",
        "A bad service.",
        "He hates it.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("intensifier", text, nlp) == []
