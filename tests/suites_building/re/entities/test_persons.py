"""Persons: what the pipeline and the sentence's words both call one."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.re.entities.persons import is_person


def said(nlp: Language, text: str, name: str) -> bool:
    start = text.index(name)
    span = nlp(text).char_span(start, start + len(name), label="PERSON")
    assert span is not None
    return is_person(span)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("John Weaver left the room.", "John Weaver"),
        ("Barack Obama was born in Honolulu.", "Barack Obama"),
        ("He met the tenor Zuzu Bakerova in May.", "Zuzu Bakerova"),
        ("Erdi Önerova (born 4 July 1986) plays well.", "Erdi Önerova"),
        ("Zuzu Bakerova is a singer from Oslo.", "Zuzu Bakerova"),
    ],
)
def test_two_ways_agree(nlp: Language, text: str, name: str) -> None:
    assert said(nlp, text, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("They live in Don Mills with their sons.", "Don Mills"),
        ("Robin Hood is an upcoming film about a thief.", "Robin Hood"),
        ("Bill Haley & His Comets recorded it.", "Bill Haley & His Comets"),
        ("Zuzu Bakerova appeared in May.", "Zuzu Bakerova"),
        ("The John Weaver left the port.", "John Weaver"),
        ("It was released through Pamela Dorman Books in May.", "Pamela Dorman Books"),
        ("T.J. Maxx was founded in 1976.", "T.J. Maxx"),
        ("They beat the champion Seattle Seahawks in May.", "Seattle Seahawks"),
        ("This was followed by Peter Weaver, an American film of 1977.", "Peter Weaver"),
        ("Burgundy Plaza was sold in May.", "Burgundy Plaza"),
    ],
)
def test_one_way_is_not_enough(nlp: Language, text: str, name: str) -> None:
    assert not said(nlp, text, name)
