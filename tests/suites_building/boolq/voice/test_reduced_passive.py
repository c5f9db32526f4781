"""Passive relative clauses turned active, and those that stay."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.reduced_passive import find_relative


def clause(nlp: Language, text: str, verb: str) -> str | None:
    """Return the active relative clause in words."""
    found = find_relative(word(nlp(text), verb))
    if found is None:
        return None
    return f"{found.pronoun} {found.part.agent.span.text} {' and '.join(found.part.verbs)}"


@pytest.mark.parametrize(
    ("text", "verb", "wanted"),
    [
        ("It is a film directed by Ann Lee.", "directed", "that Ann Lee directed"),
        ("It is a film written and directed by Ann Lee.", "written",
         "that Ann Lee wrote and directed"),
        ("It is a film that was directed by Ann Lee.", "directed", "that Ann Lee directed"),
        ("It is a film, directed by Ann Lee.", "directed", "which Ann Lee directed"),
    ],
)  # fmt: skip
def test_relative_clauses(nlp: Language, text: str, verb: str, wanted: str) -> None:
    assert clause(nlp, text, verb) == wanted


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("It was directed by Ann Lee.", "directed"),
        ("It is a film directed in 2010.", "directed"),
        ("It is a film directed by a writer.", "directed"),
        ("It is a film directed by Ann Lee and sold in Oslo.", "directed"),
        # Two clauses under one pronoun, and what would follow a verb.
        ("It is a film directed by Ann Lee and written by Bob Roy.", "directed"),
        ("It is a film directed by Ann Lee, starring Bob Roy.", "directed"),
        ("It is a film, directed by Ann Lee from a script by Bob Roy, starring Al.", "directed"),
        ("It is a film directed by Ann Lee, which failed.", "directed"),
        ("It is a film directed by Ann Lee and her brother.", "directed"),
        ("He is a man named by Ann Lee.", "named"),
        ("It is a film inspired by a machine.", "inspired"),
    ],
)
def test_clauses_that_stay(nlp: Language, text: str, verb: str) -> None:
    assert clause(nlp, text, verb) is None
