"""Opinions with doubt before them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The service is bad.", "It may be that the service is bad."),
        ("Cats are a nuisance.", "I guess that cats are a nuisance."),
        ("They should leave the city.", "Maybe they should leave the city."),
        ("the service is bad.", "it may be that the service is bad."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("hedge", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("hedge", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "They should not leave the city.",
        "The winners are indicated in bold.",
        "I hate pizza.",
        "I think that it is bad.",
        "Is it bad?",
        "Maybe it is bad.",
        "My transfer is pending.",
        "It is bad!",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("hedge", text, nlp) == []
