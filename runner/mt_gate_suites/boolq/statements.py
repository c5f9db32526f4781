"""Find where the subject of a yes/no question ends, to read the question as a statement.

Parsers often err here, above all if ``be`` precedes two noun phrases ("is the
tortoise and the hare a fairy tale"). So the predicate must begin at a word that
can open a predicate, and the resulting statement is parsed too. If several
places remain, one must be surer than the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from mt_gate.language.forms import tags
from mt_gate_suites.boolq.question import BE, DO, ParsedQuestion
from mt_gate_suites.lexicons.reading import word_set

HAVE = frozenset({"has", "have"})
_AUXILIARIES = BE | DO | HAVE | {"am", "can", "will"}
"""First words of a question; without modals whose negation is not the complement."""
_ANY_NUMBER = frozenset({"did", "can", "will"})
_PRONOUNS = {
    "i": _ANY_NUMBER | {"am", "was", "do", "have"},
    "there": _ANY_NUMBER - {"did"} | BE | HAVE,
    **dict.fromkeys(("he", "she"), _ANY_NUMBER | {"does", "has"}),
    "it": _ANY_NUMBER | {"is", "was", "does", "has"},
    **dict.fromkeys(("you", "u", "we", "they"), _ANY_NUMBER | {"are", "were", "do", "have"}),
}
"""Pronouns that are a whole subject, with the auxiliaries that agree.

``was she`` is missing: in such queries it opens a cut title, as in She's the Man.
"""
_BASES = frozenset("be do have get go let need own".split())
_PARTICIPLES = word_set("boolq/negation", "participles")
_DETERMINERS = word_set("boolq/negation", "determiners")
_JOINS = word_set("boolq/negation", "joins")
_ADVERBS = word_set("boolq/negation", "adverbs")
_CLAUSE = word_set("boolq/negation", "clauses")
_WORKS = word_set("boolq/negation", "works")
_FIXED = frozenset(("part of", "same as", "similar to", "based on", "based off", "based upon"))
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})


class Parts(NamedTuple):
    """A question's parts, as character offsets in its text.

    The auxiliary begins the text; the subject is ``[subject, subject_end)``;
    the rest goes from ``predicate`` to the end.
    """

    auxiliary: str
    subject: int
    subject_end: int
    predicate: int


def find_parts(question: ParsedQuestion, nlp: Language) -> Parts | None:
    """Return the parts of a question; None if they are unsure."""
    doc = question.doc
    if len(doc) < 4 or any(token.is_space for token in doc):
        return None
    first, second = doc[0], doc[1]
    if first.lower_ not in _AUXILIARIES or question.in_name(first) or not first.whitespace_:
        return None
    agrees = first.lower_ in _PRONOUNS.get(second.lower_, ()) and bool(second.whitespace_)
    opener: Token | None
    if agrees and not question.in_name(second):
        sure = second.lower_ != "there" or _sound(question, [doc[2]], nlp)
        opener = doc[2] if sure else None
    else:
        openers = list(_openers(question))
        sound = _sound(question, openers, nlp)
        choose = _choose_after_be if first.lower_ in BE else _choose_verb
        opener = choose(question, openers, sound) if openers else None
    if opener is None:
        return None
    last = opener.nbor(-1)
    return Parts(first.lower_, second.idx, last.idx + len(last), opener.idx)


def _openers(question: ParsedQuestion) -> Iterator[Token]:
    """Yield the words with which the predicate may begin, in order."""
    doc = question.doc
    for token in doc[2:-1]:
        before = token.nbor(-1)
        if any(start < token.idx < end for start, end in question.names) or not before.whitespace_:
            continue
        bound = before.lower_ in _DETERMINERS | _JOINS or before.tag_ in {"TO", "IN", "DT", "PRP$"}
        adverb = before.lower_ in _ADVERBS and before.i > 1
        if (bound or adverb) and not question.in_name(before):
            continue
        if question.in_name(token) and token.lower_ not in _DETERMINERS:
            continue
        may_open = _opens_after_be if doc[0].lower_ in BE else _is_verb
        if token.lower_ in _ADVERBS or may_open(token):
            yield token


def _is_verb(token: Token) -> bool:
    word = token.lower_
    if token.doc[0].lower_ in HAVE:
        return word in _PARTICIPLES or "VBN" in tags(word)
    return word in _BASES or "VB" in tags(word)


def _opens_after_be(token: Token) -> bool:
    """Whether a word can begin the predicate after ``be``."""
    word, tag, after = token.lower_, token.tag_, token.nbor()
    fixed = word in {"considered", "worth"} or f"{word} {after.lower_}" in _FIXED
    if word in _DETERMINERS or (fixed and token.nbor(-1).lower_ not in {"a", "an", "the"}):
        return True
    if _is_preposition(token):
        return True
    if tag in {"RB", "RBR", "RBS", "JJR"} and after.tag_[:2] in {"JJ", "RB", "VB"}:
        return True
    ends = (
        after.is_punct or after.tag_ in {"IN", "TO"} or after.lower_ in {"enough", "yet", "again"}
    )
    if tag in {"VBN", "VBD"} or "VBN" in tags(word):
        return ends
    return tag == "VBG" or (tag[:2] == "JJ" and token.nbor(-1).tag_[:2] != "JJ" and ends)


def _is_preposition(token: Token) -> bool:
    return token.tag_ == "IN" and token.lower_ not in _JOINS | _CLAUSE


def _sound(question: ParsedQuestion, openers: list[Token], nlp: Language) -> list[Token]:
    """Return the openers whose statement the parser reads as one subject before the verb."""
    first, cased = question.doc[0].lower_, question.cased
    start = question.doc[1].idx
    fronts = [cased[start : opener.idx].strip() for opener in openers]
    statements = [
        f"{front[0].upper()}{front[1:]} {first} not {cased[opener.idx :]}."
        for front, opener in zip(fronts, openers, strict=True)
    ]
    docs = nlp.pipe(statements)
    pairs = zip(openers, docs, strict=True)
    return [opener for opener, doc in pairs if _has_one_subject(doc, opener.idx - start)]


def _has_one_subject(doc: Doc, place: int) -> bool:
    finite = next((token for token in doc if token.idx == place), None)
    if finite is None:
        return False
    root = finite if finite.dep_ == "ROOT" else finite.head
    tops = [token for token in doc[: finite.i] if token.head.i >= finite.i]
    single = len(tops) == 1 and tops[0].head == root and tops[0].dep_ in _SUBJECTS | {"expl"}
    return root.dep_ == "ROOT" and root.i >= finite.i and single


def _after_subject(doc: Doc) -> int:
    root = doc[0] if doc[0].dep_ == "ROOT" else doc[0].head
    subjects = [child for child in root.children if child.dep_ in _SUBJECTS]
    return subjects[0].right_edge.i + 1 if subjects else -1


def _choose_verb(
    question: ParsedQuestion, openers: list[Token], sound: list[Token]
) -> Token | None:
    at = _after_subject(question.doc)
    agreed = [token for token in sound if token.i == at]
    return agreed[0] if agreed else sound[0] if sound == openers[:1] else None


def _choose_after_be(
    question: ParsedQuestion, openers: list[Token], sound: list[Token]
) -> Token | None:
    """Choose where the predicate after ``be`` begins: the first place, if none rivals it."""
    doc = question.doc
    sure = [token for token in openers if token.lower_ in {"based", "considered"}]
    first = sure[0] if len(sure) == 1 else openers[0]
    before = first.nbor(-1)
    end = before.idx + len(before)
    starts = [question.doc[1].idx]
    if question.doc[1].lower_ in _DETERMINERS:
        starts.append(question.doc[2].idx)
    named = any(start <= at and stop == end for start, stop in question.names for at in starts)
    if not (first in sound or named or len(sure) == 1):
        return None
    rivals = [token for token in openers if token.i > first.i]
    agreed = first in sound and _after_subject(doc) == first.i
    if _is_preposition(first):
        # One phrase after a plain subject must be the predicate: "is the mall in chicago".
        plain = doc[1].lower_ in _DETERMINERS or first.i <= 3 or _after_subject(doc) == first.i
        hidden = first.lower_ in {"with", "for"} or "JJ" in tags(first.nbor(-1).lower_)
        prepositions = all(map(_is_preposition, rivals)) and "to" not in {
            token.lower_ for token in doc[first.i :]
        }
        return first if prepositions and (named or (plain and not (rivals or hidden))) else None
    if len(sure) != 1 and any(token.lower_ in _DETERMINERS for token in rivals):
        return first if agreed and first.lower_ in _ADVERBS else None
    if first.lower_ not in _DETERMINERS or named:
        return first
    # An article may begin a name next to the subject: "is the movie | the duel | good".
    work = first.nbor(-1).lower_ in _WORKS
    apposition = (question.in_name(first) and (work or bool(rivals))) or (
        work and (doc[-2].tag_ == "JJ" or bool(rivals))
    )
    return None if apposition else first
