"""The anatomy of main clauses: the one shape accepted, and the codes of the rest."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.grammar.clauses import Clause, find_clause


@pytest.mark.parametrize(
    ("text", "subject", "finite", "conjuncts"), table(__file__, "finds_the_parts")
)
def test_finds_the_parts(
    nlp: Language, text: str, subject: str, finite: str, conjuncts: list[str]
) -> None:
    clause = find_clause(nlp(text))
    assert isinstance(clause, Clause), clause
    assert (clause.subject.text, clause.finite.text) == (subject, finite)
    assert [verb.text for verb in clause.conjuncts] == conjuncts


@pytest.mark.parametrize(("text", "reason"), table(__file__, "refuses_other_shapes"))
def test_refuses_other_shapes(nlp: Language, text: str, reason: str) -> None:
    assert find_clause(nlp(text)) == reason
