"""The phrase at an end of a question, and what it is about."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adverbials.phrases import Topic, first_phrase, last_phrase


@pytest.mark.parametrize(
    ("question", "phrase", "topic"),
    [
        ("can you turn left on red in canada", "in canada", Topic.PLACE),
        ("can you use a hammer in the city of london", "in the city of london", Topic.PLACE),
        ("can you castle out of check in chess", "in chess", Topic.GAME),
        ("can you play minecraft on ps4", "on ps4", Topic.PLATFORM),
        ("are there red cards in the nba", "in the nba", Topic.INSTITUTION),
        ("does harry die in the last book", "in the last book", Topic.STORY),
        ("did the banks close in 1933", "in 1933", Topic.TIME),
        ("does the post office deliver on sunday", "on sunday", Topic.TIME),
        ("can you score on a corner kick", "on a corner kick", Topic.SITUATION),
        ("can you sleep with a hat on your head", "on your head", Topic.OTHER),
        ("can you drive when it is snowing", "when it is snowing", Topic.CLAUSE),
        ("do you get paid if you resign", "if you resign", Topic.CLAUSE),
    ],
)
def test_the_phrase_at_the_end(nlp: Language, question: str, phrase: str, topic: Topic) -> None:
    found = last_phrase(read(nlp, question))
    assert found is not None
    assert (found.span.text.lower(), found.kind) == (phrase, topic)
    assert f"{found.rest.text} {found.span.text}".lower() == question
    assert found.opener == phrase.split()[0]
    assert found.object.text.lower() == phrase.partition(" ")[2]


@pytest.mark.parametrize(
    "question",
    [
        "is the sky blue",
        "is he in",
        "did it rain when we left if at all",
        "is it made of wood",
        "in canada",
    ],
)
def test_no_phrase_at_the_end(nlp: Language, question: str) -> None:
    assert last_phrase(read(nlp, question)) is None


def test_the_opener_of_a_name_opens_no_phrase(nlp: Language) -> None:
    asked = read(nlp, "is there a sequel to alice in wonderland", "Alice in Wonderland is a book.")
    assert last_phrase(asked) is None


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("in canada can you turn left on red", "in canada"),
        ("in chess, can you castle out of check", "in chess"),
        ("when it is snowing do the schools close", "when it is snowing"),
        ("if you resign do you get paid", "if you resign"),
    ],
)
def test_the_phrase_at_the_beginning(nlp: Language, question: str, phrase: str) -> None:
    found = first_phrase(read(nlp, question))
    assert found is not None
    assert found.span.text.lower() == phrase
    assert question.endswith(found.rest.text.lower())


@pytest.mark.parametrize(
    "question",
    [
        "can you turn left on red in canada",
        "in canada you turn left on red",
        "when is the school closed",
        "when does it open can you go in",
        "on it",
    ],
)
def test_no_phrase_at_the_beginning(nlp: Language, question: str) -> None:
    assert first_phrase(read(nlp, question)) is None
