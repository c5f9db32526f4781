"""Questions that lack words or agreement are no sources; well-formed ones are."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.faults import question_fault


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        # The verb agrees with its subject.
        ("is jam and jelly different", "agreement"),
        ("is a pickle and a gherkin the same thing", "agreement"),
        ("is actin and myosin present in muscles", "agreement"),
        ("is the bank and the shop owned by the same company", "agreement"),
        ("does the dogs have fur at night", "agreement"),
        ("are the cup made of glass", "agreement"),
        # The verb's form fits what opens the question.
        ("did prince wrote a song for her", "verb"),
        ("does a clarinet contains a reed", "verb"),
        ("is the red panda is related to the bear", "verb"),
        ("has any team came back from that", "verb"),
        # Articles.
        ("is there such thing as a black card", "article"),
        ("is there a such thing as blue corn", "article"),
        ("can a irrational number be real", "article"),
        ("is jupiter largest planet of all", "article"),
        ("is pearl barley same as groats", "article"),
        ("is the hunchback based on real story", "article"),
        ("is england a country in uk", "article"),
        ("is it a the window seat on a plane", "article"),
        # A place wants its preposition.
        ("is it illegal to ride a bike without a helmet california", "preposition"),
        # Spelling, and words of chats.
        ("is there a differance in taste", "spelling"),
        ("can u be late for school", "spelling"),
        # No question, or two.
        ("the red violin is it a true story", "no-question"),
        ("karachi is the largest city", "no-question"),
        ("is a bird an animal yes or no", "alternatives"),
    ],
)
def test_faults(nlp: Language, wordnet: WordNet, question: str, fault: str) -> None:
    assert question_fault(read(nlp, question, "It is so in California."), wordnet) == fault


@pytest.mark.parametrize(
    "question",
    [
        "are jam and jelly the same",
        "is there a bridge between denmark and sweden",
        "is a platypus a mammal",
        "is it legal to own a handgun in england",
        "does a clarinet contain a reed",
        "did the dog die in the end",
        "has any team come back from that",
        "has there ever been a white tiger",
        "can a rational number be real",
        "is physics a science",
        "do the police carry guns",
        "are people born with it",
        "is the largest planet made of gas",
        "is the person who is ill paid",
        "do you have to pay an honest man",
        "is there such a thing as a black card",
        "was the film made in the uk",
        "is it legal to drink in public in scotland",
        "did portugal beat france",
    ],
)
def test_good_questions_stay(nlp: Language, wordnet: WordNet, question: str) -> None:
    assert question_fault(read(nlp, question), wordnet) is None


def test_names_are_as_the_passage_writes_them(nlp: Language, wordnet: WordNet) -> None:
    passage = "Penny and Dime opened. In Daredevil, Zyxgor and Penny and Dime are shown."
    for question in ("is penny and dime a song", "did zyxgor die in daredevil"):
        assert question_fault(read(nlp, question, passage, "Penny and Dime"), wordnet) is None
