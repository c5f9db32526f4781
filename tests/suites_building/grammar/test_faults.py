"""Faults of a source's grammar, with sentences that readers refused, and good ones."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.grammar.faults import grammar_fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The film was released on November 24, 2010 in North America.", "date-comma"),
        ("Dr. Don Wright will join the school in March, 2008.", "date-comma"),
        ("It was originally released February 19, 2017, on HBO.", "date-preposition"),
        ("It premiered on TNT in August 13, 2012, after the finale.", "date-preposition"),
        ("The students began their education in Oslo with a 6 week course.", "hyphen"),
        ("The channel ordered a 22 episode season in Oslo.", "hyphen"),
        ("It is the third largest bank in Canada by deposits.", "hyphen"),
        ("Bill sells software & hardware in Oslo.", "ampersand"),
        ("Coney Island also has other attractions and hosts events as well.", "says-twice"),
        ("It was created by created by Amy Holden Jones.", "says-twice"),
        ("It is the one of busiest railway stations in India.", "lost-word"),
        ("The unit for acceleration is metre per second squared (ms).", "lost-superscript"),
        ("The team began the Season in Oslo.", "odd-capital"),
        ("It was also held in Durban, South Africa in 2016.", "place-comma"),
        ("Turkey was founded by Kemal Atatürk who led the army.", "relative-comma"),
    ],
)
def test_faults(nlp: Language, text: str, fault: str) -> None:
    assert grammar_fault(nlp(text)) == fault


@pytest.mark.parametrize(
    "text",
    [
        "The film was released on November 24, 2010, in North America.",
        "Dr. Don Wright joined the school in March 2008.",
        "The students began a six-week course in Oslo.",
        "It is the third-largest bank in Canada.",
        "It was acquired by Bed Bath & Beyond in 2007.",
        "Anna has lived in Oslo as well as in Bergen.",
        "It is one of the busiest railway stations in India.",
        "The Federal Reserve raised rates in the United States.",
        "The series is based upon the film Taxi written by Luc Besson.",
        "He prays at Christmas in London.",
        "It was also held in Durban, South Africa, in 2016.",
        "They sell wine in France, Italy and Spain.",
        "Kemal Atatürk, who led the army, founded Turkey.",
        "The man who led the army came from Ankara.",
    ],
)
def test_good_sentences(nlp: Language, text: str) -> None:
    assert grammar_fault(nlp(text)) is None
