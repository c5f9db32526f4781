"""Sentences that are no good sources, by what is wrong with them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.source_faults import is_unknown, source_fault, text_fault

GOOD = [
    "Anna Weber bought a small house in Oslo.",
    "He had had enough of it by 1990.",
    "That is why she left the U.S. in 1990.",
    "It rose by 3.5% to $4 million (about €3.4 million).",
    'She said that "the river is cold" in winter.',
    "The boys' school in Leeds is an hour away.",
    "They live in Walla Walla, a town in Washington.",
    "NASA and the FBI share a building in Houston.",
]
FAULTY = [
    ("Anna left Oslo.", "too-short"),
    ("The " + "very " * 45 + "old house burned.", "too-long"),
    ("Anna read it on www.example.com in Oslo.", "web-text"),
    ("Anna is so happy in Oslo today :)", "web-text"),
    ("Anna thinks u should visit Oslo soon.", "web-text"),
    ("Anna paid 40 ¥ for it in Tokyo.", "debris"),
    ("Anna left Oslo , and Boris stayed.", "bad-spacing"),
    ("Anna left Oslo,and Boris stayed there.", "bad-spacing"),
    ("Anna (from Oslo bought a small house.", "unbalanced"),
    ('Anna said "no to the small house.', "unbalanced"),
    ("Anna bought the 'small house in Oslo.", "stray-quote"),
    ("anna bought a small house in Oslo.", "lower-case-start"),
    ("Anna bought a small house in Oslo", "no-final-stop"),
    ("Anna bought a small house in...", "bad-spacing"),
    ("Anna paid 40 % for the house.", "bad-spacing"),
    ("ANNA WEBER BOUGHT a small house in OSLO.", "all-caps"),
    ("Anna bought a sooo small house in Oslo.", "spelling"),
    ("Anna bought an small house in Oslo.", "article"),
    ("Anna bought a old house in Oslo.", "article"),
    ("Anna bought the the small house in Oslo.", "doubled-word"),
    ("Anna bought a grimblework hosue in Oslo.", "spelling"),
    ("Anna left Oslo in May. Boris stayed in Rome.", "several-sentences"),
    ("A small house in the north of Oslo.", "fragment"),
]


@pytest.mark.parametrize("text", GOOD)
def test_whole_sentences_are_sources(nlp: Language, text: str) -> None:
    assert source_fault(nlp(text)) is None


@pytest.mark.parametrize(("text", "fault"), FAULTY)
def test_faults_are_told_by_a_code(nlp: Language, text: str, fault: str) -> None:
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
