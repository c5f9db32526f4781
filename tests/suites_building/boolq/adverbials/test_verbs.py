"""Main verbs of questions, and whether they leave a phrase to the whole of it."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adverbials.phrases import last_phrase
from mt_gate_suites.boolq.adverbials.verbs import is_height, main_verb, verb_fits


@pytest.mark.parametrize(
    ("question", "verb", "fits"),
    [
        ("can you carry a gun in montana", "carry", True),
        ("do you have to wear a helmet in california", "wear", True),
        ("can you gamble in texas", "gamble", True),
        ("does harry die in the movie", "die", True),
        ("can you live at 7000 feet", "live", False),
        ("did he live in texas", "live", False),
        ("did he put the money in the bank", "put", False),
        ("can you sleep with a hat on your head", "sleep", False),
        ("can he be elected in texas", "elected", True),
    ],
)
def test_verbs_that_need_no_place(nlp: Language, question: str, verb: str, fits: bool) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    found = main_verb(asked, phrase.rest)
    assert found is not None
    assert (found.text, verb_fits(found, phrase)) == (verb, fits)


@pytest.mark.parametrize("question", ["is gambling legal in texas", "is there a sea in texas"])
def test_no_verb_beside_be(nlp: Language, question: str) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    assert main_verb(asked, phrase.rest) is None


@pytest.mark.parametrize(
    ("question", "height"),
    [
        ("can you breathe at 7000 feet", True),
        ("can you retire at 52 years", True),
        ("can you eat at noon", False),
        ("can you ski on 2 feet", False),
    ],
)
def test_heights_and_ages(nlp: Language, question: str, height: bool) -> None:
    phrase = last_phrase(read(nlp, question))
    assert phrase is not None
    assert is_height(phrase) == height
