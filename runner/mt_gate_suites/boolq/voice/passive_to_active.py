"""Passive clauses with an agent turned active (MR2-3, section 4.2 of the paper).

the film was originally written by Ann Lee in 2010
Ann Lee originally wrote the film in 2010
"""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate_suites.boolq.voice.clause_frame import adverb_moves, clause_fault, rest_fault
from mt_gate_suites.boolq.voice.phrase_kinds import (
    acts,
    as_object,
    is_contest,
    is_counted,
    is_heavy,
    is_measure,
    phrase_number,
)
from mt_gate_suites.boolq.voice.phrases import NounPhrase, agent_phrase, noun_phrase
from mt_gate_suites.boolq.voice.reference import pronoun_blurs
from mt_gate_suites.boolq.voice.rest import leans_back, opens_with_place
from mt_gate_suites.boolq.voice.transitive_verbs import form, is_event, past_form, to_active
from mt_gate_suites.grammar.verbs import agrees
from mt_gate_suites.lexicons.reading import word_set

_MODALS = word_set("grammar", "modals")
_SHORT = 5
"""Words that an agent has at most for a pronoun to follow: Ann Lee and Bob Roy wrote it."""
_LOOSE = frozenset({"as", "for", "from", "to", "with", "into"})
"""Prepositions that are surely the verb's where they follow its agent."""


class PassiveClause(NamedTuple):
    """A passive clause: its phrases, auxiliaries, adverbs and participles."""

    subject: NounPhrase
    auxiliaries: tuple[Token, ...]
    adverbs: tuple[Token, ...]
    verbs: tuple[Token, ...]
    by: Token
    agent: NounPhrase

    @property
    def between(self) -> Span:
        """The phrase of time between the participle and ``by``, mostly empty."""
        return self.by.doc[self.verbs[-1].i + 1 : self.by.i]


class Active(NamedTuple):
    """The active verb group of a clause: auxiliaries, (adverbs), verb forms."""

    auxiliaries: tuple[str, ...]
    verbs: tuple[str, ...]


def find_passive(verb: Token, sentence: Span) -> PassiveClause | str:
    """Return the parts of a passive clause that may turn active, or the code of why not."""
    if verb.tag_ not in {"VBN", "VBD"} or not to_active(verb.lemma_):
        return "verb"
    subjects = [c for c in verb.children if c.dep_ == "nsubjpass"]
    if len(subjects) != 1:
        return "no-subject"
    fault = clause_fault(verb, subjects[0])
    if fault:
        return fault
    last = _second(verb) or verb
    by = [c for c in last.children if c.dep_ == "agent" and c.lower_ == "by"]
    if len(by) != 1 or len(list(by[0].children)) != 1:
        return "no-agent"
    return _clause(verb, last, subjects[0], by[0], sentence)


def active_group(clause: PassiveClause) -> Active | str:
    """Return the active forms of a clause's verbs, tense and aspect kept."""
    words = [a.lower_ for a in clause.auxiliaries]
    if words in (["was"], ["were"]):
        return _forms(clause, (), "VBD")
    if words in (["is"], ["are"]):
        plural = phrase_number(clause.agent)
        if plural is None or any(is_event(verb.lemma_) for verb in clause.verbs):
            return "agreement"
        return _forms(clause, (), "VBZ" if plural == "singular" else "VB")
    if len(words) == 2 and words[0] in _MODALS and words[1] == "be":
        return _forms(clause, (words[0],), "VB")
    if words == ["had", "been"]:
        return _forms(clause, ("had",), "VBN")
    if words in (["has", "been"], ["have", "been"]):
        plural = phrase_number(clause.agent)
        if plural is None:
            return "agreement"
        return _forms(clause, ("has" if plural == "singular" else "have",), "VBN")
    return "auxiliaries"


def _forms(clause: PassiveClause, auxiliaries: tuple[str, ...], tag: str) -> Active | str:
    past = tag in {"VBD", "VBN"}
    forms = [
        past_form(verb.lower_, verb.lemma_, tag) if past else form(verb.lemma_, tag)
        for verb in clause.verbs
    ]
    if any(one is None for one in forms):
        return "form"
    return Active(auxiliaries, tuple(one for one in forms if one))


def _clause(
    verb: Token, last: Token, head: Token, by: Token, sentence: Span
) -> PassiveClause | str:
    subject = _subject(head)
    agent = agent_phrase(next(by.children))
    if subject is None or agent is None:
        return "phrase"
    if not acts(agent, last.lemma_):
        return "agent"
    gap = list(verb.doc[subject.end : verb.i])
    auxiliaries = tuple(t for t in gap if t.dep_ in {"aux", "auxpass"} and t.head == verb)
    adverbs = tuple(t for t in gap if t.head == verb and adverb_moves(t))
    if not auxiliaries or len(auxiliaries) + len(adverbs) != len(gap) or gap[-1].text == "being":
        return "gap"
    if not _is_time(last, by) or agent.start != by.i + 1:
        return "between"
    if not agrees(subject.head, auxiliaries[0]):
        return "agreement"
    if is_measure(agent) or pronoun_blurs(sentence, subject, agent):
        return "pronoun"
    rest = verb.doc[agent.end : sentence.end]
    if leans_back(rest) or rest[0].lower_ == "as":
        return "rest"
    if opens_with_place(rest) and agent.head.ent_type_ != "PERSON":
        return "place"
    if is_heavy(subject) and rest[0].tag_ != ".":
        return "heavy-subject"
    if is_counted(subject):
        return "counted"
    if subject.is_pronoun and _pronoun_drifts(subject, agent, sentence):
        return "pronoun"
    if last.lemma_ == "win" and not is_contest(subject):
        return "prize"
    verbs = (verb,) if verb == last else (verb, last)
    if auxiliaries[0].lower_ in {"is", "are"} and sentence.doc[agent.end].lower_ == "since":
        return "since"
    fault = rest_fault(verb, agent.end, _LOOSE)
    return fault or PassiveClause(subject, auxiliaries, adverbs, verbs, by, agent)


def _pronoun_drifts(subject: NounPhrase, agent: NounPhrase, sentence: Span) -> bool:
    """Whether the pronoun, now the object, could be another than it was as the subject."""
    if subject.head.lower_ in {"he", "she"}:
        return sentence.start > 0
    return agent.head.ent_type_ != "PERSON" or len(agent.span) > _SHORT


def _is_time(verb: Token, by: Token) -> bool:
    """Whether nothing but one phrase of time parts a participle from its agent."""
    between = verb.doc[verb.i + 1 : by.i]
    if not between:
        return True
    first = between[0]
    return (
        first.dep_ == "prep"
        and first.head == verb
        and first.right_edge.i == by.i - 1
        and all(t.ent_type_ == "DATE" or t.tag_ in {"IN", "DT"} for t in between)
        and any(t.ent_type_ == "DATE" for t in between)
    )


def _second(verb: Token) -> Token | None:
    """Return the participle that ``and`` joins right behind: written and directed."""
    for child in verb.children:
        if child.dep_ == "conj" and child.i == verb.i + 2 and child.tag_ in {"VBN", "VBD"}:
            joined = verb.nbor().lower_ == "and" and to_active(child.lemma_)
            return child if joined else None
    return None


def _subject(head: Token) -> NounPhrase | None:
    if as_object(head) is not None:
        return NounPhrase(head, head.i, head.i + 1)
    return noun_phrase(head, closed=True)
