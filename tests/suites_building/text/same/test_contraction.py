"""Contracted words written out, and the other way round."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I don't know where it is.", "I do not know where it is."),
        ("I do not know.", "I don't know."),
        ("It’s late and I’m tired.", "It’s late and I am tired."),
        ("i am still waiting", "i'm still waiting"),
        ("They can't come.", "They cannot come."),
        ("I AM here and you are there.", "I'm here and you are there."),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = follow_ups("contraction", before)
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    assert found == follow_ups("contraction", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "Don't you know?",
        "I know who I am.",
        "She's here.",
        "He'd go.",
        "Why can't I go?",
        "All of you are bad.",
        "That is what it is like.",
        "I do not, and never did.",
        "I am not.",
        '"I don\'t know."',
        "Let's go.",
        "What are you?",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("contraction", text) == []
