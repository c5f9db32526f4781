"""Faults of a source's grammar, with sentences that readers refused, and good ones."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.grammar.faults import grammar_fault


@pytest.mark.parametrize(("text", "fault"), table(__file__, "faults"))
def test_faults(nlp: Language, text: str, fault: str) -> None:
    assert grammar_fault(nlp(text)) == fault


@pytest.mark.parametrize("text", table(__file__, "good_sentences"))
def test_good_sentences(nlp: Language, text: str) -> None:
    assert grammar_fault(nlp(text)) is None
