"""Countries, their adjectives and their states: one answer each."""

from __future__ import annotations

import pytest

from cases import table
from mt_gate.lexicons import nations, us_states
from mt_gate.lexicons.reading import rows
from mt_gate_suites.lexicons.demonyms import adjective_of, country_of_adjective
from mt_gate_suites.lexicons.places import country_of


@pytest.mark.parametrize(("country", "adjective"), table(__file__, "a_country_has_its_adjective"))
def test_a_country_has_its_adjective(country: str, adjective: str) -> None:
    assert adjective_of(country) == adjective


@pytest.mark.parametrize(("adjective", "country"), table(__file__, "an_adjective_has_its_country"))
def test_an_adjective_has_its_country(adjective: str, country: str) -> None:
    assert country_of_adjective(adjective) == country


def test_people_are_called_as_people() -> None:
    by_name = {nation.name: nation.adjective for nation in nations.PLAIN + nations.WITH_ARTICLE}
    assert by_name["Philippines"] == "Filipino"
    assert by_name["Scotland"] == "Scottish"
    assert by_name["New Zealand"] == "New Zealand"
    assert "Soviet" in nations.NATIONALITIES
    assert "" not in nations.NATIONALITIES


def test_each_adjective_occurs_once_and_a_country_has_one() -> None:
    table = rows("nations", "adjectives", 3)
    assert len({word for word, _, _ in table}) == len(table)
    written = [code for _, code, kind in table if kind == "adjective"]
    assert len({*written}) == len(written)
    assert {kind for *_, kind in table} == {"adjective", "people", "other", "unclear", "person"}


def test_countries_have_the_codes_of_the_gazetteer() -> None:
    unclear = {"Macedonia", "Singapore"}
    for nation in nations.PLAIN + nations.WITH_ARTICLE:
        assert country_of(nation.name) == ("" if nation.name in unclear else nation.code)


def test_fifty_states_have_a_code_and_some_are_unclear() -> None:
    assert len({*us_states.STATES.values()}) == len(us_states.STATES) == 50
    assert us_states.STATES.keys() - us_states.CLEAR.keys() == {"Georgia", "New York", "Washington"}
    assert us_states.PRESS["Calif"] == "CA"
    assert "ny" in us_states.LOWER_CODES
    assert not us_states.LOWER_CODES & {"in", "me", "or", "ok"}


def test_regions_are_those_within_countries() -> None:
    assert {"Ontario", "Bavaria", "Northern Ireland"} < nations.REGIONS
    assert "Quebec" not in nations.PROVINCES
    assert "Yukon" not in nations.PROVINCES
    assert "Ontario" in nations.PROVINCES
