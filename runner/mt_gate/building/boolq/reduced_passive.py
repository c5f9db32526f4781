"""Passive relative clauses turned active (MR2-3, section 4.2 of the paper).

a film written and directed by Ann Lee      a film that Ann Lee wrote and directed
a film directed by Ann Lee and written by Bob Roy
a film that Ann Lee directed and Bob Roy wrote
the club, which was founded by Ann Lee,     the club, which Ann Lee founded,
"""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Token

from mt_gate.building.boolq.passive_to_active import acts
from mt_gate.building.boolq.phrase_kinds import (
    is_person,
    phrase_number,
)
from mt_gate.building.boolq.transitive_verbs import (
    form,
    is_event,
    is_lasting,
    is_repeated,
    past_form,
    to_active,
)
from mt_gate.building.boolq.voice_phrases import Phrase, agent_phrase

_RELATIVES = {"that": "that", "which": "which"}
_VERBAL = frozenset({"VBN", "VBD", "VBG", "VBZ", "VBP", "MD", "RB"})
_AFTER = frozenset("in on at during for since from".split())
_AFTER_COMMA = frozenset("starring featuring based which in on at".split())


_SOURCES = frozenset({"screenplay", "script", "story", "teleplay"})
_WORKS = frozenset(
    "film films movie series sitcom miniseries drama comedy documentary novel novels book song "
    "songs single album albums game games show program programme soundtrack thriller "
    "novella play musical opera poem video episode sequel trilogy screenplay essay story stories "
    "recording track ballad cartoon anime adaptation remake franchise version".split()
)
_PERIODICALS = frozenset("journal magazine newspaper comics".split())
_FUTURE = frozenset({"upcoming", "forthcoming", "planned", "unreleased"})


class Part(NamedTuple):
    """One agent and the verb forms that say what it did."""

    agent: Phrase
    verbs: tuple[str, ...]


class Relative(NamedTuple):
    """A relative clause: tokens ``start`` up to ``end``, its pronoun, who did what."""

    start: int
    end: int
    pronoun: str
    parts: tuple[Part, ...]


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
    if tag is None or noun.tag_ not in {"NN", "NNS"} or is_person(noun):
        return None
    if noun.lower_ == "executive" or any(
        c.lower_ in _FUTURE | {"both", "all"} for c in noun.children
    ):
        return None
    before = verb.nbor(-1) if verb.i else None
    comma = before is not None and before.text == ","
    if before != noun and not (comma and verb.nbor(-2) == noun):
        return None
    if comma and noun.lower_ not in _WORKS and noun.dep_ not in {"attr", "appos"}:
        return None
    return _relative(verb, verb.i, "which" if comma else "that", tag)


def _full(verb: Token) -> Relative | None:
    subjects = [c for c in verb.children if c.dep_ == "nsubjpass"]
    auxiliaries = [c for c in verb.children if c.dep_ in {"aux", "auxpass"}]
    if len(subjects) != 1 or len(auxiliaries) != 1 or subjects[0].lower_ not in _RELATIVES:
        return None
    if (subjects[0].i, auxiliaries[0].i) != (verb.i - 2, verb.i - 1):
        return None
    if auxiliaries[0].lower_ not in {"was", "were"}:
        return None
    return _relative(verb, subjects[0].i, subjects[0].lower_, "VBD")


def _tense(verb: Token) -> str | None:
    """Return the tag of the finite verb that says what a bare participle says."""
    lemma, noun = verb.lemma_, verb.head
    if is_repeated(lemma):
        if noun.lower_ in _WORKS:
            return "VBD"
        if noun.tag_ != "NNS" and noun.lower_ not in _PERIODICALS:
            return None
    elif is_event(lemma):
        return "VBD"
    elif not is_lasting(lemma):
        return None
    above = verb.head
    while above.dep_ != "ROOT" and above.tag_ not in {"VBZ", "VBP", "VBD"}:
        above = above.head
    return {"VBZ": "VBZ", "VBP": "VBZ", "VBD": "VBD"}.get(above.tag_)


def _relative(verb: Token, start: int, pronoun: str, tag: str) -> Relative | None:
    parts: list[Part] = []
    at: Token | None = verb
    end = verb.i
    while at is not None:
        found = _part(at, tag)
        if found is None:
            return None
        part, end = found
        parts.append(part)
        at = _next(at, end)
    if not _closes(verb, end) or len(parts) > 2:
        return None
    return Relative(start, end, pronoun, tuple(parts))


def _part(verb: Token, tag: str) -> tuple[Part, int] | None:
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
    forms = _forms(verbs, agent, tag)
    return (Part(agent, forms), agent.end) if forms else None


def _forms(verbs: list[Token], agent: Phrase, tag: str) -> tuple[str, ...] | None:
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
    return is_lasting(verb.lemma_) == is_lasting(first.lemma_)


def _next(verb: Token, end: int) -> Token | None:
    """Return the participle of ``and written by`` behind an agent."""
    doc = verb.doc
    if end + 2 < len(doc) and doc[end].lower_ == "and" and doc[end + 2].lower_ == "by":
        return doc[end + 1] if doc[end + 1].tag_ in {"VBN", "VBD"} else None
    return None


def _closes(verb: Token, end: int) -> bool:
    """Whether what follows the last agent goes on with no part of the relative clause."""
    doc = verb.doc
    if end >= len(doc):
        return False
    after = doc[end]
    rest = doc[end : verb.sent.end]
    if any(t.tag_ == "CC" and t.i + 1 < len(doc) and doc[t.i + 1].tag_ in _VERBAL for t in rest):
        return False
    if after.text in {".", ";"}:
        return True
    if after.text == ",":
        return doc[end + 1].lower_ in _AFTER_COMMA
    named = doc[end - 1].tag_ == "NNP"
    if after.lower_ == "from" and not any(t.lower_ in _SOURCES for t in after.subtree):
        return False
    return named and after.lower_ in _AFTER and after.dep_ == "prep" and after.head != doc[end - 1]
