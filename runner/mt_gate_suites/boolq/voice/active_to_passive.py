"""Active clauses turned passive (MR2-3, section 4.2 of the paper).

    the company now uses the SSE brand throughout the UK
    the SSE brand is now used by the company throughout the UK

Only the object moves to the front, and the subject behind the participle;
phrases behind the object stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate_suites.boolq.voice.clause_frame import adverb_moves, clause_fault, rest_fault
from mt_gate_suites.boolq.voice.phrase_kinds import (
    acts,
    as_subject,
    is_bare,
    is_contest,
    is_counted,
    is_definite,
    is_heavy,
    is_measure,
    is_vague,
    number,
)
from mt_gate_suites.boolq.voice.phrases import NounPhrase, has_clause, noun_phrase
from mt_gate_suites.boolq.voice.reference import pronoun_blurs
from mt_gate_suites.boolq.voice.rest import leans_back, opens_with_place
from mt_gate_suites.boolq.voice.transitive_verbs import past_form, to_passive
from mt_gate_suites.grammar.verbs import agrees
from mt_gate_suites.lexicons.reading import rows, word_set

_MODALS = word_set("grammar", "modals")
_BE = {
    ("VBZ", "singular"): "is",
    ("VBZ", "plural"): "are",
    ("VBD", "singular"): "was",
    ("VBD", "plural"): "were",
}


_LOOSE = {word: frozenset(verbs.split()) for word, verbs in rows("boolq/verbs", "loose-objects", 2)}
"""Prepositions that are surely the verb's own."""


class ActiveClause(NamedTuple):
    """An active clause: its phrases, auxiliaries, adverbs and verb."""

    subject: NounPhrase
    auxiliaries: tuple[Token, ...]
    adverbs: tuple[Token, ...]
    verb: Token
    object: NounPhrase


class Passive(NamedTuple):
    """The passive verb group of a clause: ``is``, (now), ``used``."""

    auxiliaries: tuple[str, ...]
    participle: str


def find_active(verb: Token, sentence: Span) -> ActiveClause | str:
    """Return the parts of an active clause that may turn passive, or the code of why not."""
    if not to_passive(verb.lemma_) or not verb.text.islower():
        return "verb"
    subjects = [c for c in verb.children if c.dep_ == "nsubj"]
    objects = [c for c in verb.children if c.dep_ == "dobj"]
    if len(subjects) != 1 or len(objects) != 1:
        return "no-object"
    fault = clause_fault(verb, subjects[0])
    if fault:
        return fault
    subject, found = noun_phrase(subjects[0], closed=True), _object(objects[0])
    if subject is None or found is None or has_clause(found):
        return "phrase"
    clause = _assembled(subject, verb, found)
    if isinstance(clause, str):
        return clause
    rest = verb.doc[found.end : sentence.end]
    if leans_back(rest) or opens_with_place(rest) or _goes_with_object(verb, rest[0]):
        return "rest"
    if is_heavy(subject) and rest[0].tag_ != ".":
        return "heavy-subject"
    return _sense_fault(clause, sentence) or rest_fault(verb, found.end, _loose(verb)) or clause


def _goes_with_object(verb: Token, after: Token) -> bool:
    """Whether what follows goes with the object, or with verb and object as one.

    Announced the renewal for a season; named her after an elephant.
    """
    if after.lower_ == "after":
        return verb.lemma_ == "name"
    return after.lower_ == "for" and "for" not in _loose(verb)


def passive_group(clause: ActiveClause) -> Passive | str:
    """Return the passive forms of a clause's verb, tense and aspect kept."""
    participle = past_form(clause.verb.lower_, clause.verb.lemma_, "VBN")
    plural = number(clause.object.head)
    if participle is None:
        return "form"
    if not clause.auxiliaries:
        be = _be(clause.verb.tag_, plural)
        return Passive((be,), participle) if be else "agreement"
    words = [a.lower_ for a in clause.auxiliaries]
    tag = clause.verb.tag_
    if words[0] in _MODALS and len(words) == 1 and tag == "VB":
        return Passive((words[0], "be"), participle)
    if words == ["had"] and tag == "VBN":
        return Passive(("had", "been"), participle)
    if words in (["has"], ["have"]) and tag == "VBN" and plural:
        return Passive(("has" if plural == "singular" else "have", "been"), participle)
    return "auxiliaries"


def _loose(verb: Token) -> frozenset[str]:
    return frozenset(word for word, verbs in _LOOSE.items() if verb.lemma_ in verbs)


def _be(tag: str, plural: str | None) -> str | None:
    return _BE.get(("VBZ" if tag == "VBP" else tag, plural or ""))


def _pronoun_drifts(found: NounPhrase, sentence: Span) -> bool:
    """Whether ``she`` at the front could be somebody else of the sentence before."""
    return found.head.lower_ in {"him", "her"} and sentence.start > 0


def _object(head: Token) -> NounPhrase | None:
    if as_subject(head) is not None:
        return NounPhrase(head, head.i, head.i + 1)
    return noun_phrase(head)


def _assembled(subject: NounPhrase, verb: Token, found: NounPhrase) -> ActiveClause | str:
    """Return the clause if nothing but auxiliaries and adverbs parts its phrases."""
    gap = list(verb.doc[subject.end : verb.i])
    auxiliaries = tuple(t for t in gap if t.dep_ == "aux" and t.head == verb)
    adverbs = tuple(t for t in gap if t.head == verb and adverb_moves(t))
    if len(auxiliaries) + len(adverbs) != len(gap) or found.start != verb.i + 1:
        return "gap"
    if any(t.dep_ in {"neg", "prt", "dative", "oprd", "auxpass"} for t in verb.children):
        return "verb-phrase"
    finite = auxiliaries[0] if auxiliaries else verb
    if not auxiliaries and verb.tag_ not in {"VBD", "VBZ", "VBP"}:
        return "not-finite"
    if not agrees(subject.head, finite):
        return "agreement"
    return ActiveClause(subject, auxiliaries, adverbs, verb, found)


def _sense_fault(clause: ActiveClause, sentence: Span) -> str | None:
    found = clause.object
    if not acts(clause.subject, clause.verb.lemma_):
        return "agent"
    if clause.verb.lemma_ == "win" and not is_contest(found):
        return "prize"
    if not found.is_pronoun and (is_measure(found) or is_vague(found) or is_counted(found)):
        return "object"
    if not (is_definite(clause.subject) or is_definite(found)):
        return "both-open"
    if is_bare(found):
        return "bare-object"
    if pronoun_blurs(sentence, clause.subject, found) or _pronoun_drifts(found, sentence):
        return "pronoun"
    return None
