"""Phrases that say the same wherever they stand."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I have tried several times.", "I have tried a number of times."),
        ("Call me on my cell phone now.", "Call me on my mobile phone now."),
    ],
)
def test_it_edits(before: str, after: str, nlp: Language) -> None:
    found = follow_ups("phrase-replacement", before, nlp)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("phrase-replacement", before, nlp), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "I have tried.",
        "He tried so many times.",
        "It was seen by one of them.",
    ],
)
def test_it_does_nothing(text: str, nlp: Language) -> None:
    assert follow_ups("phrase-replacement", text, nlp) == []
