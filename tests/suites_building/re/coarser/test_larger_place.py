"""States and countries that a place surely lies in, and places that may be another."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.coarser.larger_place import targets
from mt_gate_suites.re.coarser.place_phrase import place_phrase

ANNA = "[Anna Weber|PERSON]"
STATE, COUNTRY = "STATE_OR_PROVINCE", "COUNTRY"


def larger(nlp: Language, text: str) -> list[tuple[str, str]]:
    source = sample(nlp, text)
    phrase = place_phrase(source, source.tail)
    assert phrase is not None
    return targets(source, phrase)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (f"{ANNA} was born in [Boston|CITY].",
         [(STATE, "Massachusetts"), (COUNTRY, "United States")]),
        (f"{ANNA} was born in [Paris|CITY].", [(COUNTRY, "France")]),
        (f"{ANNA} was born in [Springfield|CITY], Illinois.",
         [(STATE, "Illinois"), (COUNTRY, "United States")]),
        (f"{ANNA} was born in [Ohio|STATE_OR_PROVINCE].", [(COUNTRY, "United States")]),
        (f"{ANNA} was born in [Munich|CITY].", [(STATE, "Bavaria"), (COUNTRY, "Germany")]),
    ],
)  # fmt: skip
def test_what_a_place_lies_in(nlp: Language, text: str, places: list[tuple[str, str]]) -> None:
    assert larger(nlp, text) == places


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} was born in [Springfield|CITY].",
        f"{ANNA} was born in [Naples|CITY].",
        f"{ANNA} was born in [Reading|CITY].",
        f"{ANNA} was born in [Gondor|CITY].",
    ],
)
def test_what_may_lie_in_several_has_none(nlp: Language, text: str) -> None:
    assert larger(nlp, text) == []


def test_a_state_of_the_sentence_that_has_another_city_of_the_name(nlp: Language) -> None:
    text = f"{ANNA} of Oregon was born in [Portland|CITY]."
    assert larger(nlp, text) == larger(nlp, text.replace("Oregon", "Norway"))
    assert larger(nlp, text.replace("Oregon", "Maine")) == []
