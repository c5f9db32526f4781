"""Requests that open with other words."""

from __future__ import annotations

import pytest

from making_texts import check_alignment, follow_ups


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("How do I close my account?", "How can I close my account?"),
        ("tell me where my card is", "let me know where my card is"),
        ("Can I get a second card?", "Is it possible to get a second card?"),
        ("could you find my phone", "would you find my phone"),
        ("How come my card is blocked?", "Why is it that my card is blocked?"),
        ("can you tell me what time it is", "i would like to know what time it is"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    found = [one for seed in range(40) for one in follow_ups("request-opening", before, seed=seed)]
    assert after in [one.text for one in found]
    for one in found:
        check_alignment(before, one)
    again = follow_ups("request-opening", before)
    assert again == follow_ups("request-opening", before), "the same for the same seed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "My card is lost.",
        "Tell me a joke.",
        "Could you swim?",
        "would you call yourself clever",
        "CAN I PAY?",
        "How doing this?",
        "can i have your name",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert follow_ups("request-opening", text) == []


def test_a_question_stays_one_where_its_mark_says_so() -> None:
    for seed in range(40):
        for one in follow_ups("request-opening", "Can you tell me what it costs?", seed=seed):
            assert not one.text.startswith("I would")


def test_nobody_asks_to_be_told_at_that_time() -> None:
    found = [
        one.text
        for seed in range(40)
        for one in follow_ups("request-opening", "tell me when my card expires", seed=seed)
    ]
    assert found
    assert not any("let me know" in text for text in found)
