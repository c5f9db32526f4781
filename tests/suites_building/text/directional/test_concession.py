"""A concession behind an opinion."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The service is bad.", "The service is bad, though some may disagree."),
        ("Cats are a nuisance.", "Cats are a nuisance, although others may see it differently."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("concession", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("concession", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I hate it.",
        "The winners are shown below.",
        "It is bad!",
        "It is not bad.",
        "Is it bad?",
        "It is bad because it is old.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("concession", text, nlp) == []
