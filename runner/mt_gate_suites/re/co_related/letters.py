"""``US actress`` and ``American actress``: letters of a country, and its adjective."""

from __future__ import annotations

import re

from spacy.tokens import Span

from mt_gate_suites.re.co_related.attributes import (
    article_edit,
    goes_with_people,
    is_one_of_several,
    noun_after,
)
from mt_gate_suites.re.co_related.citizens import is_citizen, is_group
from mt_gate_suites.re.co_related.offices import Rule
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import EditedSample, Sample

_SHORT = {"American": "US", "British": "UK"}
_LONG = {"US": "American", "U.S.": "American", "UK": "British", "U.K.": "British"}
_RECENT = re.compile(r"\b(?:19[5-9]\d|20[0-4]\d)\b")
"""A year in which people say ``UK actress``."""
_EARLIER = re.compile(r"\b(?:1[0-8]\d\d|[1-9]\d\d AD|BC)\b")


def _after_letters(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``a US actress``: ``an American actress``."""
    new = _LONG.get(span.text)
    if new is None or not goes_with_people(span):
        return None
    return _swapped(sample, name, span, new, "NATIONALITY")


def _into_letters(sample: Sample, name: str, span: Span) -> EditedSample | None:
    """``an American actress``: ``a US actress``."""
    new, noun = _SHORT.get(span.text), noun_after(span)
    if new is None or noun is None or not is_citizen(noun) or _EARLIER.search(sample.text):
        return None
    if new == "UK" and not (is_group(noun) or _RECENT.search(sample.text)):
        return None
    if is_one_of_several(span):
        return None
    return _swapped(sample, name, span, new, "COUNTRY")


def _swapped(sample: Sample, name: str, span: Span, new: str, kind: str) -> EditedSample | None:
    """The sample with one word for a country in place of another."""
    article = article_edit(span, new)
    if article is None:
        return None
    edits = [*article, (span.start_char, span.end_char, new)]
    return said_otherwise(sample, name, edits, len(article), new, kind)


OF_COUNTRY: tuple[Rule, ...] = (_after_letters,)
OF_NATIONALITY: tuple[Rule, ...] = (_into_letters,)
