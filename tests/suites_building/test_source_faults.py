"""Sentences that are no good sources, by what is wrong with them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.source_faults import is_unknown, source_fault, text_fault

GOOD = table(__file__, "good")
FAULTY = table(__file__, "faulty")


@pytest.mark.parametrize("text", GOOD)
def test_whole_sentences_are_sources(nlp: Language, text: str) -> None:
    assert source_fault(nlp(text)) is None


@pytest.mark.parametrize(("text", "fault"), FAULTY)
def test_each_fault_has_a_code(nlp: Language, text: str, fault: str) -> None:
    assert source_fault(nlp(text)) == fault


def test_unknown_words_are_of_open_classes_and_lower_case(nlp: Language) -> None:
    doc = nlp("Anna Qwrtzw saw a grimblework near the house.")
    assert [token.text for token in doc if is_unknown(token)] == ["grimblework"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Anna Weber was born in Oslo.", None),
        ("anna was born in Oslo.", "lower-case-start"),
        ("Anna was born in Oslo", "no-final-stop"),
        ("Anna was born in Oslo ( Norway ).", "bad-spacing"),
        ("See www.example.com for Oslo.", "web-text"),
        ("Anna " * 46 + "left.", "too-long"),
    ],
)
def test_faults_that_show_without_a_parse(text: str, fault: str | None) -> None:
    assert text_fault(text) == fault
