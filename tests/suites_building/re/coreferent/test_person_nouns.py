"""Common nouns that may stand for one person, and nouns that only look it."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.re.coreferent.person_nouns import is_person_noun


@pytest.mark.parametrize(
    ("text", "noun", "person"),
    [
        ("The teacher left.", "teacher", True),
        ("The actress left.", "actress", True),
        ("The child left.", "child", True),
        ("The botanist left.", "botanist", True),
        ("The weathermonger left.", "weathermonger", True),
        ("The teachers left.", "teachers", False),
        ("The computer burned.", "computer", False),
        ("The river rose.", "river", False),
        ("The house burned.", "house", False),
        ("Anna Weber left.", "Weber", False),
    ],
)
def test_nouns(nlp: Language, text: str, noun: str, person: bool) -> None:
    assert is_person_noun(word(nlp(text), noun)) == person
