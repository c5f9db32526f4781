"""Synonyms by adjective and place."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.adjectives.slots import ANY
from mt_gate_suites.boolq.adjectives.synonym_table import SYNONYMS


@pytest.mark.parametrize(
    ("adjective", "synonym"),
    [
        ("legal", "lawful"),
        ("biggest", "largest"),
        ("tight", "close-fitting"),
        ("true", "real"),
        ("alive", "living"),
        ("fatal", "deadly"),
    ],
)
def test_words_that_mean_the_same(adjective: str, synonym: str) -> None:
    assert synonym in {new for entry in SYNONYMS[adjective] for new in entry.new.split("/")}


def test_tight_clothes_are_close_fitting_and_a_tight_budget_is_not() -> None:
    (entry,) = SYNONYMS["tight"]
    assert entry.nouns is not ANY
    assert "hat" in entry.nouns
    assert not {"budget", "end", "schedule"} & entry.nouns


@pytest.mark.parametrize("adjective", ["white", "american", "second", "left", "prime", "pregnant"])
def test_what_tells_kinds_apart_has_no_synonym(adjective: str) -> None:
    assert adjective not in SYNONYMS


def test_every_entry_has_a_place_and_is_no_word_of_its_own() -> None:
    for adjective, entries in SYNONYMS.items():
        assert adjective == adjective.lower()
        for entry in entries:
            assert adjective not in entry.new.split("/")
            assert entry.predicate or entry.nouns
