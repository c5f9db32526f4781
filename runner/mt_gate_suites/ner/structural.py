"""A declarative sentence becomes a yes/no question with the same entities.

Source: TIN (ESEC/FSE 2023), section 3.1.2, structural transformation.
    copula      Twitter was the obvious solution.   -> Was Twitter the obvious solution?
    main verb   Belarus shares a border with Russia. -> Does Belarus share a border with Russia?
    auxiliary   Travellers have faced disruption.   -> Have travellers faced disruption?

The published code puts ``Did`` before a bare present verb and keeps only the
first of several sentences. Here tense, number, base form and letter case are
settled or the sentence is refused: unsure means not applicable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Token

from mt_gate.domain import Block
from mt_gate_suites.grammar.casing import FirstWord, first_word_case
from mt_gate_suites.grammar.clauses import Clause, find_clause
from mt_gate_suites.grammar.compose import joined
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.grammar.verbs import base_form, do_form, subject_number
from mt_gate_suites.ner.nearness import changes_beside_a_name
from mt_gate_suites.ner.plain_questions import plainness_fault
from mt_gate_suites.ner.question_sense import sense_fault
from mt_gate_suites.source_faults import source_fault


class Copy(NamedTuple):
    """A stretch of the source taken over as it is."""

    start: int
    end: int


Piece = str | Copy

_DATE = re.compile(
    r"(?:In (?:(?:early|mid|late) )?(?:[JFMASOND][a-z]{2,8} )?\d{4}|In the (?:early |late )?\d{4}s"
    r"|On (?:[JFMASOND][a-z]{2,8} \d{1,2}|\d{1,2} [JFMASOND][a-z]{2,8})(?:,? \d{4})?), (?=\w)"
)
_AUXILIARY_LEMMAS = frozenset({"be", "have", "do"})
_MODALS = frozenset({"can", "could", "will", "would", "should", "must", "ca", "wo", "'ll"})


def questions(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Turn plain sentences into yes/no questions; a list a sentence, of one or none."""
    opened = [_DATE.match(doc.text) for doc in docs]
    rests = [
        _capital(doc.text[one.end() :]) if one else ""
        for doc, one in zip(docs, opened, strict=True)
    ]
    made: list[list[Rewrite]] = []
    for doc, date, rest in zip(docs, opened, nlp.pipe(rests), strict=True):
        statement = rest if date else doc
        turned = None if plainness_fault(statement) else to_question(statement)
        if isinstance(turned, Rewrite) and date:
            turned = _after_date(date.group(), turned)
        bites = isinstance(turned, Rewrite) and changes_beside_a_name(doc, turned)
        made.append([turned] if isinstance(turned, Rewrite) and bites else [])
    return made


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _after_date(date: str, question: Rewrite) -> Rewrite:
    """``In 1990, Ann met Bob.`` -> ``In 1990, did Ann meet Bob?``"""
    blocks = [Block(0, 0, len(date))]
    blocks += [
        Block(b.source + len(date), b.follow_up + len(date), b.length) for b in question.alignment
    ]
    return Rewrite(date + question.text[0].lower() + question.text[1:], joined(blocks))


def to_question(doc: Doc) -> Rewrite | Refusal:
    """Turn one parsed declarative sentence into a yes/no question."""
    fault = source_fault(doc) or sense_fault(doc)
    if fault:
        return Refusal(fault)
    clause = find_clause(doc)
    if isinstance(clause, str):
        return Refusal(clause)
    if first_word_case(doc) is FirstWord.UNSURE:
        return Refusal("first-word-case")
    pieces = _with_do(doc, clause) if _needs_do(clause) else _inverted(doc, clause)
    if isinstance(pieces, str):
        return Refusal(pieces)
    return _assemble(doc, pieces)


def _needs_do(clause: Clause) -> bool:
    """Whether the finite verb is a main verb other than ``be``."""
    return clause.finite == clause.root and clause.finite.lemma_ != "be"


def _with_do(doc: Doc, clause: Clause) -> list[Piece] | str:
    """``Belarus shares a border.`` -> ``Does Belarus share a border?``"""
    carrier = do_form(clause.finite, subject_number(clause.subject))
    if carrier is None:
        return "tense-unclear"
    if clause.finite.lemma_ == "have" and doc[clause.finite.i + 1].tag_ in {"VBN", "VBD"}:
        return "perfect-or-have"
    pieces: list[Piece] = [carrier, " "]
    at = 0
    for verb in (clause.finite, *clause.conjuncts):
        base = base_form(verb)
        if base is None or do_form(verb, subject_number(clause.subject)) != carrier:
            return "base-form"
        start, end = verb.idx, verb.idx + len(verb)
        if base != verb.text:
            pieces += [Copy(at, start), base]
            at = end
    return [*pieces, Copy(at, _stop(doc)), "?"]


def _inverted(doc: Doc, clause: Clause) -> list[Piece] | str:
    """``Twitter was the solution.`` -> ``Was Twitter the solution?``"""
    finite = clause.finite
    carrier = _carrier(clause)
    if carrier is None:
        return "auxiliary"
    if finite.lemma_ == "be" and any(t.tag_ == "TO" for t in doc[finite.i + 1 : finite.i + 3]):
        return "be-to"
    if _runs_together(doc, finite):
        return "runs-together"
    negated = doc[finite.i + 1].lower_ in {"n't", "n’t"}
    last = doc[finite.i + 1] if negated else finite
    end = last.idx + len(last)
    before = doc[finite.i - 1]
    rest: list[Piece] = [Copy(end, _stop(doc)), "?"]
    if doc.text[end] not in " .":
        rest.insert(0, " ")
    front: Piece = Copy(finite.idx, end) if carrier == finite.lower_ else carrier
    if negated and isinstance(front, str):
        return "auxiliary"
    return [front, " ", Copy(0, before.idx + len(before)), *rest]


def _carrier(clause: Clause) -> str | None:
    """Return the auxiliary as a full word: ``'s`` -> ``has``; None when unsure."""
    finite = clause.finite
    form = finite.lower_.replace("’", "'")
    if not form.startswith("'"):
        known = form in _MODALS if finite.tag_ == "MD" else finite.lemma_ in _AUXILIARY_LEMMAS
        return form if known else None
    if clause.subject.tag_ not in {"PRP", "EX", "DT"}:
        return None
    plain = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
    if form in plain:
        return plain[form]
    return _expand(clause, form) if form in {"'s", "'d"} else None


def _expand(clause: Clause, form: str) -> str | None:
    """Tell ``is`` from ``has`` and ``would`` from ``had`` by the verb that follows."""
    verb = _next_verb(clause.finite)
    if form == "'d":
        return {"VB": "would", "VBN": "had"}.get(verb.tag_) if verb else None
    if verb is None or verb.tag_ == "VBG" or clause.finite == clause.root:
        return "is"
    if verb.tag_ != "VBN":
        return None
    if verb.lower_ in {"been", "got", "become", "had", "won", "left"}:
        return "has"
    if any(c.dep_ == "agent" for c in verb.children):
        return "is"
    return "has" if any(c.dep_ == "dobj" for c in verb.children) else None


def _next_verb(finite: Token) -> Token | None:
    """The verb after an auxiliary, adverbs skipped; None before anything else."""
    for token in finite.doc[finite.i + 1 :]:
        if token.tag_.startswith("VB"):
            return token
        if token.tag_ != "RB":
            return None
    return None


def _runs_together(doc: Doc, finite: Token) -> bool:
    """Whether two names or numbers would touch: ``Is Paris Rome's rival?``"""
    left, right = doc[finite.i - 1], doc[finite.i + 1]
    return not (left.text.islower() or right.text.islower())


def _stop(doc: Doc) -> int:
    """Where the final full stop begins."""
    return doc[-1].idx


def _assemble(doc: Doc, pieces: list[Piece]) -> Rewrite:
    """Put the pieces together, set the capitals, and list what was copied."""
    text = ""
    blocks: list[Block] = []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        elif piece.end > piece.start:
            blocks.append(Block(piece.start, len(text), piece.end - piece.start))
            text += doc.text[piece.start : piece.end]
    opening = next(b.follow_up for b in blocks if b.source == 0)
    if first_word_case(doc) is FirstWord.LOWER:
        text = text[:opening] + text[opening].lower() + text[opening + 1 :]
    return Rewrite(text[0].upper() + text[1:], tuple(sorted(blocks)))
