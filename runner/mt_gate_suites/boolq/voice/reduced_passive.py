"""Passive relative clauses turned active (MR2-3, section 4.2 of the paper).

a film written and directed by Ann Lee      a film that Ann Lee wrote and directed
the club, which was founded by Ann Lee      the club, which Ann Lee founded

Two agents would need two clauses under one pronoun, and what follows a comma
(``, starring Bob Roy``) would follow a verb: such stay as they are.
"""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Token

from mt_gate_suites.boolq.voice.phrase_kinds import acts, phrase_number
from mt_gate_suites.boolq.voice.phrases import NounPhrase, agent_phrase
from mt_gate_suites.boolq.voice.reduced_nouns import PERIODICALS, WORKS, takes_clause
from mt_gate_suites.boolq.voice.rest import leans_back
from mt_gate_suites.boolq.voice.transitive_verbs import (
    form,
    is_event,
    is_lasting,
    is_repeated,
    past_form,
    to_active,
)

_RELATIVES = {"that": "that", "which": "which"}
_AFTER = frozenset("in on at during for since from".split())
_SOURCES = frozenset({"screenplay", "script", "story", "teleplay"})


class AgentVerbs(NamedTuple):
    """One agent and the verb forms that say what it did."""

    agent: NounPhrase
    verbs: tuple[str, ...]


class Relative(NamedTuple):
    """A relative clause: tokens ``start`` up to ``end``, its pronoun, who did what."""

    start: int
    end: int
    pronoun: str
    part: AgentVerbs


def find_relative(verb: Token) -> Relative | None:
    """Return the active form of the passive relative clause that a participle heads."""
    if verb.dep_ == "acl":
        return _reduced(verb)
    if verb.dep_ == "relcl":
        return _full(verb)
    return None


def _reduced(verb: Token) -> Relative | None:
    noun = verb.head
    tag = _tense(verb)
    before = verb.nbor(-1) if verb.i else None
    comma = before is not None and before.text == ","
    if tag is None or (before != noun and not (comma and verb.nbor(-2) == noun)):
        return None
    if not takes_clause(noun, verb, comma=comma):
        return None
    return _relative(verb, verb.i, "which" if comma else "that", tag)


def _full(verb: Token) -> Relative | None:
    subjects = [c for c in verb.children if c.dep_ == "nsubjpass"]
    auxiliaries = [c for c in verb.children if c.dep_ in {"aux", "auxpass"}]
    if len(subjects) != 1 or len(auxiliaries) != 1 or subjects[0].lower_ not in _RELATIVES:
        return None
    if (subjects[0].i, auxiliaries[0].i) != (verb.i - 2, verb.i - 1):
        return None
    if auxiliaries[0].lower_ not in {"was", "were"} or not _is_beside(verb.head, subjects[0]):
        return None
    return _relative(verb, subjects[0].i, subjects[0].lower_, "VBD")


def _is_beside(noun: Token, pronoun: Token) -> bool:
    """Whether a relative pronoun follows its noun, and could follow no other noun before."""
    gap = noun.doc[noun.i + 1 : pronoun.i]
    if gap.text not in {"", ","} and not gap.text.endswith("),"):
        return False
    return noun.dep_ != "pobj" or noun.head.head.tag_ not in {"NN", "NNS"}


def _tense(verb: Token) -> str | None:
    """Return the tag of the finite verb that says what a bare participle says."""
    lemma, noun = verb.lemma_, verb.head
    if is_repeated(lemma):
        if noun.lower_ in WORKS:
            return "VBD"
        if noun.tag_ != "NNS" and noun.lower_ not in PERIODICALS:
            return None
    elif is_event(lemma):
        return "VBD"
    elif not is_lasting(lemma):
        return None
    above = verb.head
    while above.dep_ != "ROOT" and above.tag_ not in {"VBZ", "VBP", "VBD"}:
        above = above.head
    if above.tag_ == "VBD":
        # What was built on land owned by Ann may be owned by her still.
        return "VBD" if noun.dep_ == "attr" and noun.head == above else None
    return "VBZ" if above.tag_ in {"VBZ", "VBP"} else None


def _relative(verb: Token, start: int, pronoun: str, tag: str) -> Relative | None:
    if verb.head.pos_ not in {"NOUN", "PROPN"}:
        return None
    found = _part(verb, tag)
    if found is None:
        return None
    part, end = found
    return Relative(start, end, pronoun, part) if _closes(verb, end) else None


def _part(verb: Token, tag: str) -> tuple[AgentVerbs, int] | None:
    """Return who did what (``written and directed by Ann``) and where it ends."""
    doc = verb.doc
    verbs = [verb]
    at = verb.i + 1
    if at + 1 < len(doc) and doc[at].lower_ == "and" and doc[at + 1].tag_ in {"VBN", "VBD"}:
        verbs.append(doc[at + 1])
        at += 2
    if at + 1 >= len(doc) or doc[at].lower_ != "by" or doc[at].dep_ not in {"agent", "prep"}:
        return None
    heads = list(doc[at].children)
    agent = agent_phrase(heads[0]) if len(heads) == 1 else None
    if agent is None or agent.start != at + 1 or not acts(agent, verbs[-1].lemma_):
        return None
    if not _opens_clause(agent):
        return None
    forms = _forms(verbs, agent, tag)
    return (AgentVerbs(agent, forms), agent.end) if forms else None


def _opens_clause(agent: NounPhrase) -> bool:
    """Whether an agent reads well behind ``that``: a name, or a noun with ``the``.

    ``That writer Ann Lee`` and ``which showrunner`` would be read as one phrase,
    and what ``a trained artist`` draws is drawn by anyone of the kind.
    """
    first = agent.span[0]
    if any(t.tag_ in {"WDT", "WP", "WP$", "WRB"} for t in agent.span):
        return False
    if first.lower_ == "the" or first.dep_ == "poss":
        return True
    return first.tag_ == "NNP" and not any(t.tag_ in {"NN", "NNS", "JJ"} for t in agent.span)


def _forms(verbs: list[Token], agent: NounPhrase, tag: str) -> tuple[str, ...] | None:
    if not all(to_active(v.lemma_) and _alike(v, verbs[0]) for v in verbs):
        return None
    if tag == "VBZ":
        plural = phrase_number(agent)
        if plural is None:
            return None
        tag = "VBZ" if plural == "singular" else "VB"
    forms = [
        past_form(v.lower_, v.lemma_, tag) if tag == "VBD" else form(v.lemma_, tag) for v in verbs
    ]
    return tuple(f for f in forms if f) if all(forms) else None


def _alike(verb: Token, first: Token) -> bool:
    """Whether two participles tell of one time: not ``created and (still) promoted by``."""
    return _kind(verb.lemma_) == _kind(first.lemma_)


def _kind(lemma: str) -> str | None:
    """Return when a bare participle's event is: past, lasting, or open."""
    if is_event(lemma) or is_repeated(lemma):
        return "past"
    return "lasting" if is_lasting(lemma) else None


def _closes(verb: Token, end: int) -> bool:
    """Whether what follows the last agent goes on with no part of the relative clause."""
    doc = verb.doc
    if end >= len(doc):
        return False
    after = doc[end]
    rest = doc[end : verb.sent.end]
    if leans_back(rest) or any(t.tag_ in {"PRP", "PRP$"} for t in rest):
        return False
    if after.text in {".", ";"}:
        return True
    if any(t.text == "," for t in rest):
        return False
    named = doc[end - 1].tag_ == "NNP"
    if after.lower_ == "from" and not any(t.lower_ in _SOURCES for t in after.subtree):
        return False
    return named and after.lower_ in _AFTER and after.dep_ == "prep" and after.head != doc[end - 1]
