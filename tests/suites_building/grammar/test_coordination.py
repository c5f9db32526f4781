"""Coordinations that leave a finite verb stranded are found, sound ones pass."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.grammar.clauses import Clause, find_clause


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Elliot and Kate have married and have a two-month-old daughter.", "conjunct-form"),
        (
            "The paramedics give Nolan his baby and the two embrace, with Nolan crying.",
            "numeral-with-singular",
        ),
        ("He was elected in 1990 and served in Berlin.", "participle-or-past"),
        ("It was directed by Ron Underwood and stars Bill Paxton.", "noun-or-verb"),
    ],
)
def test_doubtful_coordinations_are_refused(nlp: Language, text: str, reason: str) -> None:
    assert find_clause(nlp(text)) == reason


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was designed and built by Dutch engineers.",
        "He wrote and directed the film in 1990.",
        "The film stars Tom Hanks and Meg Ryan.",
        "The film was written by Ann Smith and directed by Bob Hope.",
        "You can visit the museum and see the ship in Oslo.",
    ],
)
def test_sound_coordinations_pass(nlp: Language, text: str) -> None:
    assert isinstance(find_clause(nlp(text)), Clause)
