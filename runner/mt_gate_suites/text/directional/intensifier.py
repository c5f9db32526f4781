"""Adds an intensifier such as “really”."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc, Token

from mt_gate.relations.stated import Rises
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.protected import is_free, protected_spans
from mt_gate_suites.text.relation import Directed, TextRelation
from mt_gate_suites.text.transformation import OfDoc

_GRADABLE = word_set("text/directional", "gradable")
_FEELINGS = word_set("text/directional", "feelings")
_DEGREE_WORDS = word_set("text/directional", "degrees")
"""Words that already say how much, such as "very"."""
_SUBJECTS = frozenset({"i", "we", "they", "you", "people"})


def transform(doc: Doc, _: Random) -> list[Rewrite]:
    """Return the text with "really" before its only gradable adjective or verb of feeling."""
    if len(list(doc.sents)) != 1 or "?" in doc.text or any(t.dep_ == "neg" for t in doc):
        return []
    if any(token.lower_ in _DEGREE_WORDS for token in doc):
        return []
    places = [token for token in doc if _is_gradable(token)]
    if len(places) != 1:
        return []
    start, end = places[0].idx, places[0].idx + len(places[0])
    if not is_free(start, end, protected_spans(doc.text)):
        return []
    return [edited(doc.text, [(start, start, "really ")])]


def _is_gradable(token: Token) -> bool:
    if token.lower_ in _GRADABLE and token.tag_ == "JJ":
        return token.dep_ == "acomp" and _is_predicate_adjective(token)
    feels = token.lower_ in _FEELINGS and token.tag_ == "VBP" and token.dep_ == "ROOT"
    return feels and token.i > 0 and token.nbor(-1).lower_ in _SUBJECTS


def _is_predicate_adjective(adjective: Token) -> bool:
    verb = adjective.head
    is_single = not any(child.dep_ in {"conj", "cc"} for child in adjective.children)
    is_copula = verb.lemma_ == "be" and verb.dep_ == "ROOT"
    subject = any(child.dep_ == "nsubj" and child.i < verb.i for child in verb.children)
    return is_single and is_copula and subject and adjective.i == verb.i + 1


RELATION = TextRelation(
    name="intensifier",
    title="Intensifier added (score must not fall)",
    description="Adds an intensifier such as “really”. The score of the label must not fall.",
    paper="Ribeiro et al., ACL 2020 (CheckList), intensifiers",
    before="The service is bad.",
    after="The service is really bad.",
    transformation=OfDoc(transform),
    output=Directed(Rises),  # slack 0.05: the score may fall slightly but need not rise
)
