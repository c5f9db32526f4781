"""Adds a hedge such as “perhaps” before a statement."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import framed, is_opinion, speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_HEDGES = ordered("text/directional", "hedges")
_ATTITUDES = word_set("text/directional", "attitudes")


def transform(doc: Doc, rng: Random) -> list[Rewrite]:
    """Return a statement with a hedge before it."""
    statement = statement_of(doc)
    if statement is None or not is_opinion(statement):
        return []
    if speaks_of(statement, _ATTITUDES) or doc.text.rstrip().endswith("!"):
        return []
    if statement.clause.subject.lower_ == "i" or any(token.dep_ == "neg" for token in doc):
        return []
    return [framed(statement, f"{rng.choice(_HEDGES)} ")]


RELATION = TextRelation(
    name="hedge",
    title="Hedging (score must not rise)",
    description=(
        "Adds a hedge such as “perhaps” before a statement. The score of the label must not rise."
    ),
    paper=(
        "Ribeiro et al., ACL 2020 (CheckList), reducers; Hyland, Written Communication 13:2, 1996"
    ),
    before="The service is bad.",
    after="Perhaps the service is bad.",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
