"""Titles next to the persons that they are said of, and words that are no one's title."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate.domain import Entity
from mt_gate_suites.re.entities.titles import titles, without_title


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("President Anna Weber left Oslo.", ["President"]),
        ("Anna Weber, the chief executive, left Oslo.", ["chief executive"]),
        ("Anna Weber is a lawyer.", ["lawyer"]),
        ("Anna Weber served as prime minister in Oslo.", ["prime minister"]),
        ("Anna Weber is a singer and actress.", ["singer", "actress"]),
        ("Anna Weber met the president in Oslo.", []),
        ("Anna Weber wrote The Prince in Oslo.", []),
        ("Anna Weber is a lawyer's friend.", []),
        ("Anna Weber presided in Oslo.", []),
    ],
)
def test_titles(nlp: Language, text: str, found: list[str]) -> None:
    start = text.index("Anna Weber")
    person = Entity(start, start + len("Anna Weber"), "PERSON")
    made = list(titles(nlp(text), [person]))
    assert [text[one.start : one.end] for one in made] == found
    assert {one.label for one in made} <= {"TITLE"}


def test_no_persons_no_titles(nlp: Language) -> None:
    assert list(titles(nlp("President Anna Weber left Oslo."), [])) == []


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("President Anna Weber", "Anna Weber"),
        ("Prime Minister Anna Weber", "Anna Weber"),
        ("Anna Weber", "Anna Weber"),
        ("Bishop", "Bishop"),
    ],
)
def test_names_without_their_title(nlp: Language, name: str, bare: str) -> None:
    doc = nlp(f"{name} left Oslo.")
    span = doc.char_span(0, len(name))
    assert span is not None
    assert without_title(span).text == bare


@pytest.mark.parametrize("before", ["Prime ", "then-", "former Vice "])
def test_the_end_of_a_longer_title_is_one(nlp: Language, before: str) -> None:
    title = "President" if "Vice" in before else "Minister"
    doc = nlp(f"{before}{title} Anna Weber left Oslo.")
    at = len(before)
    span = doc.char_span(at, at + len(f"{title} Anna Weber"))
    assert span is not None
    assert without_title(span).text == "Anna Weber"
