"""Before and after are swapped only where the two orders exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.before_after import before_after
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        (
            "was the peloponnesian war before the persian war",
            "was the peloponnesian war after the persian war",
        ),
        (
            "did the iphone 6 come out before the iphone se",
            "did the iphone 6 come out after the iphone se",
        ),
        (
            "is rise of the tomb raider set after tomb raider",
            "is rise of the tomb raider set before tomb raider",
        ),
        (
            "does shadow of mordor take place before lotr",
            "does shadow of mordor take place after lotr",
        ),
        (
            "did the stone age come before the bronze age",
            "did the stone age come after the bronze age",
        ),
        (
            "was hobbit written right before lord of the rings",
            "was hobbit written right after lord of the rings",
        ),
        (
            "does the foreword go before the table of contents",
            "does the foreword go after the table of contents",
        ),
    ],
)
def test_an_order_of_single_things_is_swapped(nlp: Language, question: str, follow_up: str) -> None:
    rewrite = before_after(read(nlp, question))
    assert isinstance(rewrite, Rewrite)
    assert rewrite.text == follow_up


@pytest.mark.parametrize(
    "question",
    [
        "can you eat before a blood test",
        "is it safe to drink before surgery",
        "is there a movie after meet the fockers",
        "was france a republic after the french revolution",
        "was big time rush a band before the show",
        "has panama been in the world cup before",
        "has nigeria ever won the fifa world cup before",
        "was the fruit orange named after the color",
        "do adjectives have to come before a noun",
        "did american pharoah race after he won the triple crown",
        "does dr burke come back after season 3",
        "does it come before the noun",
        "does a bee always die after it stings",
        "does the bumble bee die after stinging",
        "is net profit the same as profit after tax",
        "did the film come out before or after the book",
        "did the iphone 6 come out in 2014",
        "did ann go before bob",
    ],
)
def test_what_may_hold_both_ways_is_refused(nlp: Language, question: str) -> None:
    assert isinstance(before_after(read(nlp, question)), Refusal)


_PREQUEL = "Better Call Saul is an American television drama, a prequel of Breaking Bad."
_GAMES = "Tomb Raider is a media franchise that began as a game."
_NOVEL = "Inferno is a film, as Angels and Demons. The novel Inferno takes place in 2010."


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("is better call saul set before breaking bad", _PREQUEL),
        ("does better call saul take place before breaking bad", _PREQUEL),
        ("did the tomb raider game come out before the movie", _GAMES),
        ("did the code come after inferno", _NOVEL),
        ("is inferno after angels and demons", _NOVEL),
    ],
)
def test_the_order_of_stories_may_be_a_matter_of_view(
    nlp: Language, question: str, passage: str
) -> None:
    assert before_after(read(nlp, question, passage)) == Refusal("order-of-view")


def test_a_title_is_not_touched(nlp: Language) -> None:
    found = read(
        nlp, "is the film before sunrise", "It is Before Sunrise.", "Before Sunrise (film)"
    )
    assert before_after(found) == Refusal("no-order-word")


def test_a_title_may_follow(nlp: Language) -> None:
    found = read(
        nlp,
        "was better call saul filmed before breaking bad",
        "Better Call Saul is a series. It is a prequel of Breaking Bad.",
        "Better Call Saul",
    )
    rewrite = before_after(found)
    assert isinstance(rewrite, Rewrite)
    assert rewrite.text == "was better call saul filmed after breaking bad"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.sampled_from("is was did does the war film come out set before after 2 it a".split()),
        min_size=1,
        max_size=9,
    )
)
def test_blocks_are_equal_text(nlp: Language, words: list[str]) -> None:
    question = " ".join(words)
    rewrite = before_after(read(nlp, question))
    if isinstance(rewrite, Rewrite):
        for source, follow_up, length in rewrite.alignment:
            assert (
                question[source : source + length] == rewrite.text[follow_up : follow_up + length]
            )
        assert rewrite.text != question
