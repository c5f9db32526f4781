"""What is numbered and to come is asked of the past; what may recur is not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate.building.boolq.tense.future_to_perfect import future_to_perfect
from mt_gate.building.rewrite import Refusal, Rewrite

TO_COME = "Mom is a sitcom. It was renewed for a fifth season in 2017."


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        ("will there be a fifth season of mom", "has there ever been a fifth season of mom"),
        ("will there ever be a season 5 of mom", "has there ever been a season 5 of mom"),
        ("is there going to be a season 5 of mom", "has there ever been a season 5 of mom"),
        ("will mom have a fifth season", "has mom ever had a fifth season"),
        ("will mom get a season 5", "has mom ever gotten a season 5"),
        ("are they gonna make a season 5 of mom", "have they ever made a season 5 of mom"),
    ],
)
def test_what_is_numbered_and_to_come(nlp: Language, question: str, follow_up: str) -> None:
    made = future_to_perfect(read(nlp, question, TO_COME, "Mom (TV series)"))
    assert isinstance(made, Rewrite)
    assert made.text == follow_up


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("will there be another season of mom", "may-recur"),
        ("will there be a new season of mom", "may-recur"),
        ("will there be a season 5 of mom in 2018", "may-recur"),
        ("will mom still have a season 5", "may-recur"),
        ("will it rain", "no-single-event"),
        ("will mom end", "no-single-event"),
        ("has there been a season 5 of mom", "no-single-event"),
    ],
)
def test_what_may_recur_or_is_none(nlp: Language, question: str, reason: str) -> None:
    assert future_to_perfect(read(nlp, question, TO_COME)) == Refusal(reason)


@pytest.mark.parametrize(
    "passage",
    [
        "Mom is a sitcom. The fifth season premiered on November 2, 2017.",
        "Mom is a sitcom. Season six began in 2018.",
    ],
)
def test_what_is_out_stays(nlp: Language, passage: str) -> None:
    """People answer yes to both questions where the season has begun."""
    found = future_to_perfect(read(nlp, "will there be a fifth season of mom", passage))
    assert isinstance(found, Refusal)


def test_a_season_of_no_number_stays(nlp: Language) -> None:
    found = future_to_perfect(read(nlp, "will there be a season of mom", TO_COME))
    assert isinstance(found, Refusal)
