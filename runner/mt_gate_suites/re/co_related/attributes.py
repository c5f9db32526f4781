"""A nationality, or the letters of a country, before a noun: ``US actress``, ``French band``."""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.co_related.citizens import has_nationality
from mt_gate_suites.re.rephrase_argument import Edit
from mt_gate_suites.re.sample import Sample

_GAMES = frozenset({"American football", "Canadian football", "Australian rules", "US football"})
"""``American football`` and ``Australian rules`` are games, not people's countries."""
_JOINING = frozenset("and or vs vs. v versus born".split())
_SMALL = word_set("re/co_related", "small-words")


def is_attribute(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands before a common noun, as in ``US actress``."""
    span = sample.doc.char_span(argument.start, argument.end)
    return span is not None and noun_after(span) is not None


def is_of_people(sample: Sample, argument: Argument) -> bool:
    """Whether a name stands before a noun of people or of a work: not ``U.S. state``."""
    span = sample.doc.char_span(argument.start, argument.end)
    return span is not None and goes_with_people(span)


def goes_with_people(span: Span) -> bool:
    """Whether a noun of people or of a work follows, and nothing else tells of which country."""
    noun = noun_after(span)
    if noun is None or is_one_of_several(span):
        return False
    following = span.doc[noun.i + 1] if noun.i + 1 < len(span.doc) else None
    return has_nationality(noun) and (following is None or following.lower_ != "of")


def noun_after(span: Span) -> Token | None:
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


def is_one_of_several(span: Span) -> bool:
    """``African American``, ``Canada vs U.S.``, ``Jamaican-born British``, ``Australian rules``."""
    doc = span.doc
    if doc[span.start : span.end + 1].text in _GAMES:
        return True
    if span.start == 0:
        return False
    before = doc[span.start - 1]
    joined = before.text in {"-", "–", "/", "&"} or before.lower_ in _JOINING
    return joined or (before.text[0].isupper() and before.i > 0 and before.lower_ not in _SMALL)


def article_edit(span: Span, new: str) -> list[Edit] | None:
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
