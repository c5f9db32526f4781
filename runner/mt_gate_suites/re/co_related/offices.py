"""Offices and bodies of countries: ``France's president`` and ``the French president``.

before   [France] (COUNTRY)'s president spoke.
after    The [French] (NATIONALITY) president spoke.
"""

from __future__ import annotations

from collections.abc import Callable

from spacy.tokens import Doc, Span, Token

from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.lexicons.places import WITH_ARTICLE
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.co_related.citizens import ends
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

Rule = Callable[[Sample, str, Span], EditedSample | None]
"""From sample, name of the argument and its span to the change, or None."""

_OFFICES = word_set("re/co_related", "offices")
_TITLES = frozenset({"President", "Government", "Parliament", "Prime Minister", "Foreign Minister"})


def preposition(span: Span, word: str) -> Token | None:
    """The preposition before a country, past its article; None where there is another one."""
    at = span.start - 1
    if at > 0 and span.doc[at].lower_ == "the":
        at -= 1
    return span.doc[at] if at > 0 and span.doc[at].lower_ == word else None


def with_article(country: str) -> str:
    """Return a country's name as a phrase of its own."""
    return f"the {country}" if country in WITH_ARTICLE else country


def _office(doc: Doc, start: int) -> int | None:
    """The token after an office or body that a country has one of; None where another follows."""
    for end in (start + 2, start + 1):
        if end <= len(doc) and "-".join(doc[start:end].text.split()) in _OFFICES:
            following = doc[end] if end < len(doc) else None
            goes_on = following is not None and (
                following.pos_ in {"NOUN", "ADJ"} or following.text in {"-", "'s", "’s", "of", "'"}
            )
            return None if goes_on else end
    return None


def _without_possessive(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``France's president``: ``the French president``."""
    doc, adjective = span.doc, adjective_of(span.text)
    if not adjective or span.end + 1 >= len(doc) or doc[span.end].text not in {"'s", "’s"}:
        return None
    before = doc[span.start - 1] if span.start else None
    if before is not None and (before.pos_ in {"ADJ", "PROPN", "CCONJ", "NOUN"}):
        return None
    if _titled(doc, span.end + 1):
        article = ""
    elif _office(doc, span.end + 1) is not None:
        article = "The " if span.start_char == 0 else "the "
    else:
        return None
    if before is not None and before.lower_ == "the":
        return None
    edits = [(span.start_char, doc[span.end].idx + 2, article + adjective)]
    return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")


def _titled(doc: Doc, start: int) -> bool:
    """``President Chirac``."""
    for end in (start + 2, start + 1):
        if doc[start:end].text in _TITLES and end < len(doc):
            return doc[end].pos_ == "PROPN" and doc[end].ent_type_ in {"PERSON", ""}
    return False


def _possessive(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``the French president``: ``France's president``."""
    doc, country = span.doc, country_of_adjective(span.text)
    if not country or country in WITH_ARTICLE or country.endswith("s"):
        return None
    if not span.start or doc[span.start - 1].lower_ != "the" or _office(doc, span.end) is None:
        return None
    edits = [(doc[span.start - 1].idx, span.end_char, f"{country}'s")]
    return said_otherwise(sample, name, edits, 0, country, "COUNTRY")


def _of_phrase(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``the French president``: ``the president of France``."""
    doc, country = span.doc, country_of_adjective(span.text)
    end = _office(doc, span.end)
    if not country or end is None or not span.start or doc[span.start - 1].lower_ != "the":
        return None
    if end < len(doc) and doc[end].pos_ in {"PROPN", "CCONJ"}:
        return None
    place = doc[end - 1].idx + len(doc[end - 1])
    said = f" of {with_article(country)}"
    edits = [(span.start_char, doc[span.end].idx, ""), (place, place, said)]
    return said_otherwise(sample, name, edits, 1, country, "COUNTRY")


def _without_of(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``the president of France``: ``the French president``."""
    doc, adjective = span.doc, adjective_of(span.text)
    of = preposition(span, "of")
    if not adjective or of is None or not ends(doc, span.end):
        return None
    for start in (of.i - 2, of.i - 1):
        words = doc[start : of.i].text
        known = "-".join(words.split()) in _OFFICES or words in _TITLES
        if start > 0 and known and doc[start - 1].lower_ == "the":
            last = doc[of.i - 1]
            edits = [
                (doc[start].idx, doc[start].idx, f"{adjective} "),
                (last.idx + len(last), span.end_char, ""),
            ]
            return said_otherwise(sample, name, edits, 0, adjective, "NATIONALITY")
    return None


OF_COUNTRY: tuple[Rule, ...] = (_without_possessive, _without_of)
OF_NATIONALITY: tuple[Rule, ...] = (_possessive, _of_phrase)
