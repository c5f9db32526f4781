"""Find the type of dates, times, numbers and amounts among a sentence's mentions, by form."""

from __future__ import annotations

import re

from spacy.tokens import Span, Token

from mt_gate.lexicons.calendar import MONTHS, WEEKDAYS
from mt_gate_suites.lexicons.numbers import CARDINALS, ORDINALS, TENS
from mt_gate_suites.lexicons.reading import word_set

_COUNTED = word_set("re/entities", "counted")
_MONTH = f"(?:{'|'.join(MONTHS)})"
_WORDS = f"{'|'.join(CARDINALS[2:20])}|(?:{'|'.join(TENS)})(?:-(?:{'|'.join(CARDINALS[1:10])}))?"
_DIGITS = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?"
_NUMBER = f"(?:{_DIGITS}|(?:{_WORDS}))"
_YEAR, _DAY = r"(?:1[0-9]\d\d|20\d\d)", r"\d{1,2}(?:st|nd|rd|th)?"
_UNIT = (
    r"(?:km|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|inch(?:es)?|acres?|hectares?|"
    r"kg|kilograms?|pounds|tons?|tonnes)"
)
_SCALE = r"(?: (?:hundred|thousand|million|billion|trillion))?"
_FORMS = {
    "DATE": re.compile(
        rf"{_YEAR}|{_MONTH}(?: (?:{_DAY})?,? ?{_YEAR}?)?|{_MONTH} {_DAY}|"
        rf"{_DAY} {_MONTH}(?:,? {_YEAR})?|(?:early |late |mid-)?{_YEAR}s|{'|'.join(WEEKDAYS)}|"
        r"yesterday|today|tomorrow|(?:last|next|this) (?:year|month|week)"
    ),
    "TIME": re.compile(r"\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?)|\d{1,2}:\d\d|midnight|noon", re.I),
    "DURATION": re.compile(
        rf"{_NUMBER}(?: (?:years?|months?|weeks?|days?|hours?|minutes?)|[- ]years?[- ]old)", re.I
    ),
    "MONEY": re.compile(
        rf"(?:US|A|C|CA|NZ|HK)?[$£€] ?(?:{_DIGITS}){_SCALE}|{_NUMBER}{_SCALE} "
        r"(?:US )?(?:dollars|euros|pounds|yen|rupees|francs|marks)",
        re.I,
    ),
    "PERCENT": re.compile(rf"{_NUMBER}(?:%| percent| per cent)", re.I),
    "ORDINAL": re.compile(rf"\d+(?:st|nd|rd|th)|{'|'.join(ORDINALS[1:13])}", re.I),
    "QUANTITY": re.compile(rf"{_NUMBER} ?{_UNIT}", re.I),
    "NUMBER": re.compile(rf"{_NUMBER}{_SCALE}", re.I),
}
_BY_LABEL = {
    "DATE": ("DATE", "DURATION"),
    "TIME": ("TIME", "DURATION"),
    "MONEY": ("MONEY",),
    "PERCENT": ("PERCENT",),
    "ORDINAL": ("ORDINAL",),
    "QUANTITY": ("QUANTITY",),
    "CARDINAL": ("NUMBER", "DURATION"),
}
VALUE_LABELS = frozenset(_BY_LABEL)
"""spaCy's labels of mentions for which this module has types."""
_NAMED_YEAR = re.compile(r" (?:and|or|to|&) \d{4} [A-Z]|[-–/]\d{2,4} [A-Z]|['’]s")


def find_value_kind(span: Span) -> str:
    """Return the type of a date, time, number or amount; empty if no type has its form."""
    if span.label_ in {"DATE", "CARDINAL"} and span.text.isdigit() and _is_age(span[0]):
        return "NUMBER"
    kinds = (kind for kind in _BY_LABEL[span.label_] if _FORMS[kind].fullmatch(span.text))
    kind = next(kinds, "")
    return kind if kind and _is_used_as(span, kind) else ""


def include_currency(span: Span) -> Span:
    """Return an amount with the sign of its currency, which may be outside the mention."""
    if span.label_ == "MONEY" and span.start and span.doc[span.start - 1].text[-1:] in "$£€":
        before = span.doc[span.start - 1]
        if not before.whitespace_ and not before.ent_type_:
            return Span(span.doc, span.start - 1, span.end, label=span.label)
    return span


def _is_used_as(span: Span, kind: str) -> bool:
    """Whether the use fits: a number counts something, an ordinal modifies, a date is whole."""
    after = span.doc.text[span.end_char :]
    if kind == "NUMBER":
        head = span.root.head
        counts = span.root.dep_ == "nummod" and span.end <= head.i < span.end + 3
        return counts and head.lemma_.lower() in _COUNTED and span.text[0].isdigit()
    if kind == "DATE":
        # "10 [September 1895]", and "2009" in "2009 and 2011 Southeast Asian Games".
        before = span.doc[span.start - 1] if span.start else None
        torn = before is not None and (before.like_num or before.text[0].isdigit())
        return not torn and not _NAMED_YEAR.match(after)
    if kind == "MONEY":
        return not re.match(r" ?(?:bn|mn|m|k|trn)\b", after)
    return kind != "ORDINAL" or span.root.dep_ == "amod"


def _is_age(token: Token) -> bool:
    """Whether a plain number is an age: ``Smith, 46,``, ``aged 46``, ``the age of 46``."""
    if not 1 <= int(token.text) <= 115 or token.i < 2:
        return False
    doc, before = token.doc, token.nbor(-1).lower_
    after = doc[token.i + 1].text if token.i + 1 < len(doc) else "."
    if before in {"aged", "age"}:
        return True
    if before == ",":
        return doc[token.i - 2].ent_type_ == "PERSON" and after == ","
    ends = after in {",", ".", ";", ")"}
    died = before == "at" and token.nbor(-1).head.lemma_ == "die"
    return ends and (died or (before == "of" and doc[token.i - 2].lower_ == "age"))
