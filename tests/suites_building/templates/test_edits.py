"""Edits of filled templates: where the values are, and that nothing else is lost."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.templates.edits import (
    RELATIONS,
    Filled,
    Piece,
    TemplateRelation,
    entities_of,
    fill_template,
    text_of,
)
from mt_gate_suites.templates.reading import read_language
from suites_building.templates.test_values import LANGUAGES

FILLED = [
    fill_template(language, template, Random(template.id))
    for language in map(read_language, LANGUAGES)
    for template in language.templates
]
BY_NAME = {relation.name: relation for relation in RELATIONS}
SAME_LETTERS = ("other-position", "longer-text", "markup", "quotes", "json-string", "field-order",
                "other-keys", "other-context", "no-punctuation", "two-values")  # fmt: skip
"""Relations that leave each value as it is."""


def values(filled: Filled, relation: TemplateRelation) -> tuple[list[str], list[str]] | None:
    """Return the values of the text and of the edited text, in order of places."""
    pieces = relation.edit(filled, Random(3))
    if pieces is None:
        return None
    text = text_of(pieces)
    before = [piece.text for piece in filled.pieces if piece.kind]
    return before, [text[start:end] for start, end, _ in entities_of(pieces)]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_every_value_has_its_place(relation: TemplateRelation) -> None:
    edited = 0
    for filled in FILLED:
        pieces = relation.edit(filled, Random(3))
        if pieces is None:
            continue
        edited += 1
        before, after = entities_of(filled.pieces), entities_of(pieces)
        assert [e.label for e in after[: len(before)]] == [e.label for e in before]
        spans = sorted(after)
        assert all(a.end <= b.start for a, b in pairwise(spans))
        assert all(text_of(pieces)[e.start : e.end].strip() for e in after)
    assert edited >= 20


@pytest.mark.parametrize("name", SAME_LETTERS)
def test_values_stay_as_they_are(name: str) -> None:
    for filled in FILLED:
        both = values(filled, BY_NAME[name])
        if both:
            before, after = both
            assert after[: len(before)] == before


def of(text: str, kind: str, *, before: str = "See ", after: str = " there") -> Filled:
    pieces = (Piece(before), Piece(text, kind, 0), Piece(after))
    return Filled(FILLED[0].language, FILLED[0].template, pieces)


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("value-format", "age", "42"),
        ("line-break", "email", "a@example.org"),
        ("line-break", "password", "a b"),
        ("other-spaces", "iban", "DE91000000"),
        ("full-width", "person", "Anna Moss"),
        ("zero-width", "age", "4"),
        ("homoglyph", "phone", "+49 30 23125042"),
        ("ocr-confusion", "person", "Hanna Kuhn"),
        ("ocr-confusion", "password", "0O1l5S"),
        ("spoken-form", "phone", "+49 30 23125042"),
    ],
)
def test_nothing_happens_where_nothing_fits(name: str, kind: str, value: str) -> None:
    assert BY_NAME[name].edit(of(value, kind), Random(1)) is None


@given(st.text(min_size=1), st.sampled_from(sorted(BY_NAME)), st.integers(0, 99))
def test_any_value_keeps_a_span(value: str, name: str, seed: int) -> None:
    filled = of(value, "person")
    pieces = BY_NAME[name].edit(filled, Random(seed))
    if pieces is not None and name not in ("another-value", "name-origin", "other-context"):
        (first, *_) = entities_of(pieces)
        assert 0 <= first.start < first.end <= len(text_of(pieces))
