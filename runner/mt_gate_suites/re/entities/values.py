"""Dates, times, numbers and amounts among a sentence's mentions: by their form, or not at all."""

from __future__ import annotations

import re

from spacy.tokens import Span, Token

from mt_gate.lexicons.calendar import MONTHS, WEEKDAYS
from mt_gate_suites.lexicons.numbers import CARDINALS, ORDINALS, TENS
from mt_gate_suites.lexicons.reading import word_set

_MONTH = f"(?:{'|'.join(MONTHS)})"
_NUMBER_WORD = (
    f"(?:{'|'.join(CARDINALS[2:20])}|(?:{'|'.join(TENS)})(?:-(?:{'|'.join(CARDINALS[1:10])}))?)"
)
_DIGITS = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?"
_YEAR = r"1[0-9]\d\d|20\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_UNIT = (
    r"(?:km|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|inch(?:es)?|acres?|hectares?|"
    r"kg|kilograms?|pounds|tons?|tonnes)"
)
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)})"
_CURRENCY = r"(?:US|A|C|CA|NZ|HK)?[$£€]"
_SCALE = r"(?: (?:hundred|thousand|million|billion|trillion))?"

_FORMS = {
    "DATE": (
        rf"{_YEAR}|{_MONTH}(?: (?:{_DAY})?,? ?(?:{_YEAR})?)?|{_MONTH} {_DAY}|"
        rf"{_DAY} {_MONTH}(?:,? (?:{_YEAR}))?|(?:early |late |mid-)?(?:{_YEAR})s|{_WEEKDAY}|"
        r"yesterday|today|tomorrow|(?:last|next|this) (?:year|month|week)"
    ),
    "TIME": r"\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?)|\d{1,2}:\d\d|midnight|noon",
    "DURATION": (
        rf"(?:{_DIGITS}|{_NUMBER_WORD})(?: (?:years?|months?|weeks?|days?|hours?|minutes?)"
        rf"|[- ]years?[- ]old)"
    ),
    "MONEY": (
        rf"{_CURRENCY} ?(?:{_DIGITS}){_SCALE}|(?:{_DIGITS}|{_NUMBER_WORD}){_SCALE} "
        r"(?:US )?(?:dollars|euros|pounds|yen|rupees|francs|marks)"
    ),
    "PERCENT": rf"(?:{_DIGITS}|{_NUMBER_WORD})(?:%| percent| per cent)",
    "ORDINAL": (rf"\d+(?:st|nd|rd|th)|{'|'.join(ORDINALS[1:13])}"),
    "QUANTITY": rf"(?:{_DIGITS}|{_NUMBER_WORD}) ?{_UNIT}",
    "NUMBER": rf"(?:{_DIGITS}|{_NUMBER_WORD}){_SCALE}",
}
_COMPILED = {kind: re.compile(form, re.I if kind != "DATE" else 0) for kind, form in _FORMS.items()}
_BY_LABEL = {
    "DATE": ("DATE", "DURATION"),
    "TIME": ("TIME", "DURATION"),
    "MONEY": ("MONEY",),
    "PERCENT": ("PERCENT",),
    "ORDINAL": ("ORDINAL",),
    "QUANTITY": ("QUANTITY",),
    "CARDINAL": ("NUMBER", "DURATION"),
}
_NAMED_YEAR = re.compile(r" (?:and|or|to|&) \d{4} [A-Z]|[-–/]\d{2,4} [A-Z]|['’]s")
LABELS = frozenset(_BY_LABEL)
"""spaCy's labels of what this module types."""


def value_kind(span: Span) -> str:
    """Return the type of a date, time, number or amount; nothing where its form is another."""
    text = span.text
    if span.label_ in {"DATE", "CARDINAL"} and text.isdigit() and _is_age(span[0]):
        return "NUMBER"
    for kind in _BY_LABEL[span.label_]:
        if _COMPILED[kind].fullmatch(text):
            return kind if _stands(span, kind) else ""
    return ""


def with_currency(span: Span) -> Span:
    """Return an amount with the sign of its currency, which may stand outside the mention."""
    if span.label_ == "MONEY" and span.start and span.doc[span.start - 1].text[-1:] in "$£€":
        before = span.doc[span.start - 1]
        if not before.whitespace_ and not before.ent_type_:
            return Span(span.doc, span.start - 1, span.end, label=span.label)
    return span


_COUNTED = word_set("re/entities", "counted")


def _stands(span: Span, kind: str) -> bool:
    """Whether a value is used as one: a number counts people, an ordinal tells which."""
    doc = span.doc
    before = doc[span.start - 1] if span.start else None
    if kind == "NUMBER":
        head = span.root.head
        counts = span.root.dep_ == "nummod" and span.end <= head.i < span.end + 3
        return counts and head.lemma_.lower() in _COUNTED and span.text[0].isdigit()
    if kind == "DATE":
        # "10 [September 1895]", and "2009" in "2009 and 2011 Southeast Asian Games".
        torn = before is not None and (before.like_num or before.text[0].isdigit())
        return not torn and not _NAMED_YEAR.match(doc.text[span.end_char :])
    if kind == "ORDINAL":
        return span.root.dep_ == "amod"
    if kind == "MONEY":
        return not re.match(r" ?(?:bn|mn|m|k|trn)\b", span.doc.text[span.end_char :])
    return True


def _is_age(token: Token) -> bool:
    """Whether a plain number is somebody's age.

    Smith, 46, said    aged 46    at the age of 46    dies at 80
    """
    if not 1 <= int(token.text) <= 115 or token.i == 0:
        return False
    doc, before = token.doc, token.nbor(-1)
    after = doc[token.i + 1].text if token.i + 1 < len(doc) else "."
    if after not in {",", ".", ";", ")"} and before.lower_ not in {"aged", "age"}:
        return False
    if before.text == ",":
        return token.i > 1 and doc[token.i - 2].ent_type_ == "PERSON" and after == ","
    if before.lower_ in {"aged", "age"}:
        return True
    if before.lower_ == "of":
        return token.i > 1 and doc[token.i - 2].lower_ == "age"
    return before.lower_ == "at" and before.head.lemma_ == "die"
