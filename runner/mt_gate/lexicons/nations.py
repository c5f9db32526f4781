"""Names and adjectives of countries, and regions of some, without a gazetteer."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.lexicons.reading import rows, word_set

_ADJECTIVES = rows("nations", "adjectives", 3)
_CONSTITUENTS = rows("nations", "constituents", 3)
_REGIONS = rows("places", "regions", 4)


_ONE_COUNTRY = ("adjective", "people", "other")


class Nation(NamedTuple):
    """A country, the adjective for its people, and the ISO 3166 code of its state."""

    name: str
    adjective: str
    code: str


CONSTITUENTS = {name: adjective for name, adjective, _ in _CONSTITUENTS}
"""Adjectives of the countries of the United Kingdom; empty for Northern Ireland."""
CONSTITUENT_REGIONS = {region: name for name, _, region in _CONSTITUENTS}
"""Countries of the United Kingdom, by GeoNames' code of the region."""
WRITTEN = {code: word for word, code, kind in _ADJECTIVES if kind == "adjective"}
"""Adjectives of countries by code: ``FR`` French."""
READ = {word: code for word, code, kind in _ADJECTIVES if kind in _ONE_COUNTRY}
"""Codes of countries, by words that mean one country only."""
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
"""Countries without an article."""
WITH_ARTICLE = _nations("the")
"""Countries with the article ``the``."""
SHORT = {"US": "US", "USA": "US", "U.S.": "US", "U.S.A.": "US", "UK": "GB", "U.K.": "GB"}
"""Codes by abbreviations of countries."""
CODES = {nation.name: nation.code for nation in PLAIN + WITH_ARTICLE} | SHORT
ADJECTIVES = {nation.adjective: nation.code for nation in PLAIN + WITH_ARTICLE}
"""Codes of these countries, by the adjectives for their people."""
COUNTRIES = frozenset({nation.name for nation in PLAIN + WITH_ARTICLE}) | word_set(
    "nations", "also-countries"
)
"""Names of countries as in texts, without article."""
REGIONS = frozenset({name for *_, name in _REGIONS} | {*CONSTITUENTS})
"""States and provinces of some countries, and the countries of the United Kingdom."""
PROVINCES = frozenset(name for *_, kind, name in _REGIONS if kind == "province") - {"Quebec"}
"""Provinces of Canada; Quebec is just as often the city."""
