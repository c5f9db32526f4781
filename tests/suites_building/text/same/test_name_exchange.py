"""A given name for another."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I have not seen Anna since then.", "I have not seen Tina since then."),
        (
            "Then Boris left the house, and Boris did not return.",
            "Then Wallace left the house, and Wallace did not return.",
        ),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("name-exchange", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("name-exchange", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "Anna Smith lives here.",
        "I saw Boris and Anna there.",
        "Mary is holy to them.",
        "Where is my card?",
        "Nobody is here.",
        "@Anna is here today.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("name-exchange", text, nlp) == []
