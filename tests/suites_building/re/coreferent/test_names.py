"""Acronyms and full names of one thing, and names that are words or parts of others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Span

from mt_gate_suites.re.coreferent.names import (
    acronyms,
    full_name,
    is_acronym,
    is_loose,
    is_word,
)

UN = "He left the United Nations (UN), and the UN left him."


def span(nlp: Language, text: str, words: str) -> Span:
    start = text.index(words)
    found = nlp(text).char_span(start, start + len(words))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("The World Bank Group (WBG) met, and WBG left.", "World Bank Group", ["WBG", "WBG"]),
        (UN, "United Nations", ["UN"]),
        ("The World Bank Group (WTO) met.", "World Bank Group", []),
        ("The World Bank Group met the WBG.", "World Bank Group", []),
    ],
)
def test_acronyms_in_brackets(text: str, name: str, found: list[str]) -> None:
    """One of two letters may be a word elsewhere: it counts in the brackets alone."""
    start = text.index(name)
    assert [text[a:b] for a, b in acronyms(text, start, start + len(name))] == found


@pytest.mark.parametrize(
    ("text", "short", "full"),
    [
        (UN, "UN", "United Nations"),
        ("The Bank of England (BoE) met.", "BoE", "Bank of England"),
        ("The World Bank Group met the WBG.", "WBG", None),
        ("Hong Kong Institute of Bankers (IB) met.", "IB", None),
        (UN, "left", None),
    ],
)
def test_full_names(text: str, short: str, full: str | None) -> None:
    start = text.index(short)
    found = full_name(text, start, start + len(short))
    assert (found and text[found[0] : found[1]]) == full


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-LRB- ", " -RRB-")])
def test_an_acronym_in_brackets(opening: str, closing: str) -> None:
    name = "China Banking Regulatory Commission"
    text = f"Liu chairs the {name} {opening}CBRC{closing}, and the CBRC met."
    start = text.index(name)
    places = [text[a:b] for a, b in acronyms(text, start, start + len(name))]
    assert places == ["CBRC", "CBRC"]
    short = text.index("CBRC")
    again = full_name(text, short, short + 4)
    assert again is not None
    assert text[slice(*again)] == name


@pytest.mark.parametrize(
    ("short", "name", "fits"),
    [
        ("CBRC", "China Banking Regulatory Commission", True),
        ("UTS", "University of Technology Sydney", True),
        ("DoT", "Department of Transportation", True),
        ("KMT", "National Communications Commission", False),
        ("X", "Xerox", False),
        ("VW", "Volkswagen", False),
    ],
)
def test_initials(short: str, name: str, fits: bool) -> None:
    assert is_acronym(short, name) is fits


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("The Army Air Corps (AC) and the Navy taught.", "AC"),
        ("The CBRC met the China Banking Regulatory Commission.", "CBRC"),
        ("He met the board (CBRC) there.", "CBRC"),
    ],
)
def test_no_full_name(text: str, short: str) -> None:
    start = text.index(short)
    assert full_name(text, start, start + len(short)) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_acronyms_lie_in_the_text(text: str, a: int, b: int) -> None:
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    for place in acronyms(text, start, end):
        assert end <= place[0] < place[1] <= len(text)
    again = full_name(text, start, end)
    assert again is None or 0 <= again[0] < again[1] <= len(text)


@pytest.mark.parametrize(
    ("text", "name", "loose"),
    [
        ("In 1990 Obama left Chicago.", "Obama", True),
        ("He met Obama in Chicago.", "Obama", True),
        ("The Obama Foundation left Chicago.", "Obama", False),
        ("It was called Obama in Chicago.", "Obama", False),
        ("Barack Obama left Chicago.", "Obama", False),
        ("He met Obama & Sons in Chicago.", "Obama", False),
        ('He saw "Obama" in Chicago.', "Obama", False),
    ],
)
def test_names_that_stand_for_themselves(nlp: Language, text: str, name: str, loose: bool) -> None:
    assert is_loose(span(nlp, text, name)) == loose


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("The name Jana is rare.", "Jana", True),
        ("He is known as Joel.", "Joel", True),
        ("Joel means rain.", "Joel", True),
        ("Joel left Oslo.", "Joel", False),
    ],
)
def test_names_as_words(nlp: Language, text: str, name: str, word: bool) -> None:
    assert is_word(span(nlp, text, name)) == word
