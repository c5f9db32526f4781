"""Conditions of an exchange, one by one, where they hold and where not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.ner.exchange_conditions import conditions, hold

BUILT = "The old bridge was built by Anna Weber in Oslo."


@pytest.mark.parametrize(
    ("text", "word", "cell", "holds"),
    [
        (BUILT, "built", "passive", True),
        (BUILT, "built", "active", False),
        ("Anna built a bridge.", "built", "active", True),
        ("A bridge built by Anna fell.", "built", "passive", True),
        (BUILT, "built", "next=by|in", True),
        (BUILT, "built", "next=in", False),
        (BUILT, "built", "next!=in", True),
        (BUILT, "built", "last=was", True),
        (BUILT, "built", "agent=PERSON", True),
        (BUILT, "built", "subject=@buildings", True),
        (BUILT, "built", "subject=song", False),
        (BUILT, "old", "head=bridge", True),
        (BUILT, "old", "head=man", False),
        ("Anna lived in Oslo.", "lived", "place", True),
        ("Anna bought it.", "bought", "place", False),
        ("Anna bought two houses.", "bought", "object", True),
        ("Anna bought two houses.", "bought", "object!=house", False),
        ("Anna slept.", "slept", "object", False),
        ("Anna slept.", "slept", "object!=", True),
        ("Anna tries to sleep.", "tries", "infinitive", True),
        ("Anna tries it.", "tries", "infinitive", False),
        ("Anna said that it rains.", "said", "clause", True),
        ("Anna saw many houses.", "many", "plural", True),
        ("Anna saw a big house.", "big", "plural", False),
        ("Anna lives there.", "lives", "form=VBZ", True),
        ("Anna lives there.", "lives", "form=VBD", False),
        (BUILT, "built", "passive next=by agent=PERSON", True),
        (BUILT, "built", "", True),
    ],
)
def test_conditions(nlp: Language, text: str, word: str, cell: str, *, holds: bool) -> None:
    doc = nlp(text)
    at = next(token.i for token in doc if token.text == word)
    assert hold(conditions(cell), doc[at : at + 1]) is holds
