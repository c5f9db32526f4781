"""Predicates denied, where "not" denies the whole statement."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I hate waiting in line.", "I do not hate waiting in line."),
        ("Cats are a nuisance.", "Cats are not a nuisance."),
        ("They should leave the city.", "They should not leave the city."),
        ("The machine stole my card.", "The machine did not steal my card."),
        ("I can see the river.", "I cannot see the river."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("negation", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("negation", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "There is a cat in the house.",
        "THE SHOP HAS CLOSED.",
        "I do not hate it.",
        "All cats are grey.",
        "I never hated it.",
        "I hate it because it hurts.",
        "I hate it and love it.",
        "Is it bad?",
        "Somebody stole my card.",
        "It is only a card.",
        "Hate it.",
        "I hate it? Yes.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("negation", text, nlp) == []
