"""What stands in a phrase: plain noun phrases move, idioms and halves of names do not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adverbials.objects import object_fault
from mt_gate_suites.boolq.adverbials.phrases import last_phrase


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("can you turn left in canada", None),
        ("is gambling legal in the state of texas", None),
        ("can you win with a pair in poker", None),
        ("can you buy beer on sunday", None),
        ("is the bridge in use", "idiom"),
        ("is it good in general", "idiom"),
        ("is a sequel in the making", "idiom"),
        ("is it the best in the world", "fixed"),
        ("can you buy beer on sunday now", "fixed"),
        ("can you buy beer in every state", "quantified"),
        ("can you buy beer in most countries", "quantified"),
        ("can you buy beer in it", "pronoun"),
        ("can you buy beer in their shops", "pronoun"),
        ("can you buy beer in shops from ohio", "second-phrase"),
        ("can you sleep in my car south carolina", "two-places"),
        ("do you need a tv license in uk", "article"),
        ("does a tie count in nfl", "article"),
        ("can i have dual citizenship in us and spain", "article"),
        ("do you need a tv license in the uk", None),
        ("is there a scene in ifinity war", "misspelt"),
    ],
)
def test_objects(nlp: Language, question: str, fault: str | None) -> None:
    asked = read(nlp, question)
    phrase = last_phrase(asked)
    assert phrase is not None
    assert object_fault(asked, phrase) == fault


def test_a_phrase_that_the_passage_has_in_a_name_stays(nlp: Language) -> None:
    question = "is there a hotel in texas"
    asked = read(nlp, question, "Texas has many.")
    named = read(nlp, question, "The play is called Her Hotel in Texas.")
    moving, staying = last_phrase(asked), last_phrase(named)
    assert moving is not None
    assert object_fault(asked, moving) is None
    assert staying is None or object_fault(named, staying) == "name"
