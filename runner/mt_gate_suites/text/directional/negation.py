"""Negates a statement.

A statement is edited only if "not" negates all of it: it has no second finite verb, and no word
that counts or limits.
"""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.relations.stated import Falls
from mt_gate_suites.grammar.clauses import Clause
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.grammar.verbs import FINITE_TAGS, base_form, do_form, subject_number
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.statements import speaks_of, statement_of
from mt_gate_suites.text.transformation import OfDoc

_SCOPE = word_set("text/directional", "scope-words")
_MODALS = word_set("text/directional", "modals-denied")
_BE = word_set("text/directional", "forms-of-be")


def transform(doc: Doc, _: Random) -> list[Rewrite]:
    """Return the negation of a plain statement; empty for other texts."""
    statement = statement_of(doc)
    if statement is None or not _is_plain(statement.clause, doc):
        return []
    if speaks_of(statement, _SCOPE) or any(token.dep_ == "neg" for token in doc):
        return []
    edit = _denial(statement.clause)
    return [edited(doc.text, [edit])] if edit else []


def _is_plain(clause: Clause, doc: Doc) -> bool:
    finite = [token for token in doc if token.tag_ in FINITE_TAGS]
    said = clause.subject.dep_ != "expl" and not clause.finite.text.isupper()
    joined = any(token.dep_ in {"cc", "mark", "advcl", "prt"} for token in doc)
    adverb = doc[clause.opening - 1].dep_ == "advmod" and clause.opening > 1
    return said and finite == [clause.finite] and not (clause.conjuncts or joined or adverb)


def _denial(clause: Clause) -> tuple[int, int, str] | None:
    """Return the edit that negates the finite verb; None if unsure."""
    verb = clause.finite
    end = verb.idx + len(verb)
    if verb.lower_ in _BE:
        return end, end, " not"
    if verb != clause.root:
        helps = verb.lower_ in _MODALS or verb.lemma_ in {"have", "do"}
        if verb.lower_ == "can":
            return end, end, "not"
        return (end, end, " not") if helps else None
    carrier, base = do_form(verb, subject_number(clause.subject)), base_form(verb)
    if carrier is None or base is None:
        return None
    return verb.idx, end, f"{carrier} not {base}"


RELATION = TextRelation(
    name="negation",
    title="Negation (score must not rise)",
    description="Negates a statement. The score of the label must not rise.",
    paper=(
        "Ribeiro et al., ACL 2020 (CheckList), negation; HateCheck (Röttger et al., ACL "
        "2021), negated statements"
    ),
    before="I hate waiting.",
    after="I do not hate waiting.",
    transformation=OfDoc(transform),
    output=Directed(Falls),
)
