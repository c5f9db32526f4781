"""A question becomes its negation, and asks whether that is right (MR1-4).

Source: "Validation on Machine Reading Comprehension Software without Annotated
Labels" (ESEC/FSE 2021), section 4.1, inversion with negation and tag question.
    is there such thing as a black card -> there is not such thing as a black card, is it right
    has a woman ever won the indy 500   -> a woman has never won the indy 500, is it right

The paper's words are one stratum, natural words another, because ``is it right`` is unnatural.
The answer must be inverted in any case, so the negation has to be the complement. A question
is skipped if a quantifier, a modal, a second clause or ``and`` leaves open what is negated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from spacy.tokens import Token

from mt_gate.domain import Block
from mt_gate_suites.boolq.question import DO, ParsedQuestion, Resources
from mt_gate_suites.boolq.statements import HAVE, Parts, find_parts
from mt_gate_suites.grammar.rewrite import Rewrite, compose, edited
from mt_gate_suites.lexicons.reading import word_pattern, word_set

PAPER = "paper"
NATURAL = "natural"
TAG = ", is it right"
NATURAL_WORDINGS = (
    ("is it true that ", ""),
    ("", ", is that right"),
    ("is it correct that ", ""),
    ("", ", is that correct"),
    ("is it the case that ", ""),
    ("", ", is that true"),
    ("am i right that ", ""),
)
"""Words before and after a negation in natural questions; yes to each is no to the original."""
_WITH_NO = re.compile(
    r"^there (?:is|are|was|were) (?P<none>not such an?(?= thing)|not (?:any|an?)|not"
    r"(?! (?:\d|any|another|the|one|two|three|going|gonna|enough|much|this|that|[a-z]+ing)))\b"
)
"""A negation that people write with ``no`` instead of ``not``."""
_OF_RIGHT = word_pattern("boolq/negation", "of-right")

_PUNCTUATION = re.compile(r"[,;:?!()\"]")
_REFUSED = (
    word_set("boolq/negation", "negative")
    | word_set("boolq/negation", "links")
    | word_set("boolq/negation", "raising")
)
_QUANTIFIERS = word_set("boolq/negation", "quantifiers")
_RAISING = word_set("boolq/negation", "raising")
_PARTIAL = word_set("boolq/negation", "partial")
_JOINT = word_set("boolq/negation", "joint")
_ANY = frozenset("any anyone anybody anything anywhere".split())
_AND = frozenset({"and", "&"})
_OF_MINE = frozenset({"have", "need", "get", "own", "qualify", "pay", "lose"})
"""Verbs with which ``do i`` asks for a fact; with others it asks for advice."""
_REPEATED_CHECKS = re.compile(r"is it (?:true|correct|right|the case) that\b")


def transform(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """Negate a question; None if the negation may not be the complement."""
    if any(
        token.lower_ in _REFUSED
        or token.lemma_ in _RAISING
        or (token.lower_ in _QUANTIFIERS and not _is_harmless(token))
        or (_PUNCTUATION.search(token.lower_) and not token.like_num)
        for token in _words(question)
    ):
        return None
    parts = find_parts(question, resources.nlp)
    negation = negated(question, parts) if parts else None
    return worded(negation, question.text) if negation else None


def _words(question: ParsedQuestion) -> list[Token]:
    return [token for token in question.doc[:-1] if not question.in_name(token)]


def _is_harmless(token: Token) -> bool:
    """``the most``, ``at all`` and ``each other`` count nothing."""
    before, word, after = (
        token.nbor(-1).lower_ if token.i else "",
        token.lower_,
        token.nbor().lower_,
    )
    if word == "most":
        return before in {"the", "'s", "s"}
    return (before, word) == ("at", "all") or (word, after) == ("each", "other")


def negated(question: ParsedQuestion, parts: Parts) -> Rewrite | None:
    """Return the negated statement of a question; None if it may not be the complement."""
    text, words = question.text, _words(question)
    inside = [t for t in words if t.idx >= parts.predicate]
    subject = [t for t in words if parts.subject <= t.idx < parts.subject_end]
    said, of = {t.lower_ for t in inside}, {t.lower_ for t in subject}
    ever = [t for t in inside if t.lower_ == "ever"]
    # Nobody says "did not ever play".
    odd_ever = ever and (ever[0].idx != parts.predicate or parts.auxiliary in DO)
    if (
        odd_ever
        or _REPEATED_CHECKS.match(text)
        or (text.startswith("do i ") and text.split()[2] not in _OF_MINE)
        or ("and" in said and "between" not in said)
        or (of & _AND and not said & _JOINT)
        or (said | of) & _ANY
        or _is_partial(subject, parts)
    ):
        return None
    return statement(question, parts)


def statement(question: ParsedQuestion, parts: Parts) -> Rewrite:
    """Return a question as a negated statement: there is not such thing."""
    text = question.text
    ever = [
        token
        for token in _words(question)
        if token.lower_ == "ever" and token.idx == parts.predicate and parts.auxiliary not in DO
    ]
    negation, rest = (
        (" never", ever[0].idx + len(ever[0]))
        if ever
        else ("not" if parts.auxiliary == "can" else " not", parts.subject_end)
    )
    lead = f"{text[parts.subject : parts.subject_end]} {text[: len(parts.auxiliary)]}"
    size = parts.subject_end - parts.subject
    blocks = (
        Block(0, size + 1, len(parts.auxiliary)),
        Block(parts.subject, 0, size),
        Block(rest, len(lead) + len(negation), len(text) - rest),
    )
    return Rewrite(lead + negation + text[rest:], blocks)


def _is_partial(subject: Sequence[Token], parts: Parts) -> bool:
    """Whether a statement and its negation may both be true, of two different subjects."""
    if not subject or subject[0].idx != parts.subject:
        return False
    first, second = subject[0].lower_, subject[1].lower_ if len(subject) > 1 else ""
    if first in {"a", "an", "the"} and second in _PARTIAL:
        return first != "the" or second in {"part", "half"}
    if first in _PARTIAL and second == "of":
        return True
    single = first in {"a", "an"} or subject[0].like_num
    return single and parts.auxiliary in HAVE | {"did", "will"}


def worded(negation: Rewrite, question: str) -> Rewrite:
    """Return a negation as a question; half of them, by checksum, get the paper's words.

    A negation with ``no`` has a natural wording, because ``there is not raw egg`` is unnatural.
    So has a negation about what is allowed, where ``is it right`` may also ask whether the act is.
    """
    number, no = crc32(question.encode()), _WITH_NO.match(negation.text)
    if number % 2 and not no and not _OF_RIGHT.search(negation.text):
        before, after, stratum = "", TAG, PAPER
    else:
        (before, after), stratum = NATURAL_WORDINGS[number // 2 % len(NATURAL_WORDINGS)], NATURAL
    edits = [(0, 0, before)]
    if no and stratum == NATURAL:
        edits.append((*no.span("none"), "no such" if "such" in no["none"] else "no"))
    end = len(negation.text)
    question_edit = edited(negation.text, [*edits, (end, end, after)])
    return compose(negation, question_edit)._replace(stratum=stratum)
