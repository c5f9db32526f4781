"""Pronouns that may mean one of two people, and names that are no people's."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import marked, sample
from mt_gate.building.re.coreferent.coreferent import changes


@pytest.mark.parametrize(
    "text",
    [
        # Irons said so, whatever a parser takes the word for.
        "After a band meeting with [manager|TITLE] [Lindy Goetz|PERSON], Irons subsequently left "
        "the group, saying that he did not want to be part of a band.",
        # He and him are one who is not named.
        "By the time he decides to quit his job, though, [Erin|PERSON] feels kinder towards him "
        "and leaves for [Boston|CITY].",
        # A film.
        "For his next appearances, the drama The Departed ([2006|DATE]) and the drama "
        "[J. Edgar|PERSON] (2011), he garnered nominations.",
        "He starred in the film [Annie Hall|PERSON], and he lived in [Boston|CITY].",
        # No person: it is said to be a station.
        "[Don Mills|PERSON] is a subway station, and his name was given by [Toronto|CITY].",
    ],
)
def test_nothing_where_another_may_be_meant(nlp: Language, text: str) -> None:
    assert changes(sample(nlp, text)) == []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "After a band meeting in [Boston|CITY], [Lindy Goetz|PERSON] said that he was done.",
            "After a band meeting in [Boston|CITY], Lindy Goetz said that [he|PERSON] was done.",
        ),
        (
            "When he left [Boston|CITY], [Lindy Goetz|PERSON] was happy.",
            "When [he|PERSON] left [Boston|CITY], Lindy Goetz was happy.",
        ),
        (
            "The film was made by [Lindy Goetz|PERSON], who lives in [Boston|CITY].",
            "The film was made by Lindy Goetz, [who|PERSON] lives in [Boston|CITY].",
        ),
    ],
)
def test_the_one_who_is_meant(nlp: Language, text: str, made: str) -> None:
    assert made in [marked(change) for change in changes(sample(nlp, text))]
