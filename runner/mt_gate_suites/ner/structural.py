"""A declarative sentence becomes a yes/no question with the same entities.

Source: TIN (ESEC/FSE 2023), section 3.1.2, structural transformation.
    copula      Twitter was the obvious solution.   -> Was Twitter the obvious solution?
    main verb   Belarus shares a border with Russia. -> Does Belarus share a border with Russia?
    auxiliary   Travellers have faced disruption.   -> Have travellers faced disruption?

The published code puts ``Did`` before a bare present verb and keeps only the
first of several sentences. Here a sentence is skipped if tense, number, base
form or letter case is unsure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.domain import Block
from mt_gate_suites.grammar.casing import FirstWord, first_word_case
from mt_gate_suites.grammar.clauses import Clause, find_clause
from mt_gate_suites.grammar.rewrite import Rewrite, joined
from mt_gate_suites.grammar.verbs import base_form, do_form, subject_number
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.ner.nearness import changes_next_to_a_name
from mt_gate_suites.source_faults import source_fault

MOST_WORDS, MOST_COMMAS = 20, 2
"""Reviewers reject a long question three times as often as a short one."""
_DATE = re.compile(
    r"(?:In (?:(?:early|mid|late) )?(?:[JFMASOND][a-z]{2,8} )?\d{4}|In the (?:early |late )?\d{4}s"
    r"|On (?:[JFMASOND][a-z]{2,8} \d{1,2}|\d{1,2} [JFMASOND][a-z]{2,8})(?:,? \d{4})?), (?=\w)"
)
_MARKS = re.compile(r"[\"“”()\[\]/&]")
_BREAKS = re.compile(r"[;:—?!…*]|--|\.\.\.|(?<!\w)[–-]|[–-](?!\w)|[a-z]–[a-z]")
_UNFIT = (
    word_set("ner/questions", "connectives")
    | word_set("ner/questions", "stance")
    | word_set("ner/questions", "negatives")
)
_NO_NAMES = frozenset({"", "CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
"""spaCy's labels of phrases that begin with a common word: More than 100."""
_UNFIT_MODALS = frozenset({"may", "might", "shall", "ought", "need", "dare"})
_MODALS = frozenset({"can", "could", "will", "would", "should", "must", "ca", "wo", "'ll"})
_OPEN_MODALS = frozenset({"must", "should", "would", "'d", "’d"})


def questions(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Turn plain sentences into yes/no questions; return one or none for each sentence."""
    opened = [_DATE.match(doc.text) for doc in docs]
    rests = [
        doc.text[one.end() :][:1].upper() + doc.text[one.end() + 1 :] if one else ""
        for doc, one in zip(docs, opened, strict=True)
    ]
    made: list[list[Rewrite]] = []
    for doc, date, rest in zip(docs, opened, nlp.pipe(rests), strict=True):
        statement = rest if date else doc
        question = to_question(statement) if _is_plain(statement) else None
        if question and date:
            question = _after_date(date.group(), question)
        made.append([question] if question and changes_next_to_a_name(doc, question) else [])
    return made


def paper_questions(docs: Sequence[Doc], _: Language) -> list[list[Rewrite]]:
    """Turn each statement whose subject opens it into a yes/no question, whatever it is about."""
    made = (to_question(doc, paper=True) for doc in docs)
    return [[question] if question else [] for question in made]


def _after_date(date: str, question: Rewrite) -> Rewrite:
    size = len(date)
    moved = (Block(b.source + size, b.follow_up + size, b.length) for b in question.alignment)
    text = date + question.text[0].lower() + question.text[1:]
    return Rewrite(text, joined([Block(0, 0, size), *moved]))


def _is_plain(doc: Doc) -> bool:
    """Whether a statement is short and plain enough for a natural question."""
    root = next(t for t in doc if t.head == t)
    finite = next((c for c in root.children if c.dep_ in {"aux", "auxpass"}), root)
    return (
        sum(not t.is_punct for t in doc) <= MOST_WORDS
        and sum(t.text == "," for t in doc) <= MOST_COMMAS
        and not _MARKS.search(doc.text)
        and not any(t.dep_ == "neg" or t.lower_ in {"or", "either", "nor"} for t in doc)
        and not (finite.tag_ == "MD" and finite.lower_ in _OPEN_MODALS)
    )


def to_question(doc: Doc, *, paper: bool = False) -> Rewrite | None:
    """Turn a parsed declarative sentence into a yes/no question; None if unsure.

    With ``paper``, only the grammar of the question counts, not whether anyone would ask it.
    """
    if source_fault(doc) or not (_is_statement(doc) and (paper or _makes_sense(doc))):
        return None
    if not paper and first_word_case(doc) is FirstWord.UNSURE:
        return None
    clause = find_clause(doc, paper=paper)
    if isinstance(clause, str):
        return None
    with_do = clause.finite == clause.root and clause.finite.lemma_ != "be"
    pieces = _with_do(doc, clause) if with_do else _inverted(doc, clause, paper=paper)
    return _assemble(doc, pieces) if pieces else None


def _is_statement(doc: Doc) -> bool:
    """Whether a sentence ends with a stop, and has no marks that break it."""
    return doc[-1].text == "." and not _BREAKS.search(doc.text[:-1]) and doc[0].tag_ != "CC"


def _makes_sense(doc: Doc) -> bool:
    """Whether the question would be sensible, unlike ``Is it probably?``."""
    first = doc[0]
    if first.lower_ in {"i", "we"} or doc[1].tag_ in {"JJR", "RBR"}:
        return False
    return not any(
        (token.lower_ in _UNFIT and token.text != "No")
        or (token.tag_ == "UH" and (token.is_lower or token.i == 0))
        or (token.tag_ == "MD" and token.lower_ in _UNFIT_MODALS)
        for token in doc
    )


_Piece = str | tuple[int, int]
"""New words, or (start, end) of a part of the sentence to copy."""


def _with_do(doc: Doc, clause: Clause) -> list[_Piece] | None:
    """``Belarus shares a border.`` -> ``Does Belarus share a border?``"""
    number = subject_number(clause.subject)
    carrier = do_form(clause.finite, number)
    perfect = clause.finite.lemma_ == "have" and clause.finite.nbor().tag_ in {"VBN", "VBD"}
    if carrier is None or perfect:
        return None
    pieces: list[_Piece] = [carrier, " "]
    at = 0
    for verb in (clause.finite, *clause.conjuncts):
        base = base_form(verb)
        if base is None or do_form(verb, number) != carrier:
            return None
        if base != verb.text:
            pieces += [(at, verb.idx), base]
            at = verb.idx + len(verb)
    return [*pieces, (at, doc[-1].idx), "?"]


def _inverted(doc: Doc, clause: Clause, *, paper: bool) -> list[_Piece] | None:
    """``Twitter was the solution.`` -> ``Was Twitter the solution?``"""
    finite, before, after = clause.finite, clause.finite.nbor(-1), clause.finite.nbor()
    carrier = _carrier(clause)
    if carrier is None:
        return None
    is_to = finite.lemma_ == "be" and any(t.tag_ == "TO" for t in doc[finite.i + 1 : finite.i + 3])
    if is_to and not paper:
        return None
    if not (paper or before.text.islower() or after.text.islower()):
        return None  # two names or numbers would touch: "Is Paris Rome's rival?"
    negated = after.lower_ in {"n't", "n’t"}
    last = after if negated else finite
    end = last.idx + len(last)
    if negated and carrier != finite.lower_:
        return None
    front: _Piece = (finite.idx, end) if carrier == finite.lower_ else carrier
    space: list[_Piece] = [] if doc.text[end] in " ." else [" "]
    return [front, " ", (0, before.idx + len(before)), *space, (end, doc[-1].idx), "?"]


def _carrier(clause: Clause) -> str | None:
    """Return the auxiliary as a full word: ``'ve`` -> ``have``; None if unsure."""
    finite = clause.finite
    form = finite.lower_.replace("’", "'")
    if not form.startswith("'"):
        known = form in _MODALS if finite.tag_ == "MD" else finite.lemma_ in {"be", "have", "do"}
        return form if known else None
    if clause.subject.tag_ not in {"PRP", "EX", "DT"}:
        return None
    if form == "'s":
        # Before a participle it may be "has" or "is".
        after = next((t.tag_ for t in finite.doc[finite.i + 1 :] if t.tag_ != "RB"), "")
        return None if after in {"VBN", "VBD"} else "is"
    return {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}.get(form)


def _assemble(doc: Doc, pieces: list[_Piece]) -> Rewrite:
    """Put the pieces together, set the capitals, and list what was copied."""
    text = ""
    blocks: list[Block] = []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        elif piece[1] > piece[0]:
            blocks.append(Block(piece[0], len(text), piece[1] - piece[0]))
            text += doc.text[piece[0] : piece[1]]
    opening = next(b.follow_up for b in blocks if b.source == 0)
    case = first_word_case(doc)
    named = doc[0].pos_ == "PROPN" or doc[0].ent_type_ not in _NO_NAMES
    common = not named and not doc[0].text.isupper()
    if case is FirstWord.LOWER or (case is FirstWord.UNSURE and common):
        text = text[:opening] + text[opening].lower() + text[opening + 1 :]
    return Rewrite(text[0].upper() + text[1:], tuple(sorted(blocks)))
