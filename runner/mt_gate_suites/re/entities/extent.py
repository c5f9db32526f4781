"""Where a mention begins and ends: without article and title, and never half a name."""

from __future__ import annotations

import re
from collections.abc import Collection

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.entities import words
from mt_gate_suites.re.entities.titles import without_title

_NAME_WORD = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'.&-]*")
_JOINERS = frozenset({"of", "for", "&", "am", "upon"})
_OFFICES = word_set("re/entities", "offices")


def bare(span: Span) -> Span:
    """Return a mention without article, possessive, title and closing mark.

    An article never belongs to a mention: ``the United States`` holds the
    mention ``United States``. A capital one inside a sentence does: ``The Hague``.
    """
    doc, start, end = span.doc, span.start, span.end
    opens = doc[start].lower_ in {"the", "a", "an"}
    if opens and end - start > 1 and (doc[start].text.islower() or start == 0):
        start += 1
    while end - start > 1 and doc[end - 1].text in {"'s", "’s", "'", "’", ",", ";", ":", '"'}:
        end -= 1
    while end - start > 1 and doc[start].text in {'"', "'", "(", ","}:
        start += 1
    trimmed = Span(doc, start, end, label=span.label)
    if span.label_ == "PERSON":
        trimmed = _with_generation(_without_honorific(without_title(trimmed)))
    return Span(doc, trimmed.start, trimmed.end, label=span.label)


def _without_honorific(span: Span) -> Span:
    start = span.start
    while span.end - start > 1 and span.doc[start].text in words.HONORIFICS:
        start += 1
    return span.doc[start : span.end]


def _with_generation(span: Span) -> Span:
    """Return a person's name with the ``Jr.`` or ``III`` right after it."""
    doc, end = span.doc, span.end
    more = end < len(doc) and doc[end].text in words.GENERATIONS
    return doc[span.start : end + 1] if more else span


def is_apart(span: Span) -> bool:
    """Whether no letter, digit or dash touches the mention, and its brackets are paired."""
    text = span.doc.text
    before, after = text[: span.start_char][-1:], text[span.end_char :][:1]
    if before.isalnum() or after.isalnum() or (before and before in "-–—/&'’.@#"):
        return False
    if after and after in "-–—/&":
        return False
    inner = span.text
    return not re.search(r"[\"“”()\[\]\n:;|/?!]|,", inner)


def is_quoted(span: Span) -> bool:
    """Whether a mention stands in quotation marks of its own."""
    text = span.doc.text
    return text[: span.start_char][-1:] in set('"“') and text[span.end_char :][:1] in set('"”,.')


def is_capitalised(span: Span, small: Collection[str]) -> bool:
    """Whether all words begin with a capital, but for ``small`` ones inside the name."""
    parts = span.text.split()
    inner = all(_NAME_WORD.fullmatch(part) or part in small for part in parts)
    return inner and all(_NAME_WORD.fullmatch(part) for part in (parts[0], parts[-1]))


def is_whole(span: Span) -> bool:
    """Whether the words around the mention are no part of its name."""
    doc = span.doc
    before = doc[span.start - 1] if span.start else None
    after = doc[span.end] if span.end < len(doc) else None
    if before is not None and is_name_word(before) and not _may_precede(before, span):
        return False
    if before is not None and span.label_ == "EVENT" and before.text.isdigit():
        return False
    if before is not None and span.label_ in {"ORG", "FAC"} and _is_part_before(before):
        return False
    if after is not None and is_name_word(after):
        return False
    return not (_continues(doc, span) or _is_continued(doc, span))


def _is_part_before(token: Token) -> bool:
    """Whether what stands before an organisation begins its name.

    University of Nevada (UNLV) [School of Medicine]    Polish [Resettlement Corps]
    Pakistan Medical and [Dental Council]
    """
    if token.text == ")" or token.ent_type_ == "NORP":
        return True
    if token.lower_ != "and" or token.i == 0:
        return False
    first = token.nbor(-1)
    return first.text[:1].isupper() and first.text not in words.ORGANISATION_WORDS


def is_name_word(token: Token) -> bool:
    """Whether a capital or a number touches a name without a mark between."""
    if token.text.isdigit():
        return token.ent_type_ in {"", "CARDINAL"} and len(token) < 4
    return token.text[:1].isupper() and token.is_alpha and token.tag_ in {"NNP", "NNPS"}


def _may_precede(token: Token, span: Span) -> bool:
    """Whether a capital word before a name is a title, a nationality or a date."""
    if token.ent_type_ in {"NORP", "DATE", "ORDINAL"} or token.text in words.HONORIFICS:
        return True
    if span.label_ != "PERSON":
        return False
    title = without_title(span.doc[token.i : span.end])
    return title.start > token.i


def _continues(doc: Doc, span: Span) -> bool:
    """Whether a name goes on after the mention: ``University [of Oslo]``, ``Duke of``, ``and``."""
    if span.end + 1 >= len(doc):
        return False
    joiner, word = doc[span.end], doc[span.end + 1]
    capital = word.text[:1].isupper() and word.text != "I"
    if joiner.lower_ in _JOINERS and capital:
        return True
    if joiner.lower_ == "in" and capital and span.label_ == "ORG":
        return "(" in [token.text for token in doc[span.end + 2 : span.end + 4]]
    return joiner.lower_ == "and" and capital and word.ent_type_ != span.label_


def _is_continued(doc: Doc, span: Span) -> bool:
    """Whether a name began before the mention: ``Duke of [Norfolk]``, ``Lothian and [...]``."""
    if span.start < 2:
        return False
    joiner, word = doc[span.start - 1], doc[span.start - 2]
    if joiner.lower_ == "the" and span.start > 2:
        joiner, word = doc[span.start - 2], doc[span.start - 3]
    capital = word.text[:1].isupper() and word.tag_ in {"NNP", "NNPS"}
    if joiner.lower_ in {"of", "&"} and capital:
        return span.label_ == "PERSON" or word.text not in _OFFICES
    return joiner.lower_ in {"and", "/"} and capital and word.ent_type_ != span.label_
