"""Texts of one plain statement, and what is none."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.text.statements import (
    framed,
    is_opinion,
    is_small,
    speaks_of,
    statement_of,
)


@pytest.mark.parametrize(("text", "core", "mark"), table(__file__, "statements"))
def test_statements(nlp: Language, text: str, core: str, mark: str) -> None:
    statement = statement_of(nlp(text))
    assert statement is not None
    assert (statement.core, statement.mark) == (core, mark)
    assert framed(statement, "Perhaps ").text.casefold() == f"perhaps {core}{mark}".casefold()


@pytest.mark.parametrize("text", table(__file__, "no_statements"))
def test_no_statements(nlp: Language, text: str) -> None:
    assert statement_of(nlp(text)) is None


@pytest.mark.parametrize(("text", "opinion"), table(__file__, "opinions"))
def test_opinions(nlp: Language, text: str, opinion: bool) -> None:
    statement = statement_of(nlp(text))
    assert statement is not None
    assert is_opinion(statement) is opinion
    assert speaks_of(statement, frozenset({"the", "cats", "they"}))


def test_small_texts_are_framed_in_small_letters(nlp: Language) -> None:
    statement = statement_of(nlp("the service is bad."))
    assert statement is not None
    assert framed(statement, "I say that ", ", but NO").text == (
        "i say that the service is bad, but no."
    )
    assert is_small("a 1")
    assert not is_small("12")
