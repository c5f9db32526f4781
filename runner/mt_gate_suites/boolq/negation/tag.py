"""A question becomes its denial, and is asked whether that is right (MR1-4).

Source: "Validation on Machine Reading Comprehension Software without Annotated
Labels" (ESEC/FSE 2021), section 4.1, inversion with negation and tag question.
    is there such thing as a black card -> there is not such thing as a black card, is it right
    has a woman ever won the indy 500   -> a woman has never won the indy 500, is it right

The paper's words are one stratum, natural ones another (``wording``).

The answer must be inverted whatever it was, so the negation has to be the
complement: where a quantifier, a modal, a second clause or ``and`` leaves open
what is denied, the question is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Token

from mt_gate.domain import Block
from mt_gate_suites.boolq.negation.openers import BE, DO, HAVE
from mt_gate_suites.boolq.negation.statement import Parts, statements
from mt_gate_suites.boolq.negation.wording import worded, wording_of
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import OfQuestions, QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.reading import word_set

_PUNCTUATION = re.compile(r"[,;:?!()\"]")
_NEGATIVE = word_set("boolq/negation", "negative")
_QUANTIFIERS = word_set("boolq/negation", "quantifiers")
_LINKS = word_set("boolq/negation", "links")
_RAISING = word_set("boolq/negation", "raising")
_PARTIAL = word_set("boolq/negation", "partial")
_SINGULAR = frozenset({"is", "was", "has", "does"})
_OF_MINE = frozenset({"have", "need", "get", "own", "qualify", "pay", "lose"})
"""Verbs of which ``do i`` asks what is so; with others it asks what is best done."""
_ANY = frozenset("any anyone anybody anything anywhere".split())
_JOINT = word_set("boolq/negation", "joint")
_NONE = {"any": "no", "anyone": "no one", "anybody": "nobody", "anything": "nothing"}


def with_negation_tags(
    questions: Sequence[ParsedQuestion], nlp: Language
) -> list[Rewrite | Refusal]:
    """Negate questions, in their order; a refusal where a negation is not the complement."""
    return [
        _asked(question, parts)
        for question, parts in zip(questions, statements(questions, nlp), strict=True)
    ]


def _asked(question: ParsedQuestion, parts: Parts | Refusal) -> Rewrite | Refusal:
    fault = negation_fault(question)
    if fault:
        return Refusal(fault)
    denial = parts if isinstance(parts, Refusal) else negated(question, parts)
    if isinstance(denial, Refusal):
        return denial
    return worded(denial, wording_of(question.text, denial.text))


def _rewrites(
    questions: Sequence[ParsedQuestion], resources: QuestionResources
) -> list[Rewrite | Refusal]:
    return with_negation_tags(questions, resources.nlp)


TRANSFORMATION = OfQuestions(_rewrites)


def _words(question: ParsedQuestion) -> list[Token]:
    return [token for token in question.doc[:-1] if not question.in_name(token)]


def negation_fault(question: ParsedQuestion) -> str:
    """Say why a question has no sure complement; empty where nothing speaks against it."""
    for token in _words(question):
        word = token.lower_
        if word in _NEGATIVE:
            return "negated"
        if word in _LINKS:
            return "alternatives" if word == "or" else "link"
        if word in _QUANTIFIERS and not _is_harmless(token):
            return "quantifier"
        if word in _RAISING or token.lemma_ in _RAISING:
            return "modal"
        if _PUNCTUATION.search(word) and not token.like_num:
            return "punctuation"
    return ""


def _is_harmless(token: Token) -> bool:
    before, after = token.nbor(-1).lower_ if token.i else "", token.nbor(1).lower_
    word = token.lower_
    if word == "most":
        return before in {"the", "'s", "s"}
    return (word, before) in {("all", "at")} or (word, after) == ("each", "other")


def negated(question: ParsedQuestion, parts: Parts) -> Rewrite | Refusal:
    """Return the negated statement of a question, or say why not."""
    inside = [t for t in _words(question) if t.idx >= parts.predicate]
    subject = [t for t in _words(question) if parts.subject <= t.idx < parts.subject_end]
    if _disagrees(question, parts, subject):
        return Refusal("agreement")
    if _is_cut(question, parts, subject):
        return Refusal("subject-unclear")
    if _ASKED_TWICE.match(question.text):
        return Refusal("asked-twice")
    if question.text.startswith("do i ") and question.text.split()[2] not in _OF_MINE:
        return Refusal("advice")
    if any(t.lower_ == "and" for t in inside) and not any(t.lower_ == "between" for t in inside):
        return Refusal("and")
    joint = any(t.lower_ in _JOINT for t in inside)
    if any(t.lower_ in {"and", "&"} for t in subject) and not joint:
        return Refusal("and-subject")
    ever = [t for t in inside if t.lower_ == "ever"]
    at_start = [t.idx for t in ever] == [parts.predicate]
    if ever and (len(inside) < 2 or not at_start or parts.auxiliary in DO):
        return Refusal("ever")  # nobody says "did not ever play"
    if any(t.lower_ in _ANY for t in subject):
        return _with_none(question, parts)
    if _is_partial(subject, parts):
        return Refusal("partial-subject")
    if any(t.lower_ in _ANY for t in inside) and not _any_is_plain(question, parts):
        return Refusal("any")
    if ever:
        return _assembled(question, parts, " never", ever[0].idx + len(ever[0]))
    negation = "not" if parts.auxiliary == "can" else " not"
    return _assembled(question, parts, negation, parts.subject_end)


_ASKED_TWICE = re.compile(r"is it (?:true|correct|right|the case) that\b")
_OF_ADJECTIVES = re.compile(r" (?:peer|fda|usda)$")
"""Words that a participle after them makes one adjective of: ``fda approved``."""


def _is_cut(question: ParsedQuestion, parts: Parts, subject: Sequence[Token]) -> bool:
    """Whether a subject ends within a noun phrase: ``attending | a first aid course part``."""
    text = question.text[parts.subject : parts.subject_end]
    words = text.split()
    if _OF_ADJECTIVES.search(text):
        return True
    if len(words) == 1:
        return bool(subject) and subject[0].tag_ == "VBG"
    whole = len(subject) == len(words)
    return whole and subject[0].tag_ == "DT" and all(t.tag_.startswith("JJ") for t in subject[1:])


def _disagrees(question: ParsedQuestion, parts: Parts, subject: Sequence[Token]) -> bool:
    """Whether subject and verb differ in number: ``is kong and godzilla the same``.

    What is said of two at once, as ``the same``, has two subjects, whatever seems a name.
    """
    last = subject[-1] if subject else None
    if last is not None and last.tag_ in {"VBN", "VBD"} and last.idx >= parts.subject:
        return True
    words = question.text[parts.subject : parts.subject_end].split()
    two = bool({"and", "&"}.intersection(words))
    if parts.auxiliary in _SINGULAR and two:
        rest = question.text[parts.predicate :]
        joint = bool(_JOINT.intersection(rest.split())) and " as " not in f"{rest} "
        return joint or any(t.lower_ in {"and", "&"} for t in subject)
    heads = [t for t in subject if t.dep_ in {"nsubj", "nsubjpass"}]
    return parts.auxiliary == "do" and not two and [t.tag_ for t in heads] == ["NN"]


def _is_partial(subject: Sequence[Token], parts: Parts) -> bool:
    """Whether a negated verb may be true of one such subject while it holds for another."""
    if not subject or subject[0].idx != parts.subject:
        return False
    first = subject[0].lower_
    if len(subject) > 1 and first in {"a", "an", "the"} and subject[1].lower_ in _PARTIAL:
        return first != "the" or subject[1].lower_ in {"part", "half"}
    if len(subject) > 1 and first in _PARTIAL and subject[1].lower_ == "of":
        return True
    single = first in {"a", "an"} or subject[0].like_num
    return single and parts.auxiliary in HAVE | {"did", "will"}


def _any_is_plain(question: ParsedQuestion, parts: Parts) -> bool:
    """Whether ``any`` is that of ``is there any``: any at all, not any you like."""
    words = question.text[parts.predicate :].split()
    subject = question.text[parts.subject : parts.subject_end]
    if sum(word in _ANY for word in words) > 1 or len(words) < 2:
        return False
    if subject == "there":
        return words[0] in _ANY or words[:2] in (["be", "any"], ["been", "any"])
    return parts.auxiliary in DO and words[0] in {"have", "win"} and words[1] in _ANY


def _with_none(question: ParsedQuestion, parts: Parts) -> Rewrite | Refusal:
    """``has anyone ever won`` -> ``no one has ever won``."""
    first = question.doc[1]
    words = question.text[parts.subject : parts.predicate].split()
    if first.lower_ not in _NONE or sum(word in _ANY for word in words) > 1:
        return Refusal("any-subject")
    if parts.auxiliary not in BE | HAVE | {"will"}:
        return Refusal("any-subject")
    if any(word in _ANY for word in question.text[parts.predicate :].split()):
        return Refusal("any")
    if words == ["any"]:
        return Refusal("any-subject")
    head = "none" if words[:2] == ["any", "of"] else _NONE[first.lower_]
    start = first.idx + len(first)
    subject = question.text[start : parts.subject_end]
    lead = head + subject + " "
    text = lead + parts.auxiliary
    blocks = [Block(0, len(lead), len(parts.auxiliary))]
    if subject:
        blocks.append(Block(start, len(head), len(subject)))
    rest = question.text[parts.subject_end :]
    blocks.append(Block(parts.subject_end, len(text), len(rest)))
    return Rewrite(text + rest, tuple(sorted(blocks)))


def _assembled(question: ParsedQuestion, parts: Parts, negation: str, rest: int) -> Rewrite:
    """Put subject, auxiliary and negation before the text from ``rest`` on."""
    subject = question.text[parts.subject : parts.subject_end]
    auxiliary = question.text[: len(parts.auxiliary)]
    text = f"{subject} {auxiliary}{negation}"
    tail = question.text[rest:]
    blocks = (
        Block(0, len(subject) + 1, len(auxiliary)),
        Block(parts.subject, 0, len(subject)),
        Block(rest, len(text), len(tail)),
    )
    return Rewrite(text + tail, tuple(sorted(blocks)))
