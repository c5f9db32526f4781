"""A clause or phrase of time, place or condition moves to the other end of a question.

Source: MR2-2 of metamorphic testing for reading comprehension (ESEC/FSE 2021), section 4.
    can you turn left on red in canada -> in canada, can you turn left on red
    in canada can you turn left on red -> can you turn left on red in canada

The paper moves whatever ``when``, ``in``, ``at``, ``on`` or ``if`` opens. Here it must
belong to the whole question: ``is it based on a book`` and ``is he in the navy`` stay as
they are. Unsure means not applicable.
"""

from __future__ import annotations

from spacy.tokens import Span

from mt_gate.domain import Block
from mt_gate_suites.boolq.adverbials.clauses import clause_fault
from mt_gate_suites.boolq.adverbials.frames import misfit
from mt_gate_suites.boolq.adverbials.objects import object_fault
from mt_gate_suites.boolq.adverbials.phrases import Adverbial, Topic, first_phrase, last_phrase
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite

_STOPS = frozenset("!?;:,")
"""Marks that say where a part of a question ends: it would end elsewhere afterwards."""


def transform(question: ParsedQuestion, _: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return adverbial_position(question)


def adverbial_position(question: ParsedQuestion) -> Rewrite | Refusal:
    """Move the adverbial at one end of a question to the other; the answer stays the same."""
    if question.doc[-1].text != "?":
        return Refusal("mark-runs-on")
    leading = first_phrase(question)
    phrase = leading or last_phrase(question)
    if phrase is None:
        return Refusal("no-adverbial")
    if _STOPS & set(f"{phrase.span.text}{phrase.rest.text}"):
        return Refusal("punctuation")
    fault = _fault(question, phrase, leads=leading is not None)
    if fault:
        return Refusal(fault)
    return _to_tail(question.text, phrase) if leading else _to_front(question.text, phrase)


def _fault(question: ParsedQuestion, phrase: Adverbial, *, leads: bool) -> str | None:
    if phrase.kind is Topic.CLAUSE:
        return clause_fault(question, phrase, leads=leads)
    fault = object_fault(question, phrase)
    return fault if fault or leads else misfit(question, phrase)


def _to_front(text: str, phrase: Adverbial) -> Rewrite:
    front, rest = _text(text, phrase.span), _text(text, phrase.rest)
    gap = len(front) + len(", ")
    return Rewrite(
        f"{front}, {rest}",
        (Block(0, gap, len(rest)), Block(phrase.span[0].idx, 0, len(front))),
    )


def _to_tail(text: str, phrase: Adverbial) -> Rewrite:
    tail, rest = _text(text, phrase.span), _text(text, phrase.rest)
    return Rewrite(
        f"{rest} {tail}",
        (Block(0, len(rest) + 1, len(tail)), Block(phrase.rest[0].idx, 0, len(rest))),
    )


def _text(text: str, span: Span) -> str:
    return text[span.start_char : span.end_char]
