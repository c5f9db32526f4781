"""Questions in which a phrase can hardly belong elsewhere, and those in which it can."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adverbials.frames import misfit
from mt_gate_suites.boolq.adverbials.phrases import last_phrase


@pytest.mark.parametrize(
    "question",
    [
        "can you turn left on red in canada",
        "is it legal to own a gun in texas",
        "is there a train station in bergen",
        "is gambling legal in texas",
        "is christmas a public holiday in japan",
        "do you have to wear a helmet in california",
        "is garfield a real cat in the movie",
        "are banks open on sunday",
    ],
)
def test_the_phrase_bounds_the_whole_question(nlp: Language, question: str) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    assert misfit(asked, phrase) is None


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("gambling is legal in texas", "not-a-question"),
        ("is texas the only state in america", "limited"),
        ("is every house old in texas", "quantified"),
        ("is it the largest house in texas", "comparison"),
        ("is it the same law in texas", "comparison"),
        ("do more people live in texas", "comparison"),
        ("is there a man who lives in texas", "subordinate"),
        ("is there a difference in taste", "complement"),
        ("is he the actor in the movie", "complement"),
        ("is he interested in chess", "no-frame"),
        ("did he put the money in the bank", "no-frame"),
    ],
)
def test_the_phrase_may_be_another_words(nlp: Language, question: str, fault: str) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    assert misfit(asked, phrase) == fault
