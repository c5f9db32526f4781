"""Ages that stand with a noun or after ``at age``: ``a 46-year-old man``, ``a man aged 46``."""

from __future__ import annotations

import re

from spacy.tokens import Doc, Span

from mt_gate_suites.re.co_related.citizens import ends, is_person, nouns_end
from mt_gate_suites.re.rephrase_argument import Edit, said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_YEARS_OLD = re.compile(r"((?:[1-9]|[1-9]\d|1[01]\d))-years?-old")
_AGE = re.compile(r"(?:[1-9]|[1-9]\d|1[01]\d)")
_SPOKEN_WITH_VOWEL = re.compile(r"8\d?|11|18")
"""``An 8-year-old``, ``an 11-year-old``."""
_VERBS = frozenset({"VBD", "VBZ", "MD"})


def changes(sample: Sample, name: str) -> list[EditedSample]:
    """Return the sample with the age of a noun, or at which something was, said otherwise."""
    argument = sample.argument(name)
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None:
        return []
    rules = {"DURATION": (_behind_noun,), "NUMBER": (_before_noun, _of_age)}
    made = (rule(sample, name, span) for rule in rules.get(argument.type, ()))
    return [change for change in made if change is not None]


def _behind_noun(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a 46-year-old man``: ``a man aged 46``."""
    doc, found = span.doc, _YEARS_OLD.fullmatch(span.text)
    end = _noun_end(doc, span.end)
    if not found or end is None or not span.start or doc[span.start - 1].lower_ not in {"a", "an"}:
        return None
    article = doc[span.start - 1]
    wanted = "an" if doc[span.end].text[0] in "aeiou" else "a"
    last = doc[end - 1].idx + len(doc[end - 1])
    edits: list[Edit] = [
        (span.start_char, doc[span.end].idx, ""),
        (last, last, f" aged {found[1]}"),
    ]
    if article.lower_ != wanted:
        start = article.idx
        edits.insert(0, (start, start + len(article), article.text[0] + wanted[1:]))
    return said_otherwise(sample, name, edits, len(edits) - 1, found[1], "NUMBER")


def _before_noun(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a man aged 46``: ``a 46-year-old man``."""
    doc = span.doc
    if not _AGE.fullmatch(span.text) or span.start < 3 or doc[span.start - 1].lower_ != "aged":
        return None
    at = span.start - 2
    article = doc[at - 1]
    if _noun_end(doc, at) != at + 1 or article.lower_ not in {"a", "an"}:
        return None
    if not ends(doc, span.end) and doc[span.end].tag_ not in _VERBS:
        return None
    new = f"{span.text}-year-old"
    wanted = "an" if _SPOKEN_WITH_VOWEL.fullmatch(span.text) else "a"
    edits: list[Edit] = [
        (doc[at].idx, doc[at].idx, f"{new} "),
        (doc[at].idx + len(doc[at]), span.end_char, ""),
    ]
    if article.lower_ != wanted:
        start = article.idx
        edits.insert(0, (start, start + len(article), article.text[0] + wanted[1:]))
    return said_otherwise(sample, name, edits, len(edits) - 2, new, "DURATION")


def _of_age(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``died at age 46``: ``died at 46 years of age``."""
    doc = span.doc
    if not _AGE.fullmatch(span.text) or span.text == "1" or span.start < 2:
        return None
    if [token.lower_ for token in doc[span.start - 2 : span.start]] != ["at", "age"]:
        return None
    if span.end < len(doc) and doc[span.end].text in {"-", "–", "to", "and", "or"}:
        return None
    new = f"{span.text} years"
    edits: list[Edit] = [(doc[span.start - 1].idx, span.end_char, f"{new} of age")]
    return said_otherwise(sample, name, edits, 0, new, "DURATION")


def _noun_end(doc: Doc, start: int) -> int | None:
    """The token after one noun of a person at ``start``, where its phrase ends; None if unsure."""
    at = nouns_end(doc, start)
    if at == start or doc[at - 1].tag_ != "NN" or not is_person(doc[at - 1]):
        return None
    following = doc[at] if at < len(doc) else None
    said = following is not None and (following.tag_ in _VERBS or following.lower_ == "aged")
    return at if ends(doc, at) or said else None
