"""Names and adjectives of countries, and regions of some, without a gazetteer."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.lexicons.reading import rows, word_set

_ADJECTIVES = rows("nations", "adjectives", 3)
_CONSTITUENTS = rows("nations", "constituents", 3)
_REGIONS = rows("places", "regions", 4)


_ONE_COUNTRY = ("adjective", "people", "other")


class Nation(NamedTuple):
    """A country: its ISO 3166 code (that of its state), and the adjective of its people."""

    name: str
    adjective: str
    code: str


CONSTITUENTS = {name: adjective for name, adjective, _ in _CONSTITUENTS}
"""Adjectives of the countries of the United Kingdom; nothing for Northern Ireland."""
CONSTITUENT_REGIONS = {region: name for name, _, region in _CONSTITUENTS}
"""The same countries by GeoNames' code of the region."""
WRITTEN = {code: word for word, code, kind in _ADJECTIVES if kind == "adjective"}
"""The adjective of a country, by its code: ``FR`` French."""
READ = {word: code for word, code, kind in _ADJECTIVES if kind in _ONE_COUNTRY}
"""Adjectives that mean one country, with its code."""
NATIONALITIES = frozenset({word for word, *_ in _ADJECTIVES} | {*CONSTITUENTS.values()} - {""})
"""Every word for a nationality, including those of two countries and of former countries."""

_PEOPLE = {code: word for word, code, kind in _ADJECTIVES if kind == "unclear"}
_PEOPLE |= WRITTEN | {code: word for word, code, kind in _ADJECTIVES if kind == "people"}


def _nations(wanted: str) -> tuple[Nation, ...]:
    return tuple(
        Nation(name, CONSTITUENTS.get(name) or _PEOPLE.get(code, name), code)
        for name, code, article in rows("nations", "exchanged", 3)
        if article == wanted
    )


PLAIN = _nations("")
"""Countries that take no article."""
WITH_ARTICLE = _nations("the")
"""Countries that stand after ``the``."""
SHORT = {"US": "US", "USA": "US", "U.S.": "US", "U.S.A.": "US", "UK": "GB", "U.K.": "GB"}
"""Other words for a country that also locate a place."""
CODES = {nation.name: nation.code for nation in PLAIN + WITH_ARTICLE} | SHORT
ADJECTIVES = {nation.adjective: nation.code for nation in PLAIN + WITH_ARTICLE}
"""Codes of the countries above, by their adjectives for people."""
COUNTRIES = frozenset({nation.name for nation in PLAIN + WITH_ARTICLE}) | word_set(
    "nations", "also-countries"
)
"""Names of countries as texts write them, without article."""
REGIONS = frozenset({name for *_, name in _REGIONS} | {*CONSTITUENTS})
"""States and provinces of some countries, and the countries of the United Kingdom."""
PROVINCES = frozenset(name for *_, kind, name in _REGIONS if kind == "province") - {"Quebec"}
"""Provinces of Canada; Quebec is just as often the city."""
