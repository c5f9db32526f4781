"""Countries and nationalities of people and groups: ``US actress``, ``actress from France``.

before   [US] (COUNTRY) actress Patricia Neal died.
after    [American] (NATIONALITY) actress Patricia Neal died.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Span, Token

from mt_gate.building.articles import article_for
from mt_gate.building.re.co_related import offices as co_related_offices
from mt_gate.building.re.co_related.citizens import (
    ends,
    has_nationality,
    is_citizen,
    is_group,
    phrase_end,
)
from mt_gate.building.re.co_related.offices import Rule, preposition, with_article
from mt_gate.building.re.rephrase_argument import Edit, said_otherwise
from mt_gate.building.re.sample import EditedSample, Sample
from mt_gate.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate.lexicons.reading import word_set
from mt_gate.tasks.relation_extraction import Argument

_SHORT = {"American": "US", "British": "UK"}
_LONG = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
_GAMES = frozenset({"American football", "Canadian football", "Australian rules", "US football"})
"""``American football`` and ``Australian rules`` are games, not people's countries."""
_JOINING = frozenset("and or vs vs. v versus born".split())
_SMALL = word_set("re/co_related", "small-words")
_RECENT = re.compile(r"\b(?:19[5-9]\d|20[0-4]\d)\b")
"""A year in which people say ``UK actress``."""
_EARLIER = re.compile(r"\b(?:1[0-8]\d\d|[1-9]\d\d AD|BC)\b")


def changes(sample: Sample, name: str) -> list[EditedSample]:
    """Return the sample with a country said as a nationality, or the other way round."""
    argument = sample.argument(name)
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None or argument.type not in {"COUNTRY", "NATIONALITY"}:
        return []
    rules = _OF_COUNTRY if argument.type == "COUNTRY" else _OF_NATIONALITY
    made = (rule(sample, name, span) for rule in rules)
    return [change for change in made if change is not None and not _is_same_twice(change)]


def _is_same_twice(change: EditedSample) -> bool:
    """Whether head and tail now are the same words: Spain, and once more Spain."""
    head, tail = (change.text[one.start : one.end] for one in (change.head, change.tail))
    return head.casefold() == tail.casefold()


def is_attribute(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands before a common noun, as in ``US actress``."""
    span = sample.doc.char_span(argument.start, argument.end)
    return span is not None and _noun_after(span) is not None


def is_of_people(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands before a noun of people or of a work: not ``U.S. state``."""
    span = sample.doc.char_span(argument.start, argument.end)
    noun = _noun_after(span) if span is not None else None
    if span is None or noun is None or _is_one_of_several(span):
        return False
    following = span.doc[noun.i + 1] if noun.i + 1 < len(span.doc) else None
    return has_nationality(noun) and (following is None or following.lower_ != "of")


def _noun_after(span: Span) -> Token | None:
    """The common noun that a word stands before, past at most two small adjectives or nouns."""
    doc = span.doc
    for at in range(span.end, min(span.end + 3, len(doc))):
        token = doc[at]
        if not token.text.islower() or token.pos_ not in {"ADJ", "NOUN"}:
            return None
        following = doc[at + 1] if at + 1 < len(doc) else None
        if token.pos_ == "NOUN" and (following is None or following.pos_ not in {"NOUN", "ADJ"}):
            return token
    return None


def _article(span: Span, new: str) -> list[Edit] | None:
    """The edit of ``a`` or ``an`` before a span that begins with a new word, or None."""
    if span.start == 0 or span.doc[span.start - 1].lower_ not in {"a", "an"}:
        return []
    token = span.doc[span.start - 1]
    wanted = "a" if new in {"US", "UK"} else article_for(new)
    if wanted is None:
        return None
    if wanted == token.lower_:
        return []
    return [(token.idx, token.idx + len(token), token.text[0] + wanted[1:])]


def _swapped(sample: Sample, name: str, span: Span, new: str, kind: str) -> EditedSample | None:
    """The sample with one word for a country in place of another."""
    article = _article(span, new)
    if article is None:
        return None
    edits = [*article, (span.start_char, span.end_char, new)]
    return said_otherwise(sample, name, edits, len(article), new, kind)


def _is_one_of_several(span: Span) -> bool:
    """``African American``, ``Canada vs U.S.``, ``Jamaican-born British``, ``Australian rules``."""
    doc = span.doc
    if doc[span.start : span.end + 1].text in _GAMES:
        return True
    if span.start == 0:
        return False
    before = doc[span.start - 1]
    joined = before.text in {"-", "–", "/", "&"} or before.lower_ in _JOINING
    return joined or (before.text[0].isupper() and before.i > 0 and before.lower_ not in _SMALL)


def _after_letters(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a US actress``: ``an American actress``."""
    new = _LONG.get(span.text)
    if new is None or _noun_after(span) is None or _is_one_of_several(span):
        return None
    return _swapped(sample, name, span, new, "NATIONALITY")


def _into_letters(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``an American actress``: ``a US actress``."""
    new, noun = _SHORT.get(span.text), _noun_after(span)
    if new is None or noun is None or not is_citizen(noun) or _EARLIER.search(sample.text):
        return None
    if new == "UK" and not (is_group(noun) or _RECENT.search(sample.text)):
        return None
    if _is_one_of_several(span):
        return None
    return _swapped(sample, name, span, new, "COUNTRY")


def _from_country(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a French actor``: ``an actor from France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = phrase_end(doc, span.end)
    if not country or end is None or not _is_indefinite(doc, span.start):
        return None
    if _is_one_of_several(span) or _is_joined(doc, span.start):
        return None
    article = _article(span, doc[span.end].text)
    if article is None:
        return None
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f" {'of' if doc[end - 1].lower_ == 'citizen' else 'from'} {with_article(country)}"
    edits = [*article, (span.start_char, doc[span.end].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, len(edits) - 1, country, "COUNTRY")


def _is_indefinite(doc: Doc, start: int) -> bool:
    """Whether ``a`` or ``an`` stands before a token, past one small adjective at most."""
    if start and doc[start - 1].text.islower() and doc[start - 1].tag_ in {"JJ", "VBN"}:
        start -= 1
    return start > 0 and doc[start - 1].lower_ in {"a", "an"}


def _is_joined(doc: Doc, start: int) -> bool:
    """``a lawyer and a French poet``: after it, ``from France`` may be said of both."""
    article = next((at for at in (start - 1, start - 2) if doc[at].lower_ in {"a", "an"}), 0)
    return article > 0 and doc[article - 1].lower_ in {"and", "or", "&"}


def _out_of_country(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``an actor from France``: ``a French actor``."""
    doc, adjective = span.doc, adjective_of(span.text)
    word = preposition(span, "from")
    if not adjective or word is None or not ends(doc, span.end):
        return None
    start = word.i - 1
    if not is_citizen(doc[start]) or doc[start].tag_ != "NN":
        return None
    while start and doc[start - 1].pos_ == "NOUN" and doc[start - 1].text.islower():
        start -= 1
    if not _is_indefinite(doc, start):
        return None
    article = _article(doc[start : start + 1], adjective)
    if article is None:
        return None
    last = doc[word.i - 1]
    edits = [
        *article,
        (doc[start].idx, doc[start].idx, f"{adjective} "),
        (last.idx + len(last), span.end_char, ""),
    ]
    return said_otherwise(sample, name, edits, len(article), adjective, "NATIONALITY")


_OF_COUNTRY: tuple[Rule, ...] = (_after_letters, _out_of_country, *co_related_offices.OF_COUNTRY)
_OF_NATIONALITY: tuple[Rule, ...] = (
    _into_letters,
    _from_country,
    *co_related_offices.OF_NATIONALITY,
)
