"""What others say, and the author denies."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "The service is bad.",
            "Some people say that the service is bad, but I see it differently.",
        ),
        (
            "Cats are a nuisance.",
            "Some people say that cats are a nuisance, but I see it differently.",
        ),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("another-view", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("another-view", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I hate it.",
        "My card is bad.",
        "The winners are shown below.",
        "It is not bad.",
        "Some say it is bad.",
        "Is it bad?",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("another-view", text, nlp) == []
