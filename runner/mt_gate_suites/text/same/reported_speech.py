"""Adds a phrase such as “I have a question” before a statement or question.

    statement  My card has not arrived.   -> I am writing to say that my card has not arrived.
    question   Where is my card?          -> I have a question: where is my card?

Only statements that report something in a message are edited: nobody is writing to say that they
are grateful or unsure. Author and topic stay the same, so the label must stay, too.
"""

from __future__ import annotations

import re
from random import Random

from spacy.tokens import Doc

from mt_gate.domain import Block
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.text.protected import protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.statements import (
    framed,
    is_small,
    speaks_of,
    statement_of,
)
from mt_gate_suites.text.transformation import OfDoc

_SAYING = ordered("text/frames", "author-says")
_ASKING = ordered("text/frames", "author-asks")
_TO_KNOW = word_set("text/frames", "author-asks-to-know")
_OPENERS = word_set("text/frames", "question-openers")
_UNREPORTED = word_set("text/frames", "saying") | word_set("text/frames", "no-report")
_WISH = re.compile(rf"\b(?:{'|'.join(ordered('text/frames', 'wishes'))})\b", re.I)
_OF_A_MESSAGE = word_set("text/frames", "of-a-message")
_REQUEST = re.compile(r"(?:can|could|will|would) you\b|.*\bplease\b", re.I)


def transform(doc: Doc, rng: Random) -> list[Rewrite]:
    """Return a statement or a question after a phrase by which the author says or asks it."""
    statement = statement_of(doc)
    if statement is not None and (
        speaks_of(statement, _OF_A_MESSAGE)
        and not speaks_of(statement, _UNREPORTED)
        and not _WISH.search(statement.doc.text)
    ):
        return [framed(statement, f"{rng.choice(_SAYING)} ")._replace(stratum="statement")]
    text = doc.text.rstrip()
    first = doc[0].lower_
    one = text.endswith("?") and text.count("?") == 1 and not any(c in text for c in ".!;:\n")
    if (
        not one
        or first not in _OPENERS
        or len(doc) < 4
        or doc[1].lower_ == "to"
        or protected_spans(text)
    ):
        return []
    frame = rng.choice(_ASKING)
    if frame in _TO_KNOW and _REQUEST.match(text):
        return []
    before = f"{frame} "
    if is_small(text):
        before = before.lower()
    new = f"{before}{text[0].lower()}{text[1:]}"
    return [Rewrite(new, (Block(0, len(before), len(text)),), "question")]


RELATION = TextRelation(
    name="reported-speech",
    title="Introductory phrase added",
    description=(
        "Adds a phrase such as “I have a question” before a statement or question. The prediction "
        "must not change."
    ),
    paper=(
        "LLMorph (Cho et al., ICSME 2025), reported speech; Ribeiro et al., ACL 2020 (CheckList)"
    ),
    before="Where is my card?",
    after="I have a question: where is my card?",
    transformation=OfDoc(transform),
)
