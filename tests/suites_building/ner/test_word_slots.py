from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.ner.word_slots import word_slots


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


def words(nlp: Language, wordnet: WordNet, text: str) -> list[str]:
    return [slot.slot.filler for slot in word_slots(nlp(text), wordnet)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Anna purchased a house in Oslo.", ["purchased"]),
        ("The company was founded by Anna Weber in Berlin.", ["founded"]),
        ("Boris rented a beautiful house near Oslo.", ["rented", "beautiful"]),
        ("Oslo is the largest city of Norway.", ["largest"]),
        ("The film portrays the story of a famous singer from Vienna.", ["portrays", "famous"]),
        ("The road near Oslo was dangerous.", ["dangerous"]),
    ],
)
def test_verbs_and_adjectives(
    nlp: Language, wordnet: WordNet, text: str, wanted: list[str]
) -> None:
    assert words(nlp, wordnet, text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Anna is in Oslo.",  # be
        "Anna has a house in Oslo.",  # have
        "Anna has been to Oslo.",  # auxiliaries
        "The film stars Anna Weber and John Miller.",  # says what a name is
        "He is called Boris Weber in Berlin.",
        "Anna did not purchase it in Oslo.",  # negation
        "Anna never purchased it in Oslo.",
        "Anna lacked it in Oslo.",
        "The first, second and third were in Oslo.",  # numbers
        "Several others were in Oslo.",
        'Anna wrote "the sad and lonely house" in Oslo.'.replace("wrote", "was in"),  # quoted
        "Anna (a famous singer) was in Oslo.",
        "Anna took part in it in Oslo.",  # fixed terms
        "It takes place in Oslo.",
        "Anna was in high school in Oslo.",
        "Anna gave up in Oslo.",  # particle
        "It is a well-known, oft-quoted one in Oslo.",  # hyphens
        "It is in the late John Miller's Berlin.",  # a name follows
        "It was at First National Bank in Oslo.",  # in a name
        "The Norwegian and the French were in Oslo.",
    ],
)
def test_what_must_not_change(nlp: Language, wordnet: WordNet, text: str) -> None:
    assert words(nlp, wordnet, text) == []
