"""Pronouns and relative pronouns that surely mean a thing, a firm or a nameless person."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc, Span

from mt_gate_suites.re.coreferent.things import own_pronouns, relative


def named(nlp: Language, text: str, words: str) -> tuple[Doc, Span]:
    doc = nlp(text)
    start = text.index(words)
    span = doc.char_span(start, start + len(words))
    assert span is not None
    return doc, span


@pytest.mark.parametrize(
    ("text", "words", "proper", "found"),
    [
        ("Toyota said it would close the plant.", "Toyota", True, ["it"]),
        ("Toyota sold its plant.", "Toyota", True, ["its"]),
        ("The company sold its plant.", "company", False, ["its"]),
        ("The companies sold their plant.", "companies", False, ["their"]),
        ("Boris sold Toyota and its plant.", "Toyota", True, []),
        ("Toyota and Honda sold its plant.", "Toyota", True, []),
        ("Toyota sold the plant, and it rained.", "Toyota", True, []),
        ("The company sold the plant to its owner.", "company", False, []),
        ("The seeds have been blown into their fields.", "seeds", False, []),
    ],
)
def test_own_pronouns(nlp: Language, text: str, words: str, proper: bool, found: list[str]) -> None:
    doc, span = named(nlp, text, words)
    assert [token.text for token in own_pronouns(doc, span, proper)] == found


@pytest.mark.parametrize(
    ("text", "words", "person", "proper", "pronoun"),
    [
        ("Anna Smith, who lives in Boston, won.", "Anna Smith", True, True, "who"),
        ("Toyota, which owns the plant, left.", "Toyota", False, True, "which"),
        ("The firm that owns the plant left.", "firm", False, False, "that"),
        ("Toyota left, which made him sad.", "Toyota", False, True, None),
        ("The son of John Smith, who left, won.", "John Smith", True, True, None),
        ("Toyota, who owns the plant, left.", "Toyota", False, True, None),
        ("Anna Smith won.", "Anna Smith", True, True, None),
    ],
)
def test_relative_pronouns(
    nlp: Language, text: str, words: str, person: bool, proper: bool, pronoun: str | None
) -> None:
    doc, span = named(nlp, text, words)
    found = relative(doc, span, person, proper)
    assert (found and found.text) == pronoun
