"""Adds that the author may be wrong, or that others disagree."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import is_opinion, is_small, speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_CONCESSIONS = ordered("text/directional", "concessions")
_ATTITUDES = word_set("text/directional", "attitudes")
_AUTHOR = word_set("text/directional", "author")


def transform(doc: Doc, rng: Random) -> list[Rewrite]:
    """Return a statement with a concession behind it."""
    statement = statement_of(doc)
    if statement is None or not is_opinion(statement):
        return []
    if speaks_of(statement, _AUTHOR | _ATTITUDES) or statement.mark == "!":
        return []
    if any(token.dep_ in {"neg", "mark", "advcl"} for token in doc):
        return []
    end = len(doc.text.rstrip()) - len(statement.mark)
    words = rng.choice(_CONCESSIONS)
    new = f", {words.lower() if is_small(doc.text) else words}"
    return [edited(doc.text, [(end, end, new)])]


RELATION = TextRelation(
    name="concession",
    title="Concession added (score must not rise)",
    description=(
        "Adds that the author may be wrong, or that others disagree. The score of the label must "
        "not rise."
    ),
    paper="Hyland, Written Communication 13:2, 1996",
    before="The service is bad.",
    after="The service is bad, although I may be wrong about that.",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
