"""Find titles: words for a person's role, next to the name or in a statement about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from spacy.lang.en import English
from spacy.matcher import PhraseMatcher
from spacy.tokens import Doc, Span, Token
from spacy.util import filter_spans
from spacy.vocab import Vocab

from mt_gate.domain import Entity
from mt_gate_suites.lexicons.reading import word_set

_TITLES = word_set("re/titles", "titles")
_BEFORE_ANY = ("deputy", "assistant", "associate", "acting")
_BEFORE_SOME = {
    ("p", "c"): ("vice", "executive vice", "senior vice", "first vice"),
    ("director", "editor", "producer"): ("executive", "managing"),
}
"""Words that may precede a title, by the first letters of the title."""
_NOUNS = frozenset({"NOUN", "PROPN"})


def find_titles(doc: Doc, persons: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the titles of a sentence's persons: before a name, or linked to it by the parse."""
    named = {
        token.i: person
        for person in persons
        for token in doc.char_span(person.start, person.end, alignment_mode="expand") or ()
    }
    for span in filter_spans(
        one
        for one in _find_matches(doc)
        if not bool(re.search(r"[\w-]$", one.doc.text[: one.start_char]))
    ):
        if any(token.i in named for token in span) or span.root.pos_ not in _NOUNS:
            continue
        if any(t.ent_type_ and t.ent_type_ not in {"PERSON", "NORP"} for t in span):
            continue
        before = doc[span.start - 1].text if span.start else ""
        if span[0].text[0].isupper() and before in {"The", '"', "“"}:
            continue  # a work: "The Prince"
        precedes = span.end in named and named[span.end].start == span.end_char + 1
        if precedes or _is_said_of(span.root, named):
            yield Entity(span.start_char, span.end_char, "TITLE")


def strip_title(span: Span) -> Span:
    """Return a span without the title at its start, if other words follow the title."""
    here = [title for title in _find_matches(span.doc) if title.start == span.start]
    first = max(here, key=len, default=None)
    if first is None or first.end >= span.end or not first[-1].whitespace_:
        return span
    return span[len(first) :]


def _list_phrases() -> Iterator[str]:
    for title in _TITLES:
        yield title
        yield from (f"{word} {title}" for word in _BEFORE_ANY)
        for beginnings, before in _BEFORE_SOME.items():
            if title.startswith(beginnings):
                yield from (f"{words} {title}" for words in before)
                yield from (f"{words}-{title}" for words in before if words.endswith("vice"))


@cache
def _make_matcher(vocab: Vocab) -> PhraseMatcher:
    matcher = PhraseMatcher(vocab, attr="LOWER")
    matcher.add("TITLE", [*map(English(vocab=vocab).make_doc, _list_phrases())])
    return matcher


def _find_matches(doc: Doc) -> list[Span]:
    matches = _make_matcher(doc.vocab)(doc, as_spans=True)
    return [span for span in matches if not re.match(r"[\w/'’-]", doc.text[span.end_char :])]


def _is_said_of(title: Token, named: Mapping[int, Entity]) -> bool:
    """Whether the parse links a title to a person: by apposition, or with ``is`` or ``as``."""
    head = title.head
    if title.dep_ == "conj" and head.pos_ in _NOUNS:
        return head.dep_ != "conj" and _is_said_of(head, named)
    if title.dep_ == "appos":
        return head.i in named
    if any(child.dep_ == "appos" and child.i in named for child in title.children):
        return True
    verb = head if title.dep_ == "attr" and head.lemma_ == "be" else None
    if title.dep_ == "pobj" and head.lower_ == "as":
        verb = head.head
    subjects = [t.i for t in verb.children if t.dep_ in {"nsubj", "nsubjpass"}] if verb else []
    return bool(subjects) and subjects[0] in named
