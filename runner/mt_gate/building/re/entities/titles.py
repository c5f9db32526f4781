"""Titles: words for what a person is, next to the person's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spacy.tokens import Doc, Span, Token

from mt_gate.domain import Entity
from mt_gate.lexicons.reading import word_set

_PREFIXES = (
    r"(?:(?:deputy|assistant|associate|acting) |(?:executive |senior |first )?vice[- ](?=p|c)|"
    r"(?:executive|managing) (?=director|editor)|executive (?=producer)|)?"
)
_TITLES = "|".join(sorted(word_set("re/titles", "titles"), key=lambda title: (-len(title), title)))
_TITLE = re.compile(rf"(?<![\w-]){_PREFIXES}(?:{_TITLES})(?![\w/'’-])", re.I)


def titles(doc: Doc, persons: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the titles of the persons, as mentions: before a name, after it, or said of it.

    Args:
        doc: a parsed sentence.
        persons: the names in it.
    """
    named = {
        token.i: person
        for person in persons
        for token in doc.char_span(person.start, person.end, alignment_mode="expand") or ()
    }
    for found in _TITLE.finditer(doc.text):
        span = doc.char_span(found.start(), found.end())
        if span is None or any(token.i in named for token in span) or not _is_noun(span.root):
            continue
        if any(t.ent_type_ and t.ent_type_ not in {"PERSON", "NORP"} for t in span):
            continue
        before = doc[span.start - 1].text if span.start else ""
        if span[0].text[0].isupper() and before in {"The", '"', "“"}:
            continue  # a work: "The Prince"
        precedes = span.end in named and named[span.end].start == found.end() + 1
        if precedes or _said_of(span.root, named):
            yield Entity(found.start(), found.end(), "TITLE")


def _is_noun(token: Token) -> bool:
    return token.pos_ in {"NOUN", "PROPN"}


def _said_of(title: Token, named: dict[int, Entity]) -> bool:
    """Whether the parse says the title of a person: in apposition, or with ``is`` or ``as``."""
    if title.dep_ == "conj" and _is_noun(title.head):
        return _said_of(title.head, named) if title.head.dep_ != "conj" else False
    if title.dep_ == "appos":
        return title.head.i in named
    if any(child.dep_ == "appos" and child.i in named for child in title.children):
        return True
    if title.dep_ == "attr" and title.head.lemma_ == "be":
        return _subject(title.head) in named
    if title.dep_ == "pobj" and title.head.lower_ == "as":
        return _subject(title.head.head) in named
    return False


def _subject(verb: Token) -> int:
    """Return the index of a verb's subject, or -1."""
    subjects = (t.i for t in verb.children if t.dep_ in {"nsubj", "nsubjpass"})
    return next(subjects, -1)


def without_title(span: Span) -> Span:
    """Return a person's name without a title or an honorific that stands before it."""
    found = _TITLE.match(span.text)
    if found and found.end() < len(span.text) and span.text[found.end()] == " ":
        rest = span.doc.char_span(span.start_char + found.end() + 1, span.end_char)
        return rest if rest is not None else span
    return span
