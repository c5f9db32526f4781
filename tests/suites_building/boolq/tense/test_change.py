"""Tenses change only where the passage says that something is not out."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.tense.change import tense_change
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite

_ROME = "Rome was cancelled after two seasons. It has ended, and died out."


def test_a_season_that_was_never_made(nlp: Language) -> None:
    rewrite = tense_change(read(nlp, "are they making a season 3 of rome", _ROME, "Rome"))
    assert isinstance(rewrite, Rewrite)
    assert rewrite.text == "have they ever made a season 3 of rome"


@pytest.mark.parametrize(
    "question",
    [
        # Nobody asks of the future what is over.
        "did the titanic sink on its maiden voyage",
        "did england host the world cup in 1966",
        "did gone with the wind win best picture",
        "did to kill a mockingbird win an academy award",
        "did mariah carey wrote all i want for christmas is you",
        "did the iphone 6 come out before the iphone se",
        "has season 2 of rome come out",
        "has willie robertson from duck dynasty passed away",
        # These may be to come beside another.
        "will there be a sequel to rome",
        "will there be another season of rome",
        "will there be a new season of rome",
        "will there be any more rome movies",
        "are there going to be more rome movies",
        # These may recur, or hold at any time.
        "did england win the world cup",
        "did ross and rachel get together in friends",
        "has there been a season 3 of rome",
        "will there be a total solar eclipse in oklahoma",
        "will a straight talk phone work with tracfone",
        "will vinegar kill weeds",
        "will there be a uk general election in 2018",
        "is italy going to the world cup 2018",
        "is the sky blue",
        "was the dog black",
        "will",
        "",
    ],
)
def test_what_may_hold_twice_or_is_over_is_refused(nlp: Language, question: str) -> None:
    assert isinstance(tense_change(read(nlp, question, _ROME, "Rome")), Refusal)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "will there be a season 3 of rome is are coming back for they making it get".split()
        ),
        min_size=1,
        max_size=9,
    )
)
def test_blocks_are_equal_text(nlp: Language, words: list[str]) -> None:
    question = " ".join(words)
    rewrite = tense_change(read(nlp, question, _ROME))
    if isinstance(rewrite, Rewrite):
        for source, follow_up, length in rewrite.alignment:
            assert (
                question[source : source + length] == rewrite.text[follow_up : follow_up + length]
            )
        assert rewrite.text != question
