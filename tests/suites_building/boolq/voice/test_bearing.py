"""A clause bears on the answer where it shares a content word with the question."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.question import QuestionText
from mt_gate_suites.boolq.voice.bearing import bears_on

_WON = "Ann Lee won the cup in 2010, while Bob Roy lost a final."


@pytest.mark.parametrize(
    ("question", "title", "verb", "bears"),
    [
        ("is there a cup for women", "", "won", True),
        ("does the winner get a cup", "", "won", True),
        ("did ann lee ever win", "", "won", True),
        ("are there finals", "", "won", False),
        ("are there finals", "", "lost", True),
        ("is the cup made of gold", "World Cup", "won", False),
        ("is it in 2010", "", "won", True),
        ("is it in the", "", "won", False),
    ],
)
def test_words_in_common(nlp: Language, question: str, title: str, verb: str, bears: bool) -> None:
    assert bears_on(word(nlp(_WON), verb), QuestionText(question, _WON, title)) is bears
