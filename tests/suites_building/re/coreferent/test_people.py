"""Persons that a text names, with their mentions, and nouns that may be others."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from making_questions import word
from mt_gate_suites.re.coreferent.gender import FEMALE, MALE, UNKNOWN
from mt_gate_suites.re.coreferent.people import (
    bare,
    described,
    is_plausible,
    other_nouns,
    persons,
    strange_names,
)


@pytest.mark.parametrize(
    ("text", "mentions", "genders"),
    [
        ("John Smith left. Later Smith came.", [["John Smith", "Smith"]], [MALE]),
        ("Mary Smith met John Miller.", [["Mary Smith"], ["John Miller"]], [FEMALE, MALE]),
        ("William Smith met Mrs. Smith.", [["William Smith"], ["Smith"]], [MALE, FEMALE]),
        ("The actress Kim Novak left.", [["Kim Novak"]], [FEMALE]),
        ("Kim Novak left.", [["Kim Novak"]], [UNKNOWN]),
        ("Nothing was left.", [], []),
    ],
)
def test_persons(nlp: Language, text: str, mentions: list[list[str]], genders: list[str]) -> None:
    found = persons(nlp(text))
    last_words = [[name.text.removeprefix("Mrs. ") for name in one.names] for one in found]
    assert last_words == mentions
    assert [one.gender for one in found] == genders


def test_the_span_that_is_asked_for_is_a_person(nlp: Language) -> None:
    doc = nlp("Jupp left. Anna Weber came.")
    found = persons(doc, doc[0:1])
    assert found[0].first.text == "Jupp"
    assert found[0].holds(doc[0])
    assert not found[0].holds(doc[1])


@pytest.mark.parametrize(
    ("text", "noun", "named"),
    [
        ("John Smith, a lawyer, left.", "lawyer", "Smith"),
        ("John Smith is a lawyer.", "lawyer", "Smith"),
        ("John Smith met a lawyer.", "lawyer", "lawyer"),
    ],
)
def test_what_a_noun_says_more_of(nlp: Language, text: str, noun: str, named: str) -> None:
    assert described(word(nlp(text), noun)).text == named


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("John Smith met a lawyer, and he left.", ["lawyer"]),
        ("John Smith is a lawyer, and he left.", []),
        ("John Smith worked as a lawyer, and he left.", []),
        ("The lawyer John Smith came, and he left.", []),
        ("John Smith saw a house, and he left.", []),
    ],
)
def test_nouns_for_persons_who_are_not_named(nlp: Language, text: str, others: list[str]) -> None:
    doc = nlp(text)
    found = other_nouns(doc, word(doc, "he").i, persons(doc))
    assert [token.text for token in found] == others


def test_names_that_may_be_persons(nlp: Language) -> None:
    unlabelled = Doc(
        nlp.vocab,
        words=["Qwrtzel", "left", "."],
        pos=["PROPN", "VERB", "PUNCT"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "punct"],
    )
    assert [token.text for token in strange_names(unlabelled, 3, [])] == ["Qwrtzel"]
    assert strange_names(unlabelled, 0, []) == []
    oslo = nlp("John Smith left in May, and he came.")
    assert strange_names(oslo, word(oslo, "he").i, persons(oslo)) == []


@pytest.mark.parametrize(
    ("text", "start", "end", "plausible"),
    [
        ("John Smith left.", 0, 2, True),
        ("Jupp left.", 0, 1, True),
        ("The Herschel spacecraft left.", 1, 2, False),
        ("The USS Lincoln left.", 2, 3, False),
    ],
)
def test_what_may_be_a_person(
    nlp: Language, text: str, start: int, end: int, plausible: bool
) -> None:
    assert is_plausible(nlp(text)[start:end]) == plausible


def test_titles_are_no_part_of_a_name(nlp: Language) -> None:
    assert bare(nlp("Dr. John Smith left.")[0:3]) == ["John", "Smith"]
