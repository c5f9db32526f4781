"""What a noun phrase speaks of: number, definiteness, persons, measures."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.boolq.voice import phrase_kinds
from mt_gate_suites.boolq.voice.phrases import NounPhrase


def phrase(nlp: Language, text: str, head: str) -> NounPhrase:
    token = word(nlp(text), head)
    return NounPhrase(token, token.left_edge.i, token.right_edge.i + 1)


@pytest.mark.parametrize(
    ("text", "head", "number"),
    [
        ("The house burned.", "house", "singular"),
        ("The houses burned.", "houses", "plural"),
        ("They burned it.", "They", "plural"),
        ("She burned it.", "She", "singular"),
        ("The king and the queen left.", "king", "plural"),
        ("The king or the queen left.", "king", None),
        ("The team left Oslo.", "team", None),
        ("The majority left Oslo.", "majority", None),
        ("The species lives in Oslo.", "species", None),
        ("The series ended.", "series", "singular"),
        ("Two series ended.", "series", None),
        ("The Beatles left.", "Beatles", None),
    ],
)
def test_number(nlp: Language, text: str, head: str, number: str | None) -> None:
    assert phrase_kinds.number(word(nlp(text), head)) == number


def test_a_name_with_and_is_open(nlp: Language) -> None:
    """It may be one thing, and a list of names may be taken for it."""
    kings = phrase(nlp, "The kings of Norway wrote it.", "kings")
    assert phrase_kinds.phrase_number(kings) == "plural"
    doc = nlp("The Firearms and Explosives Division wrote it.")
    office = NounPhrase(word(doc, "Division"), 0, 5)
    assert phrase_kinds.phrase_number(office) is None


@pytest.mark.parametrize(
    ("pronoun", "as_object", "as_subject"),
    [("He", "him", None), ("They", "them", None), ("It", "it", "it")],
)
def test_pronouns_change_case(
    nlp: Language, pronoun: str, as_object: str | None, as_subject: str | None
) -> None:
    head = nlp(f"{pronoun} saw Anna.")[0]
    assert phrase_kinds.as_object(head) == as_object
    assert phrase_kinds.as_subject(head) == as_subject
    assert phrase_kinds.as_object(word(nlp("Anna saw me."), "me")) is None


YES, NO = True, False


@pytest.mark.parametrize(
    ("test", "text", "head", "is_one"),
    [
        (phrase_kinds.is_definite, "The house burned.", "house", YES),
        (phrase_kinds.is_definite, "Anna's house burned.", "house", YES),
        (phrase_kinds.is_definite, "A house burned.", "house", NO),
        (phrase_kinds.is_definite, "Houses burned.", "Houses", NO),
        (phrase_kinds.is_measure, "Anna ran ten miles.", "miles", YES),
        (phrase_kinds.is_measure, "Anna saw two years.", "years", YES),
        (phrase_kinds.is_measure, "Anna saw two houses.", "houses", NO),
        (phrase_kinds.is_counted, "Anna saw two houses.", "houses", YES),
        (phrase_kinds.is_counted, "Anna saw the two houses.", "houses", NO),
        (phrase_kinds.is_counted, "Anna saw a house.", "house", NO),
        (phrase_kinds.is_bare, "Anna drives cars.", "cars", YES),
        (phrase_kinds.is_bare, "Anna drives the car.", "car", NO),
        (phrase_kinds.is_bare, "Anna drives her car.", "car", NO),
        (phrase_kinds.is_vague, "It took place in May.", "place", YES),
        (phrase_kinds.is_vague, "It took the house in May.", "house", NO),
        (phrase_kinds.is_heavy, "The house in Oslo burned.", "house", YES),
        (phrase_kinds.is_heavy, "The house of Anna burned.", "house", NO),
        (phrase_kinds.is_contest, "Anna won the race.", "race", YES),
        (phrase_kinds.is_contest, "Anna won the best actress award.", "award", NO),
        (phrase_kinds.is_contest, "Anna won a house.", "house", NO),
    ],
)
def test_kinds(
    nlp: Language, test: Callable[[NounPhrase], bool], text: str, head: str, is_one: bool
) -> None:
    assert test(phrase(nlp, text, head)) == is_one


@pytest.mark.parametrize(
    ("text", "head", "person"),
    [
        ("The writer left.", "writer", True),
        ("The president left.", "president", True),
        ("Anna Weber left.", "Weber", True),
        ("The computer left.", "computer", False),
        ("The river rose.", "river", False),
        ("The house burned.", "house", False),
    ],
)
def test_persons(nlp: Language, text: str, head: str, person: bool) -> None:
    assert phrase_kinds.is_person(word(nlp(text), head)) == person


@pytest.mark.parametrize(
    ("text", "head", "lemma", "acts"),
    [
        ("It was built by the king.", "king", "build", True),
        ("It was built by Anna Weber.", "Weber", "build", True),
        ("It was built by a machine.", "machine", "build", False),
        ("It was caused by a virus.", "virus", "cause", True),
        ("It was caused by two years.", "years", "cause", False),
    ],
)
def test_who_acts(nlp: Language, text: str, head: str, lemma: str, acts: bool) -> None:
    assert phrase_kinds.acts(phrase(nlp, text, head), lemma) == acts
