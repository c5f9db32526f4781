"""Relations that weaken an opinion: a hedge, other people's view, a concession, a question."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.ner.structural import to_question
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import (
    Statement,
    framed,
    is_opinion,
    is_small,
    speaks_of,
    statement_of,
)
from mt_gate_suites.text.transformation import OfDoc

_HEDGES = ordered("text/directional", "hedges")
_SAYERS = ordered("text/directional", "sayers")
_DISAGREE = ordered("text/directional", "disagreements")
_CONCESSIONS = ordered("text/directional", "concessions")
_ATTITUDES = word_set("text/directional", "attitudes")
_AUTHOR = word_set("text/directional", "author")


def _find_opinion(doc: Doc, unfit: frozenset[str]) -> Statement | None:
    """Return an opinion without negation and without ``unfit`` words; None for other texts."""
    statement = statement_of(doc)
    if statement is None or not is_opinion(statement) or speaks_of(statement, unfit):
        return None
    return None if _is_negated(doc) else statement


def _is_negated(doc: Doc) -> bool:
    return any(token.dep_ == "neg" for token in doc)


def _hedge(doc: Doc, rng: Random) -> list[Rewrite]:
    statement = _find_opinion(doc, _ATTITUDES)
    if statement is None or statement.mark == "!" or statement.clause.subject.lower_ == "i":
        return []
    return [framed(statement, f"{rng.choice(_HEDGES)} ")]


def _attribute(doc: Doc, rng: Random) -> list[Rewrite]:
    statement = _find_opinion(doc, _AUTHOR | _ATTITUDES)
    if statement is None:
        return []
    return [framed(statement, f"{rng.choice(_SAYERS)} ", f", but {rng.choice(_DISAGREE)}", ".")]


def _concede(doc: Doc, rng: Random) -> list[Rewrite]:
    statement = _find_opinion(doc, _AUTHOR | _ATTITUDES)
    if statement is None or statement.mark == "!":
        return []
    if any(token.dep_ in {"mark", "advcl"} for token in doc):
        return []
    end = len(doc.text.rstrip()) - len(statement.mark)
    words = rng.choice(_CONCESSIONS)
    new = f", {words.lower() if is_small(doc.text) else words}"
    return [edited(doc.text, [(end, end, new)])]


def _ask(doc: Doc, _: Random) -> list[Rewrite]:
    """Turn a statement that is not about the author into a question."""
    statement = statement_of(doc)
    if statement is None or statement.mark != "." or speaks_of(statement, _AUTHOR):
        return []
    turned = None if _is_negated(doc) else to_question(doc)
    return [turned] if turned else []


RELATIONS = (
    TextRelation(
        name="hedge",
        title="Hedging (score must not rise)",
        description=(
            "Adds a hedge such as “perhaps” before a statement. The score of the label must not "
            "rise."
        ),
        paper=(
            "Ribeiro et al., ACL 2020 (CheckList), reducers; Hyland, Written Communication 13:2, "
            "1996"
        ),
        before="The service is bad.",
        after="Perhaps the service is bad.",
        transformation=OfDoc(_hedge),
        output=Directed(Falls),
    ),
    TextRelation(
        name="another-view",
        title="Attributed to others (score must not rise)",
        description=(
            "Attributes the opinion to others and states that the author disagrees. The score of "
            "the label must not rise."
        ),
        paper=(
            "Ribeiro et al., ACL 2020 (CheckList), author's sentiment against others'; HateCheck "
            "(Röttger et al., ACL 2021), denouncements"
        ),
        before="The service is bad.",
        after="Some people say that the service is bad, but I disagree.",
        transformation=OfDoc(_attribute),
        output=Directed(Falls),
    ),
    TextRelation(
        name="concession",
        title="Concession added (score must not rise)",
        description=(
            "Adds that the author may be wrong, or that others disagree. The score of the label "
            "must not rise."
        ),
        paper="Hyland, Written Communication 13:2, 1996",
        before="The service is bad.",
        after="The service is bad, although I may be wrong about that.",
        transformation=OfDoc(_concede),
        output=Directed(Falls),
    ),
    TextRelation(
        name="question",
        title="Statement to question (score must not rise)",
        description=(
            "Turns a statement into a yes/no question. The score of the label must not rise."
        ),
        paper=(
            "TIN (Yu et al., ESEC/FSE 2023), structural transformation; Ribeiro et al., ACL 2020 "
            "(CheckList)"
        ),
        before="The service is bad.",
        after="Is the service bad?",
        transformation=OfDoc(_ask),
        output=Directed(Falls),
    ),
)
