"""Attributes the opinion to others and states that the author disagrees."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import framed, is_opinion, speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_SAYERS = ordered("text/directional", "sayers")
_DISAGREE = ordered("text/directional", "disagreements")
_ATTITUDES = word_set("text/directional", "attitudes")
_AUTHOR = word_set("text/directional", "author")


def transform(doc: Doc, rng: Random) -> list[Rewrite]:
    """Return a statement as what others say, and the author denies."""
    statement = statement_of(doc)
    if statement is None or not is_opinion(statement):
        return []
    if speaks_of(statement, _AUTHOR | _ATTITUDES):
        return []
    if any(token.dep_ == "neg" for token in doc):
        return []
    return [framed(statement, f"{rng.choice(_SAYERS)} ", f", but {rng.choice(_DISAGREE)}", ".")]


RELATION = TextRelation(
    name="another-view",
    title="Attributed to others (score must not rise)",
    description=(
        "Attributes the opinion to others and states that the author disagrees. The score of the "
        "label must not rise."
    ),
    paper=(
        "Ribeiro et al., ACL 2020 (CheckList), author's sentiment against others'; HateCheck "
        "(Röttger et al., ACL 2021), denouncements"
    ),
    before="The service is bad.",
    after="Some people say that the service is bad, but I disagree.",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
