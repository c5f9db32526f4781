"""Names that stand for others, frequent and rare, counted over a corpus."""

from __future__ import annotations

import pytest

from mt_gate_suites.re.same_type.pools import FREQUENT, RARE, STRATA, Pools
from mt_gate_suites.re.same_type.sightings import Sightings

COUNTRIES = [("COUNTRY", name) for name in ("China", "India", "Canada") for _ in range(40)]
COUNTRIES += 2 * [("COUNTRY", name) for name in ("Malta", "Nepal", "Fiji")]
COUNTRIES += [("COUNTRY", "Kenya")]


def test_a_place_among_the_names_depends_on_the_key() -> None:
    pools = Pools.counted(COUNTRIES)
    one = list(pools.candidates("country", FREQUENT, "a"))
    assert sorted(one) == ["Canada", "China", "India"]
    assert one == list(pools.candidates("country", FREQUENT, "a"))
    starts = {next(pools.candidates("country", FREQUENT, str(key))) for key in range(40)}
    assert starts == set(one)


def test_what_one_sentence_alone_names_is_in_no_pool() -> None:
    pools = Pools.counted(COUNTRIES)
    assert not any("Kenya" in names for names in pools.names.values())


def test_the_invented_are_in_no_pool() -> None:
    names = ["Peter Rabbit", "Peter Weaver", "Peter Archer", "Peter Cooper"]
    rows = 2 * [("PERSON", name) for name in names]
    seen = Sightings({}, frozenset({"Peter Rabbit"}))
    pools = Pools.counted(rows, seen)
    assert pools.names["full name: man", RARE] == ("Peter Archer", "Peter Cooper", "Peter Weaver")
    assert "Rabbit" not in pools.surnames


def test_the_strata_share_no_name() -> None:
    pools = Pools.counted(COUNTRIES)
    frequent, rare = (set(pools.candidates("country", one, "k")) for one in STRATA)
    assert not frequent & rare
    assert rare == {"Malta", "Nepal", "Fiji"}


@pytest.mark.parametrize(
    "names",
    [
        [],
        [("COUNTRY", "Malta"), ("COUNTRY", "Fiji")],
        [("COUNTRY", "Gondor"), ("COUNTRY", "Mordor"), ("COUNTRY", "Rohan")],
        [("PERSON", name) for name in ("Tucana", "Conficker", "Kilauea")],
        [("PERSON", name) for name in ("Jupp Berger", "Jupp Miller", "Jupp Weaver")],
    ],
)
def test_what_gives_no_pool(names: list[tuple[str, str]]) -> None:
    """Too few, no names of their type, surnames without a full name, names of no gender."""
    pools = Pools.counted(names)
    assert pools.names == {}
    assert list(pools.candidates("country", RARE, "k")) == []


def test_surnames_are_those_of_full_names() -> None:
    pools = Pools.counted([("PERSON", "John Miller"), ("PERSON", "Mary Potter")])
    assert pools.surnames == {"Miller", "Potter"}
