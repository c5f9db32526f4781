"""What kind of place a name means, and where cities lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate_suites.lexicons import places
from mt_gate_suites.lexicons.places import COUNTRY, STATE, GazetteerCity, kind_of


@pytest.mark.parametrize(("kind", "names"), table(__file__, "kind_of_a_name"))
def test_kind_of_a_name(kind: str, names: str) -> None:
    assert {name: kind_of(name) for name in names.split("|")} == dict.fromkeys(
        names.split("|"), kind
    )


@pytest.mark.parametrize(
    "name",
    "Georgia|New York|Washington|Luxembourg|Singapore|Victoria|Hong Kong|Puerto Rico|Essex|Europe"
    "|us|republic|Republic|Hollywood|Bali|Gondor|Jupp|| |,|, Ohio|Jupp, Ohio|Boston, 1990".split(
        "|"
    ),
)
def test_what_is_ambiguous_or_no_place_has_no_kind(name: str) -> None:
    assert kind_of(name) == ""


@given(st.text(max_size=40))
def test_any_text_has_a_kind_or_none(name: str) -> None:
    assert kind_of(name) in {"", "CITY", STATE, COUNTRY}


def test_cities_of_a_name_come_largest_first() -> None:
    actual = places.places("Paris")
    assert actual[0].country == "FR"
    assert [place.population for place in actual] == sorted(
        (place.population for place in actual), reverse=True
    )
    assert places.places("Gondor") == ()


@pytest.mark.parametrize(("code", "region", "name"), table(__file__, "states_by_their_codes"))
def test_states_by_their_codes(code: str, region: str, name: str) -> None:
    assert places.region_name(GazetteerCity(code, region, 1)) == name


@pytest.mark.parametrize(
    ("name", "code"),
    [("Ohio", "US"), ("Calif.", "US"), ("Alberta", "CA"), ("Punjab", ""), ("Gondor", "")],
)
def test_country_of_a_state(name: str, code: str) -> None:
    assert places.country_of_region(name) == code


def test_every_state_that_cities_give_is_a_state() -> None:
    names = set(places._region_names().values()) - {"New York", "Washington", "Georgia"}
    assert {name: kind_of(name) for name in names - {"Victoria"}} == dict.fromkeys(
        names - {"Victoria"}, STATE
    )
