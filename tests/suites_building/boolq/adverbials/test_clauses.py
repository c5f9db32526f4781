"""Clauses of when and if that may move, and the reasons of those that may not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adverbials.clauses import clause_fault
from mt_gate_suites.boolq.adverbials.phrases import first_phrase, last_phrase


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("do you get paid if you resign", None),
        ("can the police stop you when it is dark", None),
        ("do cats purr when they are happy", "pronoun"),
        ("do bees die if they lose their stinger", "pronoun"),
        ("can you be a sir if not british", "no-verb"),
        ("do they know when the war ends", "noun-clause"),
        ("can you ask if the shop is open", "noun-clause"),
        ("can you only vote when you are 18", "limited"),
        ("is the king when the queen dies", "no-predicate"),
        ("does he get the house if she leaves", "pronoun"),
        ("does the king resign if the queen leaves him", "pronoun"),
        ("you get paid if you resign", "not-a-question"),
        ("can you tell me when is it open", "asked-when"),
    ],
)
def test_clauses_at_the_end(nlp: Language, question: str, fault: str | None) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    assert clause_fault(asked, phrase, leads=False) == fault


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("if you resign do you get paid", None),
        ("when bears are hungry do they sleep", "pronoun"),
    ],
)
def test_clauses_at_the_beginning(nlp: Language, question: str, fault: str | None) -> None:
    asked = read(nlp, question)
    phrase = first_phrase(asked)
    assert phrase is not None
    assert clause_fault(asked, phrase, leads=True) == fault
