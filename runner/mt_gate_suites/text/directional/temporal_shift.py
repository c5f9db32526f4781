"""Turns a current feeling or opinion into one that the author no longer has."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.domain import Block
from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.grammar.verbs import FINITE_TAGS
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import Statement, framed, is_opinion, speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_FEELINGS = word_set("text/directional", "feelings")
_ATTITUDES = word_set("text/directional", "attitudes")
_TIMES = word_set("text/directional", "times")
BEFORE = "I used to think that "
_PAST_OF_BE = {"is": "was", "are": "were", "am": "was"}


def transform(doc: Doc, _: Random) -> list[Rewrite]:
    """Turn a statement about the present into one about the past that is no longer true."""
    statement = statement_of(doc)
    if statement is None or speaks_of(statement, _TIMES):
        return []
    if any(token.dep_ in {"neg", "cc", "mark", "advcl"} for token in doc):
        return []
    if statement.clause.subject.lower_ == "i":
        verb = statement.clause.finite
        if verb.lower_ not in _FEELINGS or verb.tag_ != "VBP" or verb != statement.clause.root:
            return []
        text = statement.doc.text.rstrip()
        end = len(text) - len(statement.mark)
        author = text[0]
        edits = [(verb.idx, verb.idx, "used to "), (end, end, f", but {author} no longer do")]
        return [edited(statement.doc.text, edits)._replace(stratum="feeling")]
    return _thought(statement)


def _thought(statement: Statement) -> list[Rewrite]:
    """``It is bad.`` -> ``I used to think that it was bad, but I no longer do.``"""
    verb = statement.clause.finite
    past = _PAST_OF_BE.get(verb.lower_)
    if past is None or verb != statement.clause.root or speaks_of(statement, _ATTITUDES):
        return []
    others = [token for token in statement.doc if token.tag_ in FINITE_TAGS and token != verb]
    if others or not is_opinion(statement):
        return []
    core = statement.core
    then = core[: verb.idx] + past + core[verb.idx + len(verb) :]
    rewrite = framed(statement._replace(core=then), BEFORE, ", but I no longer do", ".")
    cut = verb.idx + len(verb)
    rest = Block(cut, len(BEFORE) + verb.idx + len(past), len(core) - cut)
    blocks = (Block(0, len(BEFORE), verb.idx), *([rest] if rest.length else []))
    return [rewrite._replace(alignment=blocks, stratum="thought")]


RELATION = TextRelation(
    name="temporal-shift",
    title="No longer true (score must not rise)",
    description=(
        "Turns a current feeling or opinion into one that the author no longer has. The score of "
        "the label must not rise."
    ),
    paper="Ribeiro et al., ACL 2020 (CheckList), temporal",
    before="I hate this airline.",
    after="I used to hate this airline, but I no longer do.",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
