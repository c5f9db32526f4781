"""Pronouns that could come to point at the wrong phrase after a change of voice."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.phrases import NounPhrase
from mt_gate_suites.boolq.voice.reference import pronoun_blurs, pronoun_follows


def phrases(nlp: Language, text: str, *heads: str) -> tuple[NounPhrase, NounPhrase]:
    tokens = [word(nlp(text), head) for head in heads]
    left, right = (NounPhrase(t, t.left_edge.i, t.right_edge.i + 1) for t in tokens)
    return left, right


@pytest.mark.parametrize(
    ("following", "pronoun"),
    [
        ("It was old.", True),
        ("Its walls were old.", True),
        ("In 2010 she was old.", True),
        ("They were old.", True),
        ("This was old.", True),
        ("Oslo was old when it burnt.", False),
        ("This house was old.", False),
    ],
)
def test_the_next_sentence(nlp: Language, following: str, pronoun: bool) -> None:
    doc = nlp(f"The company bought the house. {following}")
    assert pronoun_follows(list(doc.sents)[1]) == pronoun


def test_nothing_follows_nothing_blurs() -> None:
    assert not pronoun_follows(None)


@pytest.mark.parametrize(
    ("text", "heads", "blurs"),
    [
        ("The company bought the house when it was cheap.", ("company", "house"), True),
        ("Anna bought the house when it was cheap.", ("Anna", "house"), False),
        ("The company itself bought the house.", ("company", "house"), True),
        ("We know that Anna bought the house.", ("Anna", "house"), True),
        ("Anna bought the house in this town.", ("Anna", "house"), False),
        ("Anna bought the house.", ("Anna", "house"), False),
    ],
)
def test_the_same_sentence(nlp: Language, text: str, heads: tuple[str, str], blurs: bool) -> None:
    doc = nlp(text)
    left, right = phrases(nlp, text, *heads)
    assert pronoun_blurs(next(doc.sents), left, right) == blurs
