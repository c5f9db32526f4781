"""Pronouns for persons: whom they surely mean, and those in doubt."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.re.coreferent.people import persons
from mt_gate_suites.re.coreferent.persons import is_pronoun, pronouns, resolved


def meant(nlp: Language, text: str) -> dict[str, str]:
    doc = nlp(text)
    found = resolved(doc, persons(doc))
    return {doc[place].text: person.first.text for place, person in found.items()}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Barack Obama thanked Mary Smith because she won.", {"she": "Mary Smith"}),
        ("Mary Smith says she won in Oslo.", {"she": "Mary Smith"}),
        ("In his speech, Barack Obama spoke of Chicago.", {"his": "Barack Obama"}),
        ("The doctor told John Smith and his wife.", {"his": "John Smith"}),
    ],
)
def test_the_only_person_that_fits(nlp: Language, text: str, wanted: dict[str, str]) -> None:
    assert meant(nlp, text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "John Smith met Peter Miller when he won.",
        "John Smith met a lawyer when he won.",
        "Mary Smith met a teacher, and he won.",
        "John Smith saw him in Oslo.",
        "After an injury to Anna Smith, she made the team.",
        "Anna Smith was her pupil in Oslo.",
        'John Smith said: "He won in Oslo."',
        "It rained when he won in Oslo.",
    ],
)
def test_pronouns_in_doubt_mean_nobody(nlp: Language, text: str) -> None:
    assert meant(nlp, text) == {}


def test_pronouns_of_one_man_or_woman(nlp: Language) -> None:
    doc = nlp("He and she saw them and it with Bill Haley and His Comets.")
    assert [token.text for token in pronouns(doc)] == ["He", "she"]
    assert [token.text for token in doc if is_pronoun(token)] == ["He", "she", "His"]
