"""Near a name: within a few words, or where the name is an argument."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.ner.nearness import is_near_a_name
from mt_gate_suites.ner.structural import questions

TEXT = (
    "The film, which nobody in the whole town had seen before that day, was directed by Anna Weber."
)


@pytest.mark.parametrize(("word", "near"), [("directed", True), ("nobody", False), ("town", False)])
def test_near(nlp: Language, word: str, *, near: bool) -> None:
    doc = nlp(TEXT)
    at = next(token.i for token in doc if token.text == word)
    assert is_near_a_name(doc[at : at + 1]) is near


def test_a_verb_is_near_its_subject_wherever_that_stands(nlp: Language) -> None:
    doc = nlp(
        "Germany, as everybody who was there on that day will surely know, borders nine countries."
    )
    at = next(token.i for token in doc if token.text == "borders")
    if doc[at].pos_ == "VERB":
        assert is_near_a_name(doc[at : at + 1])


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Oslo was built in a year.", True),
        ("Anna Weber directed the film.", True),
        ("It was built by a king in Oslo.", False),  # a final mark is no word
    ],
)
def test_a_question_changes_something_beside_a_name(
    nlp: Language, text: str, *, changes: bool
) -> None:
    assert bool(questions([nlp(text)], nlp)[0]) is changes
