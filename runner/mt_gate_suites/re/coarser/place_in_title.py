"""Places inside a title, a case's name or a short quotation, which no parser tells apart.

    Meet Me in [St. Louis], A Tree Grows in [Brooklyn], [Oregon] v. Mitchell

A name that merely stands before the place is none: ``Heinz Field in Pittsburgh``.
"""

from __future__ import annotations

from collections.abc import Iterator

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.entities.words import FACILITY_WORDS, ORGANISATION_WORDS

_INNER = word_set("re/coarser", "within-titles")
_NO_NAMES = word_set("re/coarser", "no-names")
_CLOSED = frozenset({"PRON", "VERB", "AUX", "ADV", "SCONJ", "INTJ"})
_NAMES = frozenset({"PERSON", "ORG", "FAC", "GPE", "LOC", "EVENT", "PRODUCT", "NORP", "DATE"})
_WORKS = word_set("re/coarser", "works")
_MAKING = word_set("re/coarser", "making")
_VERSUS = frozenset({"v.", "v", "vs.", "vs"})
_QUOTES = {'"': '"', "“": "”", "‘": "’", "«": "»"}
_SHORT = 8
"""Words of a quotation that may be a title."""


def is_in_title(doc: Doc, preposition: Token, end: int) -> bool:
    """Whether a run of places after a preposition may be part of a longer name.

    Args:
        doc: the sentence.
        preposition: before the run.
        end: token after the run.
    """
    if end < len(doc) and doc[end].lower_ in _VERSUS:
        return True
    at = preposition.i
    if preposition.text[0].isupper() and at and not _opens(doc[at - 1]):
        return True
    return _is_quoted(doc, at, end) or _ends_a_title(doc, at)


def _opens(token: Token) -> bool:
    return token.is_quote or token.text in {":", "(", "-", "--", "–", "—", ".", "...", "!", "?"}


def _is_quoted(doc: Doc, at: int, end: int) -> bool:
    for opening, closing in _QUOTES.items():
        marks = [t.i for t in doc if t.text == opening or t.text == closing]
        before = [i for i in marks if i < at]
        after = [i for i in marks if i >= end]
        is_open = len(before) % 2 == 1 if opening == closing else _last_is(doc, before, opening)
        if is_open and after and after[0] - before[-1] - 1 <= _SHORT:
            return True
    return False


def _last_is(doc: Doc, marks: list[int], opening: str) -> bool:
    return bool(marks) and doc[marks[-1]].text == opening


def _ends_a_title(doc: Doc, at: int) -> bool:
    """Whether capitalised words that are no name alone stand right before the preposition."""
    run = list(_capitalised(doc, at))
    if not run:
        return False
    # A sentence's first word is a capital's own reason.
    told = [token for token in run if not _starts(token)]
    told = [token for token in told if token.tag_ != "POS"]
    if any(token.lower_ in _NO_NAMES or token.pos_ in _CLOSED for token in told):
        return True
    last = run[0]
    if last.ent_type_ == "WORK_OF_ART" or (last.i == 0 and last.pos_ == "ADJ"):
        return True
    if told and _is_of_words(told) and _is_of_a_work(told[-1]):
        return True
    if len(run) > 1 and run[-1].i == 0 and _is_of_words(run):
        return True
    return bool(told) and last.ent_type_ not in _NAMES and last.pos_ != "PROPN"


def _is_of_words(run: list[Token]) -> bool:
    """Whether all of a run are words of the dictionary, and it names no place or body."""
    last = run[0]
    if last.text in ORGANISATION_WORDS | FACILITY_WORDS or last.ent_type_ in {"PERSON", "FAC"}:
        return False
    return all(lemminflect.getAllLemmas(token.lower_) for token in run)


def _is_of_a_work(first: Token) -> bool:
    """Whether a title may follow: ``starred in``, ``wrote``, ``the novel``."""
    before = first.nbor(-1)
    named = before.lower_ in {"in", "of", "and", "or"} or before.lemma_.lower() in _WORKS
    return named or (before.pos_ == "VERB" and before.lemma_ in _MAKING)


def _starts(token: Token) -> bool:
    return token.i == 0 or _opens(token.nbor(-1))


def _capitalised(doc: Doc, at: int) -> Iterator[Token]:
    """Yield the run of capitalised words that ends before a token, the last word first."""
    for index in range(at - 1, -1, -1):
        token = doc[index]
        if token.text[0].isupper() or token.lower_ in {"'s", "’s", "n't", "n’t"}:
            if token.text[0].isupper() or index + 1 < at:
                yield token
                continue
            return
        small = token.lower_ in _INNER and index + 1 < at and index > 0
        if not small or not doc[index - 1].text[0].isupper():
            return
