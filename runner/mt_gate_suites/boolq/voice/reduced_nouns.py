"""Nouns whose bare participle (a film directed by Ann Lee) may become a relative clause.

A relative clause picks one thing out of several more firmly than a participle,
and it goes with the noun right before it. So the noun must be one that is not
known by its name already, and the only one that the participle can belong to.
"""

from __future__ import annotations

from spacy.tokens import Token

from mt_gate_suites.boolq.voice.phrase_kinds import is_person
from mt_gate_suites.lexicons.reading import word_set

WORKS = word_set("boolq/voice", "works")
PERIODICALS = frozenset("journal magazine newspaper comics".split())
_INSTALMENTS = frozenset({"installment", "instalment", "entry", "part"})
_OPEN = frozenset({"upcoming", "forthcoming", "planned", "unreleased", "both", "all"})
"""Words beside which a past tense, or a clause that picks out, says something else."""


def takes_clause(noun: Token, verb: Token, *, comma: bool) -> bool:
    """Whether a relative clause behind a noun says what the participle ``verb`` says there.

    Args:
        noun: what the participle belongs to, by the parse.
        verb: the participle.
        comma: whether a comma parts the two, so that the clause does not pick out.
    """
    if noun.tag_ not in {"NN", "NNS"} or is_person(noun) or noun.lower_ == "executive":
        return False
    if any(c.lower_ in _OPEN for c in noun.children):
        return False
    if comma and noun.lower_ not in WORKS and noun.dep_ not in {"attr", "appos"}:
        return False
    return not (_is_named(noun) or _may_be_another_s(verb, noun, comma=comma))


def _is_named(noun: Token) -> bool:
    """Whether a name picks the thing out already: the High School Musical trilogy."""
    left = noun.doc[noun.left_edge.i : noun.i]
    if any(t.dep_ == "poss" and t.head == noun for t in left):
        return True
    return any(t.tag_[:3] == "NNP" for t in left) and left[0].lower_ not in {"a", "an"}


def _may_be_another_s(verb: Token, noun: Token, *, comma: bool) -> bool:
    """Whether the clause may be one of a noun before: the instalments of a series of games.

    A game based on a book is developed, the book is not; and in ``with music composed
    by`` the participle says how it is with the music, not which music it is.
    """
    if noun.dep_ != "pobj":
        return False
    above = noun.head.head
    if noun.head.lower_ == "with":
        return True
    if noun.head.lower_ == "on" and above.lower_ == "based":
        return verb.lemma_ not in {"write", "co-write"}
    if above.tag_ not in {"NN", "NNS"}:
        return False
    return comma or noun.lower_ not in WORKS or above.lemma_ in WORKS | _INSTALMENTS
