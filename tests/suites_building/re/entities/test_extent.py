"""Where mentions begin and end, and halves of names."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Span

from making_questions import word
from mt_gate_suites.re.entities.extent import (
    bare,
    is_apart,
    is_capitalised,
    is_name_word,
    is_quoted,
    is_whole,
)


def span(nlp: Language, text: str, words: str, label: str = "ORG") -> Span:
    start = text.index(words)
    found = nlp(text).char_span(start, start + len(words), label=label)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "words", "label", "wanted"),
    [
        ("He left the United States in May.", "the United States", "GPE", "United States"),
        ("He left The Hague in May.", "The Hague", "GPE", "The Hague"),
        ("The Hague is old.", "The Hague", "GPE", "Hague"),
        ("Anna Weber's wife left.", "Anna Weber's", "PERSON", "Anna Weber"),
        ("He met Dr. Anna Weber in May.", "Dr. Anna Weber", "PERSON", "Anna Weber"),
        ("He met President Anna Weber in May.", "President Anna Weber", "PERSON", "Anna Weber"),
        ("He met John Weber III in May.", "John Weber", "PERSON", "John Weber III"),
        ("He left Oslo in May.", "Oslo", "GPE", "Oslo"),
    ],
)
def test_what_belongs_to_a_mention(
    nlp: Language, text: str, words: str, label: str, wanted: str
) -> None:
    found = bare(span(nlp, text, words, label))
    assert (found.text, found.label_) == (wanted, label)


@pytest.mark.parametrize(
    ("text", "words", "label", "whole"),
    [
        ("He taught at Stanford University in 1990.", "Stanford University", "ORG", True),
        ("He taught at the University of Oslo in 1990.", "University", "ORG", False),
        ("He served the Duke of Norfolk in 1950.", "Norfolk", "GPE", False),
        ("He left the Polish Resettlement Corps in 1950.", "Resettlement Corps", "ORG", False),
        ("He met John Smith in 1950.", "John", "PERSON", False),
        ("He met John Smith in 1950.", "John Smith", "PERSON", True),
    ],
)
def test_halves_of_names(nlp: Language, text: str, words: str, label: str, whole: bool) -> None:
    assert is_whole(span(nlp, text, words, label)) == whole


@pytest.mark.parametrize(
    ("text", "words", "apart"),
    [
        ("He left Oslo in May.", "Oslo", True),
        ("He took the Oslo-Bergen train.", "Oslo", False),
        ("He wrote to Ann/Bob in May.", "Ann", False),
        ("He left (Oslo) in May.", "Oslo", True),
    ],
)
def test_what_touches_a_mention(nlp: Language, text: str, words: str, apart: bool) -> None:
    assert is_apart(span(nlp, text, words)) == apart


@pytest.mark.parametrize(
    ("words", "capitals"),
    [
        ("Bank of England", True),
        ("World Bank", True),
        ("bank of England", False),
        ("Bank for England", False),
    ],
)
def test_capitals(nlp: Language, words: str, capitals: bool) -> None:
    assert is_capitalised(span(nlp, f"He left the {words} in May.", words), {"of"}) == capitals


def test_quotation_marks_of_its_own(nlp: Language) -> None:
    assert is_quoted(span(nlp, 'He read "Snow" in May.', "Snow"))
    assert not is_quoted(span(nlp, 'He read "Snow in Oslo" in May.', "Snow"))


def test_words_that_may_go_on_a_name(nlp: Language) -> None:
    doc = nlp("He met Anna and 3 men in 1990.")
    assert is_name_word(word(doc, "Anna"))
    assert not is_name_word(word(doc, "men"))
    assert not is_name_word(word(doc, "1990"))
