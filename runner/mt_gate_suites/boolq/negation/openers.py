"""The words of a yes/no question with which its predicate may begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from spacy.tokens import Token

from mt_gate.language.forms import tags
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.lexicons.reading import word_set

BE = frozenset({"am", "is", "are", "was", "were"})
DO = frozenset({"do", "does", "did"})
HAVE = frozenset({"has", "have"})
AUXILIARIES = BE | DO | HAVE | {"can", "will"}
"""What a question may open with. The negation of other modals is no complement."""
_ANY_NUMBER = frozenset({"did", "can", "will"})
_PRONOUNS = {
    "i": _ANY_NUMBER | {"am", "was", "do", "have"},
    "there": _ANY_NUMBER - {"did"} | BE - {"am"} | HAVE,
    **dict.fromkeys(("he", "she"), _ANY_NUMBER | {"does", "has"}),
    "it": _ANY_NUMBER | {"is", "was", "does", "has"},
    **dict.fromkeys(("you", "u", "we", "they"), _ANY_NUMBER | {"are", "were", "do", "have"}),
}
"""Pronouns that are a subject by themselves, with the auxiliaries that agree.

Queries that open with ``was she`` have lost the rest of a title: she's the man.
"""
BASES = frozenset("be do have get go let need own".split())
PARTICIPLES = word_set("boolq/negation", "participles")
DETERMINERS = word_set("boolq/negation", "determiners")
_JOINS = word_set("boolq/negation", "joins")
ADVERBS = word_set("boolq/negation", "adverbs")
CLAUSE = word_set("boolq/negation", "clauses")
_MARKS = frozenset({"IN", "TO"})

Kind = Literal["determiner", "preposition", "verb", "adjective", "adverb", "fixed"]


class Opener(NamedTuple):
    """A word with which the predicate may begin, and whether its statement parses."""

    token: Token
    kind: Kind
    sound: bool = False


def is_pronoun(question: ParsedQuestion) -> bool:
    """Whether the subject is one pronoun, or ``there``."""
    first, subject = question.doc[0], question.doc[1]
    agrees = first.lower_ in _PRONOUNS.get(subject.lower_, ())
    return agrees and not question.in_name(subject) and bool(subject.whitespace_)


def openers(question: ParsedQuestion) -> list[Opener]:
    """Return the places where the predicate may begin, in order."""
    doc = question.doc
    if is_pronoun(question):
        return [Opener(doc[2], "verb")]
    kind = _kind_after_be if doc[0].lower_ in BE else verb_kind
    return list(_candidates(question, kind))


def _candidates(question: ParsedQuestion, kind: Callable[[Token], Kind | None]) -> Iterator[Opener]:
    for token in question.doc[2:-1]:
        before = token.nbor(-1)
        if any(start < token.idx < end for start, end in question.names):
            continue
        bound = before.lower_ in DETERMINERS | _JOINS or before.tag_ in {"TO", "IN", "DT", "PRP$"}
        if (bound and not question.in_name(before)) or not before.whitespace_:
            continue
        if before.lower_ in ADVERBS and before.i > 1 and not question.in_name(before):
            continue
        found: Kind | None = "adverb" if token.lower_ in ADVERBS else kind(token)
        if found == "fixed" and before.lower_ in {"a", "an", "the"}:
            continue
        if found == "determiner" or (found and not question.in_name(token)):
            yield Opener(token, found)


def verb_kind(token: Token) -> Kind | None:
    """Say whether a word can be the main verb after the auxiliary that opens its question."""
    word = token.lower_
    if token.doc[0].lower_ in HAVE:
        return "verb" if word in PARTICIPLES or "VBN" in tags(word) else None
    return "verb" if word in BASES or "VB" in tags(word) else None


def _kind_after_be(token: Token) -> Kind | None:
    """Say what predicate after ``be`` a word can begin."""
    word, tag, after = token.lower_, token.tag_, token.nbor(1)
    if word in DETERMINERS:
        return "determiner"
    if (word, after.lower_) in {("part", "of"), ("same", "as"), ("similar", "to")}:
        return "fixed"
    if (word == "based" and after.lower_ in {"on", "off", "upon"}) or word in {
        "considered",
        "worth",
    }:
        return "fixed"
    if tag in _MARKS and word not in _JOINS | CLAUSE | {"to"}:
        return "preposition"
    if tag in {"RB", "RBR", "RBS", "JJR"} and after.tag_[:2] in {"JJ", "RB", "VB"}:
        return "adverb"
    ends = after.is_punct or after.tag_ in _MARKS or after.lower_ in {"enough", "yet", "again"}
    if tag in {"VBN", "VBD"} or "VBN" in tags(word):
        return "verb" if ends else None
    if tag == "VBG" or (tag[:2] == "JJ" and token.nbor(-1).tag_[:2] != "JJ" and ends):
        return "verb" if tag == "VBG" else "adjective"
    return None
