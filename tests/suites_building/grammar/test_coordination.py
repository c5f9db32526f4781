"""Coordinations that leave a finite verb stranded are found, sound ones pass."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.grammar.clauses import Clause, find_clause


@pytest.mark.parametrize(("text", "reason"), table(__file__, "doubtful_coordinations_are_refused"))
def test_doubtful_coordinations_are_refused(nlp: Language, text: str, reason: str) -> None:
    assert find_clause(nlp(text)) == reason


@pytest.mark.parametrize("text", table(__file__, "sound_coordinations_pass"))
def test_sound_coordinations_pass(nlp: Language, text: str) -> None:
    assert isinstance(find_clause(nlp(text)), Clause)
