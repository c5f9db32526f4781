"""What is numbered and not out is asked of the past; what may recur is not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.tense.future_to_past import future_to_past
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite

TO_COME = "Mom is a sitcom. On May 1, 2018, it was renewed for a fifth season."
NEVER = "Mom was a sitcom. It was cancelled, and there will not be a fifth season of Mom."


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        ("will there be a fifth season of mom", "has there been a fifth season of mom yet"),
        ("will there ever be a season 5 of mom", "has there already been a season 5 of mom"),
        ("is there going to be a season 5 of mom", "has there been a season 5 of mom already"),
        ("will mom have a fifth season", "has mom already had a fifth season"),
        ("will mom get a season 5", "has mom already gotten a season 5"),
        ("are they gonna make a season 5 of mom", "have they already released a season 5 of mom"),
        ("are they making a season 5 of mom", "have they already released a season 5 of mom"),
        ("is mom coming back for season 5", "has mom already come back for season 5"),
        ("will mom return for a fifth season", "has mom already returned for a fifth season"),
    ],
)
def test_what_is_to_come(nlp: Language, question: str, follow_up: str) -> None:
    made = future_to_past(read(nlp, question, TO_COME, "Mom (TV series)"))
    assert isinstance(made, Rewrite)
    ways = ("has there been", "has there already been")
    if follow_up.startswith(ways):
        assert made.text.startswith(ways)
        assert " season" in made.text
    else:
        assert made.text == follow_up


@pytest.mark.parametrize(
    ("question", "starts"),
    [
        (
            "will there be a fifth season of mom",
            ("was there ever", "did they ever make", "has there ever been", "have they ever made"),
        ),
        ("will mom have a fifth season", ("has mom ever had",)),
        ("are they making a season 5 of mom", ("have they ever made",)),
        ("is mom coming back for season 5", ("has mom ever come back",)),
    ],
)
def test_what_was_never_made(nlp: Language, question: str, starts: tuple[str, ...]) -> None:
    made = future_to_past(read(nlp, question, NEVER, "Mom (TV series)"))
    assert isinstance(made, Rewrite)
    assert made.text.startswith(starts)


def test_questions_are_asked_in_many_ways(nlp: Language) -> None:
    seen = set()
    for number in range(2, 20):
        passage = f"Mom was a sitcom. It was cancelled; season {number} was never made."
        made = future_to_past(read(nlp, f"will there be a season {number} of mom", passage))
        if isinstance(made, Rewrite):
            seen.add(made.text.partition(" a season ")[0])
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("will there be another season of mom", "no-single-event"),
        ("will there be a new season of mom", "may-recur"),
        ("will there be a season 5 of mom in 2018", "may-recur"),
        ("will mom still have a season 5", "may-recur"),
        ("are there going to be more mom movies", "no-single-event"),
        ("will there be a sequel to mom", "no-single-event"),
        ("will there be a sequel to mom 5", "no-single-event"),
        ("will there be season 5 of mom", "no-single-event"),
        ("will there be a season 5 mom", "no-single-event"),
        ("will there be an season 5 of mom", "malformed"),
        ("will there be a season 5 of moom", "malformed"),
        ("will the moms have a season 5", "number-unclear"),
        ("will it rain", "no-single-event"),
        ("will mom end", "no-single-event"),
        ("has there been a season 5 of mom", "no-single-event"),
    ],
)
def test_what_may_recur_or_is_none(nlp: Language, question: str, reason: str) -> None:
    told = f"{TO_COME} The Moms like it."
    assert future_to_past(read(nlp, question, told)) == Refusal(reason)


@pytest.mark.parametrize(
    "passage",
    [
        "Mom is a sitcom. The fifth season premiered on November 2, 2017.",
        "Mom is a sitcom. Season six began in 2018.",
        "Mom is a sitcom.",
        "Mom is a sitcom. Fans love season 5.",
    ],
)
def test_what_is_out_or_untold_stays(nlp: Language, passage: str) -> None:
    """People answer yes to both questions where the season has begun."""
    found = future_to_past(read(nlp, "will there be a fifth season of mom", passage))
    assert found == Refusal("not-told")


def test_a_season_of_no_number_stays(nlp: Language) -> None:
    found = future_to_past(read(nlp, "will there be a season of mom", TO_COME))
    assert isinstance(found, Refusal)
