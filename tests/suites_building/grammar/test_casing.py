"""The old first word: kept, lowered, or left undecided."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.grammar.casing import FirstWord, first_word_case


@pytest.mark.parametrize(
    "text",
    [
        "Belarus shares a border with Russia.",
        "I met Ann in Oslo.",
        "NASA launched the probe.",
        "American soldiers landed in Normandy.",
        "January was cold in Oslo.",
        "New York is a city.",
        "Twitter was the obvious solution.",
    ],
)
def test_names_keep_their_capital(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.KEEP


@pytest.mark.parametrize(
    "text",
    [
        "Travellers have faced disruption.",
        "The film was released in May.",
        "The United States joined the war.",
        "The University of Oxford opened a museum.",
        "A British soldier was killed.",
        "He moved to Rome.",
        "Two officers were killed.",
        "Filming began in Rome.",
        "Actress Emma Stone won the award.",
        "Most Canadians speak English.",
    ],
)
def test_other_words_lose_it(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.LOWER


@pytest.mark.parametrize(
    "text",
    [
        "The Flash is an American television series.",
        "The Beatles played in Hamburg.",
        "This Is Us is a series on NBC.",
        "Breaking Bad is a drama series.",
        "Friends is an American series.",
        "Ethanol is made in Brazil.",
        "Director Sato left Rome.",
        "Western cuisines use anise.",
        "Shields retired from his position in 2001.",
        "Rent-A-Center is a chain in Texas.",
    ],
)
def test_doubtful_words_are_left_open(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.UNSURE
