"""Titles: words for what a person is, next to the person's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    ("director", "editor"): ("executive", "managing"),
    ("producer",): ("executive",),
}
"""What may stand before titles that begin like this."""
_JOINED_BEFORE, _JOINED_AFTER = re.compile(r"[\w-]"), re.compile(r"[\w/'’-]")


def _phrases() -> Iterator[str]:
    for title in _TITLES:
        yield title
        yield from (f"{word} {title}" for word in _BEFORE_ANY)
        for beginnings, before in _BEFORE_SOME.items():
            if title.startswith(beginnings):
                yield from (f"{words} {title}" for words in before)
                yield from (f"{words}-{title}" for words in before if words.endswith("vice"))


@cache
def _matcher(vocab: Vocab) -> PhraseMatcher:
    matcher = PhraseMatcher(vocab, attr="LOWER")
    matcher.add("TITLE", [*map(English(vocab=vocab).make_doc, _phrases())])
    return matcher


def _found(doc: Doc) -> list[Span]:
    """Return the longest titles of a sentence that nothing is joined to, by their place."""
    text = doc.text
    return filter_spans(
        span
        for span in _unjoined_after(doc)
        if not _JOINED_BEFORE.fullmatch(text[: span.start_char][-1:])
    )


def _unjoined_after(doc: Doc) -> list[Span]:
    """Return the titles of a sentence that no letter or hyphen follows, also within others."""
    return [
        span
        for span in _matcher(doc.vocab)(doc, as_spans=True)
        if not _JOINED_AFTER.fullmatch(doc.text[span.end_char :][:1])
    ]


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
    for span in _found(doc):
        if any(token.i in named for token in span) or not _is_noun(span.root):
            continue
        if any(t.ent_type_ and t.ent_type_ not in {"PERSON", "NORP"} for t in span):
            continue
        before = doc[span.start - 1].text if span.start else ""
        if span[0].text[0].isupper() and before in {"The", '"', "“"}:
            continue  # a work: "The Prince"
        precedes = span.end in named and named[span.end].start == span.end_char + 1
        if precedes or _said_of(span.root, named):
            yield Entity(span.start_char, span.end_char, "TITLE")


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
    """Return a person's name without a title or an honorific that stands before it.

    What stands there may be the end of more: the Minister of ``Prime Minister Blair``, the
    governor of ``then-governor Pataki``.
    """
    here = [title for title in _unjoined_after(span.doc) if title.start == span.start]
    first = max(here, key=len, default=None)
    if first is None or first.end >= span.end or not first[-1].whitespace_:
        return span
    return span[len(first) :]
