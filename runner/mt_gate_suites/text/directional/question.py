"""Turns a statement into a yes/no question.

Who asks does not say so: a label of what is asserted may not grow surer.
"""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.ner.structural import to_question
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_AUTHOR = word_set("text/directional", "author")


def transform(doc: Doc, _: Random) -> list[Rewrite]:
    """Return the question of a statement that is not about its author."""
    statement = statement_of(doc)
    if statement is None or statement.mark != "." or speaks_of(statement, _AUTHOR):
        return []
    if any(token.dep_ == "neg" for token in doc):
        return []
    turned = to_question(doc)
    return [turned] if turned else []


RELATION = TextRelation(
    name="question",
    title="Statement to question (score must not rise)",
    description="Turns a statement into a yes/no question. The score of the label must not rise.",
    paper=(
        "TIN (Yu et al., ESEC/FSE 2023), structural transformation; Ribeiro et al., ACL 2020 "
        "(CheckList)"
    ),
    before="The service is bad.",
    after="Is the service bad?",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
