"""Relations that keep the meaning: rules that need more than a table of cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from making_texts import english, follow_ups
from mt_gate_suites.lexicons.reading import ordered
from mt_gate_suites.text.same.pair_order import transform
from mt_gate_suites.text.transformation import PairOfTexts

SEEDS = range(100)
OPENINGS = ["How do I", "Can you", "I want to", "Tell me", "Why", "what is", "My", "the"]
WORDS = st.text("ab c", min_size=1, max_size=8)


def all_of(text: str) -> set[str]:
    return {one.text for seed in SEEDS for one in follow_ups("neutral-sentence", text, seed=seed)}


def test_a_text_without_an_end_mark_gets_only_an_opening() -> None:
    actual = all_of("where is my card")
    assert actual
    assert all(one.endswith((". where is my card", "? where is my card")) for one in actual)


@pytest.mark.parametrize(
    "text", ["Tell me my balance.", "Could you check my balance?", "My card has not arrived!"]
)
def test_a_favor_is_for_what_is_to_be_done_and_a_lead_for_the_calm(text: str) -> None:
    actual = all_of(text)
    assert actual
    assert all(one.startswith(text) for one in actual)


def test_a_closing_has_the_form_of_the_last_sentence() -> None:
    text = "My phone is not on me. How can I use the app?"
    assert f"{text} Any help would be appreciated." in all_of(text)
    assert f"{text} That's all I wanted to know." not in all_of(text), "of a lone question"
    text = "May I have a second card?"
    actual = all_of(text)
    assert actual
    assert all(one.endswith(text) for one in actual), "it asks for a thing"


def test_a_question_that_asks_nothing_for_its_author_is_no_cry_for_help() -> None:
    for text in ("Which cards do you support?", "Is there a fee for top-ups?"):
        assert not [one for one in all_of(text) if " help" in one]


def test_nobody_asks_whether_one_can_ask_whether_one_can() -> None:
    requests = [one for one in all_of("Can I get a card?") if one.endswith("Can I get a card?")]
    assert requests
    assert not [one for one in requests if one.count("?") > 1]


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
        assert (one.stratum == "leading") == bool(before)


@given(WORDS, WORDS)
def test_a_pair_is_swapped(first: str, second: str) -> None:
    source = PairOfTexts(first, second)
    if first == second:
        assert transform(source) == []
        return
    (new,) = transform(source)
    assert new.pair == (second, first)
    for before, after, length in new.alignment:
        old = source.joined[before : before + length]
        assert old == new.pair.joined[after : after + length]
    assert sum(length for *_, length in new.alignment) == len(first) + len(second)


@pytest.mark.parametrize(
    "text",
    [
        "Could one of you please email me a copy of the standard template?",
        "can you order me a card?",
    ],
)
def test_nobody_would_like_to_know_a_request(text: str, nlp: Language) -> None:
    actual = [one.text for seed in SEEDS for one in follow_ups("reported-speech", text, nlp, seed)]
    assert actual
    assert not [one for one in actual if " know" in one.lower().partition(":")[0]]


def test_a_question_stays_one_where_its_mark_says_so() -> None:
    for seed in range(40):
        for one in follow_ups("request-opening", "Can you tell me what it costs?", seed=seed):
            assert not one.text.startswith("I would")


def test_no_request_contains_a_time_of_telling() -> None:
    actual = [
        one.text
        for seed in range(40)
        for one in follow_ups("request-opening", "tell me when my card expires", seed=seed)
    ]
    assert actual
    assert not any("let me know" in text for text in actual)
