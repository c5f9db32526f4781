"""Offices of countries, of which each has one, and nouns of which it has many."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import by_rules, sample
from mt_gate_suites.re.co_related.offices import (
    OF_COUNTRY,
    OF_NATIONALITY,
    preposition,
    with_article,
)

ANNA = "[Anna Weber|PERSON]"


def made(nlp: Language, text: str) -> list[str]:
    return by_rules(nlp, text, OF_COUNTRY, OF_NATIONALITY)


@pytest.mark.parametrize(
    ("text", "follow_ups"),
    [
        (f"{ANNA} met [France|COUNTRY]'s president.",
         [f"{ANNA} met the [French|NATIONALITY] president."]),
        (f"{ANNA} met the president of [France|COUNTRY].",
         [f"{ANNA} met the [French|NATIONALITY] president."]),
        (f"{ANNA} met the prime minister of the [Netherlands|COUNTRY].",
         [f"{ANNA} met the [Dutch|NATIONALITY] prime minister."]),
        (f"{ANNA} met the [French|NATIONALITY] president.",
         [f"{ANNA} met [France|COUNTRY]'s president.",
          f"{ANNA} met the president of [France|COUNTRY]."]),
        (f"{ANNA} met the [Dutch|NATIONALITY] government.",
         [f"{ANNA} met the government of the [Netherlands|COUNTRY]."]),
    ],
)  # fmt: skip
def test_one_office_in_two_ways(nlp: Language, text: str, follow_ups: list[str]) -> None:
    assert made(nlp, text) == follow_ups


@pytest.mark.parametrize(
    "text",
    [
        f"{ANNA} met [France|COUNTRY]'s actress.",
        f"{ANNA} met the actress of [France|COUNTRY].",
        f"{ANNA} met a [French|NATIONALITY] president.",
        f"{ANNA} met the [French|NATIONALITY] president of Gabon.",
        f"{ANNA} left the [French|NATIONALITY] government building.",
        f"{ANNA} met northern [France|COUNTRY]'s president.",
        f"{ANNA} left [France|COUNTRY].",
    ],
)
def test_what_is_no_one_office_stays(nlp: Language, text: str) -> None:
    assert made(nlp, text) == []


def test_countries_with_an_article() -> None:
    assert with_article("Netherlands") == "the Netherlands"
    assert with_article("France") == "France"


def test_the_preposition_before_a_country(nlp: Language) -> None:
    source = sample(nlp, f"{ANNA} is from the [Netherlands|COUNTRY].")
    span = source.doc.char_span(source.tail.start, source.tail.end)
    assert span is not None
    found = preposition(span, "from")
    assert found is not None
    assert found.text == "from"
    assert preposition(span, "of") is None
