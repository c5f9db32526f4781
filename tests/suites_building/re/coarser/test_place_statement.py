"""What is said of a place and holds of a larger one, and what need not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.coarser.place_phrase import place_phrase
from mt_gate_suites.re.coarser.place_statement import carries_up

ANNA = "[Anna Weber|PERSON]"
STATE, COUNTRY = "STATE_OR_PROVINCE", "COUNTRY"


def carries(nlp: Language, text: str, target: str) -> bool:
    source = sample(nlp, text)
    phrase = place_phrase(source, source.tail)
    assert phrase is not None, text
    return carries_up(source, phrase, target)


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} was born in [Boston|CITY].",
        f"{ANNA} died in [Boston|CITY] in 1990.",
        f"{ANNA} is a singer from [Boston|CITY].",
        f"{ANNA} lived in [Boston|CITY] with Boris.",
        f"{ANNA} emigrated from [Boston|CITY].",
    ],
)
@pytest.mark.parametrize("target", [STATE, COUNTRY])
def test_what_holds_of_a_larger_place(nlp: Language, text: str, target: str) -> None:
    assert carries(nlp, text, target)


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} led the oldest band from [Boston|CITY].",
        f"{ANNA} is the only singer from [Boston|CITY].",
        f"{ANNA} joined the academy in [Boston|CITY].",
        f"{ANNA} moved to [Boston|CITY].",
        f"{ANNA} never lived in [Boston|CITY].",
        f"{ANNA} sold it mostly in [Boston|CITY].",
        f"{ANNA} broke a law in [Boston|CITY].",
        f"{ANNA} ended a campaign for peace in [Boston|CITY].",
    ],
)
@pytest.mark.parametrize("target", [STATE, COUNTRY])
def test_what_need_not(nlp: Language, text: str, target: str) -> None:
    assert not carries(nlp, text, target)


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} was born in [Boston|CITY] in 1720.",
        f"{ANNA} then lived in [Boston|CITY].",
        f"{ANNA} came to [Boston|CITY].",
        f"{ANNA} spent her early years in [Boston|CITY].",
    ],
)
def test_what_holds_of_no_country(nlp: Language, text: str) -> None:
    assert not carries(nlp, text, COUNTRY)
