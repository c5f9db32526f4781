"""Runs of places after a preposition, and places that stand in no such run."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.coarser.place_phrase import place_phrase

ANNA = "[Anna Weber|PERSON]"


@pytest.mark.parametrize(
    ("text", "parts", "at", "preposition"),
    [
        (f"{ANNA} was born in [Boston|CITY].", ["Boston"], 0, "in"),
        (f"{ANNA} was born in [Boston|CITY], Massachusetts.", ["Boston", "Massachusetts"], 0, "in"),
        (f"{ANNA} was born in Boston, [Massachusetts|STATE_OR_PROVINCE].",
         ["Boston", "Massachusetts"], 1, "in"),
        (f"{ANNA} was born in [Boston|CITY], Massachusetts, United States, in 1990.",
         ["Boston", "Massachusetts", "United States"], 0, "in"),
        (f"{ANNA} comes from [Paris|CITY].", ["Paris"], 0, "from"),
    ],
)  # fmt: skip
def test_runs(nlp: Language, text: str, parts: list[str], at: int, preposition: str) -> None:
    source = sample(nlp, text)
    phrase = place_phrase(source, source.tail)
    assert phrase is not None
    assert [source.text[part.start : part.end] for part in phrase.parts] == parts
    assert (phrase.at, phrase.preposition.text) == (at, preposition)
    assert source.text[phrase.start : phrase.end] == ", ".join(parts)


def test_the_comma_that_closes_a_run(nlp: Language) -> None:
    source = sample(nlp, f"{ANNA} was born in [Boston|CITY], Massachusetts, in 1990.")
    phrase = place_phrase(source, source.tail)
    assert phrase is not None
    assert phrase.comma is not None
    assert source.text[phrase.comma :] == ", in 1990."


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} left [Boston|CITY].",
        f"{ANNA} saw the [Boston|CITY] team.",
        f"[Boston|CITY] met {ANNA}.",
        f"{ANNA} was born in [Boston|CITY] and Paris.",
        f"{ANNA} was born in [Adelaide|CITY], Canberra.",
        f"{ANNA} was born in [Frankfurt|CITY] am Main.",
        f"{ANNA} sang A Tree Grows in [Brooklyn|CITY].",
        f"{ANNA} met them at [Boston|CITY].",
    ],
)
def test_what_is_no_run(nlp: Language, text: str) -> None:
    source = sample(nlp, text)
    argument = source.tail if source.tail.type == "CITY" else source.head
    assert place_phrase(source, argument) is None
