"""Opposites by adjective: contraries that hold in their places, and words that have none."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.adjectives.antonym_table import ANTONYMS
from mt_gate_suites.boolq.adjectives.slots import ANY


@pytest.mark.parametrize(
    ("adjective", "opposite"),
    [
        ("legal", "illegal"),
        ("illegal", "legal"),
        ("true", "false"),
        ("largest", "smallest"),
        ("bigger", "smaller"),
        ("dead", "alive"),
        ("first", "last"),
        ("even", "odd"),
        ("cheaper", "more expensive"),
        ("allowed", "forbidden"),
        ("true", "made-up"),
    ],
)
def test_contraries(adjective: str, opposite: str) -> None:
    assert opposite in {new for entry in ANTONYMS[adjective] for new in entry.new.split("/")}


@pytest.mark.parametrize(
    "adjective", ["milky", "green", "american", "different", "same", "second", "pregnant", "few"]
)
def test_what_has_no_sure_opposite_has_none(adjective: str) -> None:
    """Colours, origins and numbers have many others; ``same`` has rules of its own."""
    assert adjective not in ANTONYMS


def test_every_entry_has_a_place_and_is_no_word_of_its_own() -> None:
    for adjective, entries in ANTONYMS.items():
        assert adjective == adjective.lower()
        for entry in entries:
            assert adjective not in entry.new.split("/")
            assert entry.predicate or entry.nouns


def test_a_real_place_becomes_no_false_one() -> None:
    (place,) = [entry for entry in ANTONYMS["real"] if "place" in entry.nouns]
    assert place.new == "fictional"
    assert place.nouns is not ANY
