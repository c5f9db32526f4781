"""Statements that no careful writer turns into a question."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.ner.question_sense import sense_fault


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Did Ann leave Rome?", "question"),
        ("He works at Acme Inc.", "final-mark"),
        ("He left Rome; she stayed.", "punctuation"),
        ('He wrote the words of the song "I will leave you in Rome tonight" there.', "quotation"),
        ("The album (sold in the spring of the year 1999) won.", "parenthesis"),
        ("However, he left Rome.", "connective"),
        ("He left Rome, by the way.", "connective"),
        ("He probably left Rome.", "stance"),
        ("He never left Rome.", "negative-word"),
        ("He may have left Rome.", "modal"),
        ("And he left Rome.", "conjunction-opening"),
        ("The more he ate in Rome, the more he sang.", "correlative"),
        ("I hope you like Rome.", "first-person"),
        ("It includes Oslo, Rome, Bonn.", "list-without-and"),
    ],
)
def test_odd_questions_are_refused(nlp: Language, text: str, reason: str) -> None:
    assert sense_fault(nlp(text)) == reason


@pytest.mark.parametrize(
    "text",
    [
        "Belarus shares a border with Russia.",
        "I met Ann in Oslo.",
        "We have seen Rome.",
        'The song "Hey Jude" was written by Paul McCartney.',
        "The park is run by the National Park Service (NPS).",
        "He visited Rome, Oslo and Bonn in 1953–1954.",
    ],
)
def test_plain_statements_are_fine(nlp: Language, text: str) -> None:
    assert sense_fault(nlp(text)) is None
