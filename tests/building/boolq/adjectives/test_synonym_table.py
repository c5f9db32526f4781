"""Synonyms by adjective and place, and adjectives that tell kinds apart and have none."""

from __future__ import annotations

import pytest

from mt_gate.building.boolq.adjectives.slots import ANY
from mt_gate.building.boolq.adjectives.synonym_table import SYNONYMS, WITHOUT_SYNONYM


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
    assert synonym in {entry.new for entry in SYNONYMS[adjective]}


def test_tight_clothes_are_close_fitting_and_a_tight_budget_is_not() -> None:
    (entry,) = SYNONYMS["tight"]
    assert entry.nouns is not ANY
    assert "hat" in entry.nouns
    assert not {"budget", "end", "schedule"} & entry.nouns


def test_what_tells_kinds_apart_has_no_synonym() -> None:
    assert {"white", "american", "second", "left", "prime"} <= WITHOUT_SYNONYM
    assert not {"legal", "true", "tight"} & WITHOUT_SYNONYM


def test_every_entry_has_a_place_and_is_no_word_of_its_own() -> None:
    for adjective, entries in SYNONYMS.items():
        assert adjective == adjective.lower()
        for entry in entries:
            assert entry.new != adjective
            assert entry.predicate or entry.nouns
