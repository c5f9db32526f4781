"""What comes about once is asked of the future; what may happen again is not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate.building.boolq.tense.perfect_to_future import perfect_to_future
from mt_gate.building.rewrite import Refusal, Rewrite


@pytest.mark.parametrize(
    ("question", "passage", "follow_up"),
    [
        ("has season 5 of mom come out", "", "will season 5 of mom come out"),
        ("has the series ended", "", "will the series end"),
        ("have both parts of the ship been found", "", "will both parts of the ship be found"),
        ("has the treaty been ratified", "", "will the treaty be ratified"),
        ("has anna berg retired", "Anna Berg is a skier.", "will anna berg retire"),
        ("has the dodo gone extinct", "", "will the dodo go extinct"),
    ],
)
def test_what_comes_about_once(nlp: Language, question: str, passage: str, follow_up: str) -> None:
    made = perfect_to_future(read(nlp, question, passage))
    assert isinstance(made, Rewrite)
    assert made.text == follow_up


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("has the treaty ever been ratified", "may-recur"),
        ("has the series not ended", "may-recur"),
        ("has the series ended yet", "may-recur"),
        ("has anyone been found", "may-recur"),
        ("have people died of it", "may-recur"),
        ("have human remains been found", "no-single-event"),
        ("has the king sung", "no-single-event"),
        ("will the series end", "no-single-event"),
    ],
)
def test_what_may_happen_again_or_is_none(nlp: Language, question: str, reason: str) -> None:
    assert perfect_to_future(read(nlp, question)) == Refusal(reason)
