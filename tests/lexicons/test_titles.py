"""Titles: what each rule knows, in the forms that it compares."""

from __future__ import annotations

import pytest

from mt_gate.lexicons import titles
from mt_gate.lexicons.reading import rows

RULES = {"casing", "coreference", "entities", "shuffle", "shuffle-rank"}


def test_each_title_occurs_once_and_serves_a_rule_or_a_gender() -> None:
    table = rows("titles", "before-names", 4)
    assert len({title.lower() for title, *_ in table}) == len(table)
    assert {gender for _, gender, _, _ in table} == {"male", "female", ""}
    assert {stop for _, _, stop, _ in table} == {"stop", ""}
    assert {rule for *_, known in table for rule in known.split()} == RULES
    assert all(gender or known for _, gender, _, known in table)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_knows_its_titles(rule: str) -> None:
    known = titles.known_to(rule)
    assert known
    assert not any(title.endswith(".") for title in known)
    assert ("Mr" in known) == (rule in {"coreference", "entities", "shuffle"})


def test_an_abbreviation_has_a_stop_or_none_and_a_word_has_none() -> None:
    forms = titles.with_stops(frozenset({"Dr", "King"}))
    assert forms == {"Dr", "Dr.", "King"}
    assert titles.lower(forms) == {"dr", "dr.", "king"}


def test_titles_tell_a_gender_or_none() -> None:
    assert {"Mr", "Mr.", "King"} < titles.list_titles("male")
    assert {"Mrs", "Mrs.", "Queen"} < titles.list_titles("female")
    assert not titles.list_titles("male") & titles.list_titles("female")
    assert "President" not in titles.list_titles("male") | titles.list_titles("female")
