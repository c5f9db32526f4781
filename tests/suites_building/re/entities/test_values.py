"""Dates, times, numbers and amounts by their form."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Span

from mt_gate_suites.re.entities.values import LABELS, value_kind, with_currency


def span(nlp: Language, text: str, words: str, label: str) -> Span:
    start = text.index(words)
    found = nlp(text).char_span(start, start + len(words), label=label)
    assert found is not None
    assert label in LABELS
    return found


@pytest.mark.parametrize(
    ("text", "words", "label", "kind"),
    [
        ("He left in May 2009.", "May 2009", "DATE", "DATE"),
        ("He left on 3 May 2009.", "3 May 2009", "DATE", "DATE"),
        ("He left on Monday.", "Monday", "DATE", "DATE"),
        ("He left after two years.", "two years", "DATE", "DURATION"),
        ("The 46-year-old man left.", "46-year-old", "DATE", "DURATION"),
        ("John Smith, 46, left.", "46", "DATE", "NUMBER"),
        ("He died at the age of 46.", "46", "CARDINAL", "NUMBER"),
        ("He left at 10:30 am.", "10:30 am", "TIME", "TIME"),
        ("It has 300 employees.", "300", "CARDINAL", "NUMBER"),
        ("It gave him 40 percent.", "40 percent", "PERCENT", "PERCENT"),
        ("It is 40 km long.", "40 km", "QUANTITY", "QUANTITY"),
        ("It was the third house.", "third", "ORDINAL", "ORDINAL"),
    ],
)
def test_forms(nlp: Language, text: str, words: str, label: str, kind: str) -> None:
    assert value_kind(span(nlp, text, words, label)) == kind


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("He left in 10 September 1895.", "September 1895", "DATE"),
        ("He saw the 2009 and 2011 Asian Games.", "2009", "DATE"),
        ("It has 300 birds.", "300", "CARDINAL"),
        ("It has three employees.", "three", "CARDINAL"),
        ("He left some time ago.", "some time ago", "DATE"),
        ("He saw about 40 of them.", "about 40", "CARDINAL"),
        ("He came third.", "third", "ORDINAL"),
    ],
)
def test_what_is_used_otherwise(nlp: Language, text: str, words: str, label: str) -> None:
    assert value_kind(span(nlp, text, words, label)) == ""


def test_the_sign_of_a_currency_belongs_to_its_amount(nlp: Language) -> None:
    doc = nlp("It paid $5 million to him.")
    start = next(token.i for token in doc if token.text == "5")
    amount = Span(doc, start, start + 2, label="MONEY")
    assert with_currency(amount).text in {"$5 million", "5 million"}
    number = Span(doc, start, start + 1, label="CARDINAL")
    assert with_currency(number).text == "5"
