"""A sentence that says nothing of the matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_texts import check_alignment, english, follow_ups
from mt_gate_suites.lexicons.reading import ordered

SEEDS = range(100)
OPENINGS = ["How do I", "Can you", "I want to", "Tell me", "Why", "what is", "My", "the"]


def all_of(text: str) -> set[str]:
    return {one.text for seed in SEEDS for one in follow_ups("neutral-sentence", text, seed=seed)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Where is my card?", "I have a quick question. Where is my card?"),
        ("Where is my card?", "Where is my card? Please let me know."),
        ("where is my card", "just a quick question. where is my card"),
        ("How do I close my account?", "I hope you can help me. How do I close my account?"),
        ("Cancel my card, please.", "I need a quick favor. Cancel my card, please."),
        (
            "Please can you tell me my balance?",
            "Please can you tell me my balance? I'd be grateful.",
        ),
        ("Can you tell me my balance?", "Can you tell me my balance? I'd appreciate it."),
        ("i want to change my pin", "i could use some help. i want to change my pin"),
        ("My card has not arrived.", "Sorry to bother you. My card has not arrived."),
        ("My card has not arrived.", "My card has not arrived. Can you help me with this?"),
    ],
)
def test_it_edits(before: str, after: str) -> None:
    assert after in all_of(before)
    for seed in SEEDS:
        found = follow_ups("neutral-sentence", before, seed=seed)
        assert found == follow_ups("neutral-sentence", before, seed=seed), "the same for a seed"
        for one in found:
            check_alignment(before, one)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hi",
        "hello, where is my card",
        "how are you",
        "are you a bot, would you say",
        "would you say that is true",
        "tell me about your boss",
        "i want to know your boss",
        "i need you to repeat that",
        "what is your name",
        "what about my card",
        "how to change oil",
        "how the bus moves",
        "find my phone for me!",
        "The service here is horrible, I want to close it.",
        "tell me about the amusement park",
        "please give me some tips on saving",
        "can you tell me a joke",
        "when i travel my card stops",
        "do not call me again",
        "alexa, what is the weather",
        "so where is my card",
        "check engine light is on",
        "i lost my card somewhere",
        "I was charged a fee?",
        "Should I transfer funds.",
        "I have a question, where is my card?",
        "Can you help me with my card?",
        "Sorry, but where is my card?",
        "12 is my number",
        f"What is {'very ' * 30}long?",
    ],
)
def test_it_does_nothing(text: str) -> None:
    assert all_of(text) == set()


def test_a_text_without_an_end_mark_gets_only_what_stands_before() -> None:
    found = all_of("where is my card")
    assert found
    assert all(one.endswith((". where is my card", "? where is my card")) for one in found)


@pytest.mark.parametrize(
    "text", ["Tell me my balance.", "Could you check my balance?", "My card has not arrived!"]
)
def test_a_favor_is_for_what_is_to_be_done_and_a_lead_for_the_calm(text: str) -> None:
    found = all_of(text)
    assert found
    assert all(one.startswith(text) for one in found)


def test_what_stands_behind_has_the_form_of_the_last_sentence() -> None:
    text = "My phone is not on me. How can I use the app?"
    assert f"{text} Any help would be appreciated." in all_of(text)
    assert f"{text} That's all I wanted to know." not in all_of(text), "of a lone question"
    text = "May I have a second card?"
    found = all_of(text)
    assert found
    assert all(one.endswith(text) for one in found), "it asks for a thing"


def test_a_question_that_asks_nothing_for_its_author_is_no_cry_for_help() -> None:
    for text in ("Which cards do you support?", "Is there a fee for top-ups?"):
        assert not [one for one in all_of(text) if " help" in one]


def test_nobody_asks_whether_one_can_ask_whether_one_can() -> None:
    asked = [one for one in all_of("Can I get a card?") if one.endswith("Can I get a card?")]
    assert asked
    assert not [one for one in asked if one.count("?") > 1]


def test_what_asks_for_an_answer_is_announced_as_nothing_to_be_done() -> None:
    text = "Can you tell me my balance?"
    assert all(one.startswith(text) for one in all_of(text)), "behind it alone"


def test_no_word_is_said_twice() -> None:
    text = "I need to reactivate my card."
    assert not [one for one in all_of(text) if one.count("need") > 1]
    text = "I want this amount reversed."
    assert not [one for one in all_of(text) if one.count("this") > 1]


@given(st.sampled_from(OPENINGS), english, st.sampled_from(["", ".", "?", "!"]))
def test_what_is_added_is_one_sentence_of_the_lists(opening: str, rest: str, mark: str) -> None:
    text = f"{opening} {rest}{mark}"
    forms = ("before-questions", "before-requests", "before-wishes")
    forms += ("behind-questions", "behind-requests", "behind-wishes")
    known = {one for form in forms for one in ordered("text/frames", f"neutral-{form}")}
    for one in follow_ups("neutral-sentence", text):
        before, _, behind = one.text.partition(text)
        added = (before or behind).strip()
        assert added in known | {sentence.lower() for sentence in known}
        assert (one.stratum == "before") == bool(before)
