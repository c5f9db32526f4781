"""The grammar of ``the same`` and ``different``."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.boolq.adjectives import same_different
from mt_gate_suites.boolq.adjectives.slots import Edit
from mt_gate_suites.grammar.edits import edited


def apply(text: str, edits: list[Edit] | None) -> str | None:
    return edited(text, edits).text if edits else None


def turned(nlp: Language, text: str) -> str | None:
    doc = nlp(f"{text}?")
    at = next(token.i for token in doc if token.lower_ in {"same", "different"})
    return apply(text, same_different.opposed(doc, at))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("is an oz and a fl oz the same", "is an oz and a fl oz different"),
        ("is propane the same as lpg gas", "is propane different from lpg gas"),
        ("is net income same as net earnings", "is net income different from net earnings"),
        ("is wordpad the same thing as word", "is wordpad a different thing from word"),
        ("is a pickle and a gherkin the same thing", "are a pickle and a gherkin different things"),
        ("is riddle and voldemort the same person", "are riddle and voldemort different people"),
        ("are leeks in the same family as onions", "are leeks in a different family from onions"),
        (
            "are spain and italy in the same time zone",
            "are spain and italy in different time zones",
        ),
        ("is the law the same in every state", "is the law different in every state"),
        ("is a cat different from a dog", "is a cat the same as a dog"),
        ("are cats and dogs different species", "are cats and dogs the same species"),
        ("are the iliad and it two different books", "are the iliad and it the same book"),
    ],
)
def test_same_and_different_change_places(nlp: Language, text: str, wanted: str) -> None:
    assert turned(nlp, text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "is a cup exactly the same as a mug",
        "is a cup almost the same as a mug",
        "is a cup not the same as a mug",
        "is a cup any different from a mug",
        "is a cup very different from a mug",
        "is the age the same as in canada",
        "is the age the same as it was",
        "is the age the same as before",
        "were greece and rome around at the same time",
        "is the same cast in the film",
        "is it the same cup every year",
        "do spain and italy have the same flag",
        "is what you see the same as what you get",
        "is it possible to have twins with different fathers",
        "is the king the same",
    ],
)
def test_other_places_are_left_alone(nlp: Language, text: str) -> None:
    assert turned(nlp, text) is None
