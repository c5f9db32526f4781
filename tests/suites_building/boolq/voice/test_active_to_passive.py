"""Active clauses with their passive verb groups, and clauses that have none."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice.active_to_passive import (
    ActiveClause,
    Passive,
    find_active,
    passive_group,
)


def found(nlp: Language, text: str, verb: str) -> ActiveClause | str:
    doc = nlp(text)
    return find_active(word(doc, verb), doc[:])


@pytest.mark.parametrize(
    ("text", "verb", "subject", "direct_object", "group"),
    [
        ("The company now uses the SSE brand in 2010.", "uses", "The company", "the SSE brand",
         "is used"),
        ("The company used the SSE brand in 2010.", "used", "The company", "the SSE brand",
         "was used"),
        ("The company has used the SSE brand.", "used", "The company", "the SSE brand",
         "has been used"),
        ("The king had sold the houses in 1990.", "sold", "The king", "the houses",
         "had been sold"),
        ("The president can sign the treaty.", "sign", "The president", "the treaty",
         "can be signed"),
        ("The king killed them in 1990.", "killed", "The king", "them", "were killed"),
        ("Anna Weber wrote the books in 1990.", "wrote", "Anna Weber", "the books",
         "were written"),
    ],
)  # fmt: skip
def test_active_clauses(
    nlp: Language, text: str, verb: str, subject: str, direct_object: str, group: str
) -> None:
    clause = found(nlp, text, verb)
    assert isinstance(clause, ActiveClause)
    assert (clause.subject.span.text, clause.object.span.text) == (subject, direct_object)
    passive = passive_group(clause)
    assert isinstance(passive, Passive)
    assert " ".join((*passive.auxiliaries, passive.participle)) == group


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("The company has the SSE brand.", "has"),
        ("The company sleeps in May.", "sleeps"),
        ("The brand was used by the company.", "used"),
        ("It took place in 1990.", "took"),
        ("Anna ran ten miles in 1990.", "ran"),
        ("Anna killed herself in 1990.", "killed"),
        ("Anna bought the house and sold it.", "bought"),
        ("Anna did not buy the house.", "buy"),
        ("Nobody bought the house in 1990.", "bought"),
        ("Every boy bought a house in 1990.", "bought"),
        ("Anna gave Boris the house in 1990.", "gave"),
        ("Anna announced the renewal for a season.", "announced"),
    ],
)
def test_clauses_that_stay_active(nlp: Language, text: str, verb: str) -> None:
    assert isinstance(found(nlp, text, verb), str)


def test_a_verb_group_that_runs_on_has_no_passive(nlp: Language) -> None:
    clause = found(nlp, "The company was using the SSE brand in 2010.", "using")
    assert isinstance(clause, str) or isinstance(passive_group(clause), str)
