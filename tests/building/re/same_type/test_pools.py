"""Names that stand for others, frequent and rare, counted over a corpus."""

from __future__ import annotations

import pytest

from mt_gate.building.re.same_type.pools import FREQUENT, RARE, STRATA, Pools

COUNTRIES = [("COUNTRY", name) for name in ("China", "India", "Canada") for _ in range(40)]
COUNTRIES += [("COUNTRY", name) for name in ("Malta", "Nepal", "Fiji")]


def test_a_place_among_the_names_depends_on_the_key() -> None:
    pools = Pools.counted(COUNTRIES)
    one = list(pools.candidates("country", FREQUENT, "a"))
    assert sorted(one) == ["Canada", "China", "India"]
    assert one == list(pools.candidates("country", FREQUENT, "a"))
    starts = {next(pools.candidates("country", FREQUENT, str(key))) for key in range(40)}
    assert starts == set(one)


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
