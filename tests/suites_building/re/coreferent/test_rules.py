"""Other mentions of the same person or thing, by the rules."""

from __future__ import annotations

import re

import pytest
from spacy.language import Language

from mt_gate_suites.re.coreferent.chains import ACRONYM, NAME, PRONOUN, RELATIVE
from mt_gate_suites.re.coreferent.rules import NAMELESS, RULES

DUNNE = (
    "Dunne was part of a famous family that also included his brother, novelist and screenwriter "
    "John Gregory Dunne; his brother's wife, author Joan Didion, survives him."
)


def place(text: str, words: str) -> int:
    match = re.search(rf"\b{re.escape(words)}", text)
    assert match
    return match.start()


def found(nlp: Language, text: str, words: str, kind: str) -> list[str]:
    start = place(text, words)
    mentions = RULES.mentions(nlp(text), start, start + len(words), kind)
    assert all(0 < one.score <= 1 for one in mentions)
    assert [one.score for one in mentions] == sorted((m.score for m in mentions), reverse=True)
    return [text[one.start : one.end] for one in mentions]


def kinds(nlp: Language, text: str, words: str, kind: str = "") -> list[tuple[str, str]]:
    start = text.index(words)
    mentions = RULES.mentions(nlp(text), start, start + len(words), kind)
    return [(text[one.start : one.end], one.kind) for one in mentions]


@pytest.mark.parametrize(
    ("text", "words", "best"),
    [
        # The paper's Table 2, both ways, and its Figure 1.
        ("John is a father, he loves his child Mary.", "John", "he"),
        ("John is a father, he loves his child Mary.", "he", "John"),
        (
            "Wen Qiang was arrested, and prosecutors said his charges include bribery.",
            "his",
            "Wen Qiang",
        ),
        # Table 7: the first pronoun can mean no other; Dunne is not the John Gregory Dunne.
        (DUNNE, "Dunne", "his"),
        (DUNNE, "his", "Dunne"),
        ("Barack Obama thanked Mary Smith because she won.", "Mary Smith", "she"),
        ("In his speech, Barack Obama spoke of Chicago.", "Barack Obama", "his"),
        ("The doctor told John Smith and his wife Mary.", "John Smith", "his"),
        ("Anna Smith, who lives in Boston, won.", "Anna Smith", "who"),
        (
            "Barack Obama was born in Honolulu, and Obama studied in New York.",
            "Barack Obama",
            "Obama",
        ),
        ("The first president was Charles Bishop, who honoured his wife.", "Charles Bishop", "his"),
    ],
)
def test_a_person_is_named_again(nlp: Language, text: str, words: str, best: str) -> None:
    assert found(nlp, text, words, "PERSON")[0] == best


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Two men.
        ("Barack Obama praised Paul Smith because he won.", "Barack Obama"),
        # Somebody else may be meant.
        ("The doctor told John Smith that he was ill.", "John Smith"),
        ("He met Barack Obama before he left Chicago.", "Barack Obama"),
        ("After an injury to Brian Smith, he made the team.", "Brian Smith"),
        # Of another gender.
        ("Barack Obama thanked Mary Smith because she won.", "Barack Obama"),
        # An object beside its own antecedent.
        ("Anna Smith saw her in Boston.", "Anna Smith"),
        ("John Smith admires him.", "John Smith"),
        # Said of somebody else.
        ("Mary Smith was her pupil in Boston.", "Mary Smith"),
        ("Davey Johnstone joined the band as his replacement.", "Davey Johnstone"),
        # Whose clause it is.
        ("The son of John Smith, who lives in Boston, won.", "John Smith"),
        ("John Smith and Paul Jones, who live in Boston, won.", "Paul Jones"),
        # A namesake, a wife of the same name, part of another name.
        ("Davy Jones is played by the musician Davy Jones.", "Davy Jones"),
        ("William Gaskell is the husband of the novelist Mrs Gaskell.", "William Gaskell"),
        ("Barack Obama founded the Obama Foundation in Chicago.", "Barack Obama"),
        # In and out of quotation marks.
        ('John Smith wrote "he sleeps" on the wall.', "John Smith"),
    ],
)
def test_a_person_in_doubt_is_left_alone(nlp: Language, text: str, words: str) -> None:
    assert found(nlp, text, words, "PERSON") == []


def test_the_second_pronoun_of_table_7_is_left_alone(nlp: Language) -> None:
    start = DUNNE.index("his brother's wife")
    assert RULES.mentions(nlp(DUNNE), start, start + 3, "PERSON") == []


@pytest.mark.parametrize(
    ("text", "words", "kind", "best"),
    [
        ("Toyota opened its plant in Ohio.", "Toyota", "ORGANIZATION", "its"),
        ("Toyota said it would close the plant.", "Toyota", "ORGANIZATION", "it"),
        (
            "He attended Cumberland High School, which serves students of Ohio.",
            "Cumberland High School",
            "ORGANIZATION",
            "which",
        ),
        ("The users changed their settings.", "users", "", "their"),
        ("The fungus that causes infections grows.", "fungus", "", "that"),
        ("The musician who wrote an album left.", "musician", "", "who"),
    ],
)
def test_a_thing_is_named_again(nlp: Language, text: str, words: str, kind: str, best: str) -> None:
    assert found(nlp, text, words, kind)[0] == best


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("Toyota sold Subaru its plant.", "Toyota", "ORGANIZATION"),
        ("Toyota said it was likely that prices fall.", "Toyota", "ORGANIZATION"),
        ("The manager of Toyota praised its plant.", "Toyota", "ORGANIZATION"),
        ("The bridge was built over the Ohio River, which led to a decline.", "Ohio River", ""),
        ("He met the owner of Toyota, which is in Ohio.", "Toyota", "ORGANIZATION"),
        # Who is the man, not his voice or his nationality.
        ("William Shimell is an English baritone who sings in London.", "baritone", ""),
        ("William Shimell is a baritone who sings in London.", "baritone", "TITLE"),
        ("The French, who live in France, sing.", "French", "NATIONALITY"),
        ("The users gave the teams their settings.", "users", ""),
        ("The army said it in 1990.", "1990", "DATE"),
    ],
)
def test_a_thing_in_doubt_is_left_alone(nlp: Language, text: str, words: str, kind: str) -> None:
    assert found(nlp, text, words, kind) == []


@pytest.mark.parametrize(
    ("text", "words", "kind", "mentions"),
    [
        ("John Smith says he won in Oslo.", "John Smith", "PERSON", [("he", PRONOUN)]),
        ("John Smith says he won in Oslo.", "he", "PERSON", [("John Smith", NAME)]),
        ("Mary Smith, who lives in Oslo, won.", "Mary Smith", "PERSON", [("who", RELATIVE)]),
        ("The United Nations (UN) met in Oslo.", "United Nations", "ORGANIZATION",
         [("UN", ACRONYM)]),
        ("He left the United Nations (UN) in Oslo.", "UN", "ORGANIZATION",
         [("United Nations", NAME)]),
        ("Toyota sold its plant in Oslo.", "Toyota", "ORGANIZATION", [("its", PRONOUN)]),
    ],
)  # fmt: skip
def test_other_mentions(
    nlp: Language, text: str, words: str, kind: str, mentions: list[tuple[str, str]]
) -> None:
    assert kinds(nlp, text, words, kind) == mentions


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("John Smith met Peter Miller when he won.", "John Smith", "PERSON"),
        ("John Smith met Peter Miller when he won.", "he", "PERSON"),
        ("Anna is French, which is rare.", "French", "NATIONALITY"),
        ("He works as a lawyer who won.", "lawyer", ""),
        ("It was in 1990 that it rained.", "1990", "DATE"),
        ("Oslo is cold.", "slo", "CITY"),
    ],
)
def test_silence_where_unsure(nlp: Language, text: str, words: str, kind: str) -> None:
    assert kinds(nlp, text, words, kind) == []


def test_no_pronoun_stands_for_a_value() -> None:
    assert {"DATE", "NUMBER", "NATIONALITY", "TITLE"} <= NAMELESS
    assert not {"PERSON", "ORGANIZATION", "CITY"} & NAMELESS
