"""Pronouns that could come to point at the wrong phrase after a change of voice."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate.building.boolq.voice.phrases import NounPhrase
from mt_gate.building.boolq.voice.reference import blurs_reference, pronoun_blurs


def phrases(nlp: Language, text: str, *heads: str) -> tuple[NounPhrase, NounPhrase]:
    tokens = [word(nlp(text), head) for head in heads]
    left, right = (NounPhrase(t, t.left_edge.i, t.right_edge.i + 1) for t in tokens)
    return left, right


@pytest.mark.parametrize(
    ("text", "heads", "blurs"),
    [
        ("The company bought the house. It was old.", ("company", "house"), True),
        ("Anna bought the house. It was old.", ("Anna", "house"), False),
        ("The boys bought the house. It was old.", ("boys", "house"), False),
        ("The boys bought the houses. They were old.", ("boys", "houses"), True),
        ("Anna met Boris. She was old.", ("Anna", "Boris"), True),
        ("The company bought the house. Oslo was old.", ("company", "house"), False),
        ("The company bought the house. This house was old.", ("company", "house"), False),
    ],
)
def test_the_next_sentence(nlp: Language, text: str, heads: tuple[str, str], blurs: bool) -> None:
    doc = nlp(text)
    left, right = phrases(nlp, text, *heads)
    assert blurs_reference(left, right, list(doc.sents)[1]) == blurs


def test_nothing_follows_nothing_blurs(nlp: Language) -> None:
    left, right = phrases(nlp, "The company bought the house.", "company", "house")
    assert not blurs_reference(left, right, None)


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
