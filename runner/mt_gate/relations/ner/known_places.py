"""What a place is known to be: a country, a state, a city and of which country."""

from __future__ import annotations

import re
from functools import cache

from mt_gate.lexicons import nations, us_states
from mt_gate.lexicons.reading import mapping, rows

_CITIES = mapping("ner/cities", "cities")
_REGIONS = {name: code for code, _, _, name in rows("places", "regions", 4)}
_LISTED = mapping("places", "countries")
_COUNTRIES: dict[str, str] = {
    **{name: name for name in nations.COUNTRIES},
    **_LISTED,
    **nations.CODES,
}
_UNCLEAR = {*us_states.STATES} - {*us_states.CLEAR}


def rank_of(name: str, told: frozenset[str]) -> str:
    """Return what a place is, "" where unknown.

    A country or city of which the text tells more than the name ranks by its country
    as well: what is said of Canadian cities must stay with cities of Canada.

    Args:
        name: without article.
        told: the codes of countries that the text tells of (``countries_told``).
    """
    if name in nations.NATIONALITIES:
        return "nationality"
    if name in _UNCLEAR:
        return ""
    if name in nations.CONSTITUENTS:
        return "constituent"
    if name in us_states.CLEAR:
        return "US state"
    if name in _REGIONS:
        return f"region of {_REGIONS[name]}"
    if name in _COUNTRIES:
        return "country"
    country = _CITIES.get(name)
    if country is None:
        return ""
    return f"city of {country}" if country in told else "city"


def after_a_nationality(before: str) -> bool:
    """Tell "the British country singer [Anna]": words without capitals after an adjective."""
    words = before.split()
    while words and words[-1].islower():
        words.pop()
    return bool(words) and words[-1] in nations.NATIONALITIES


def country_of(name: str) -> str:
    """Return a country's code, "" of anything else."""
    return _COUNTRIES.get(name, "")


def peoples_told(text: str) -> frozenset[str]:
    """Return the codes of the countries of which a text has adjectives."""
    found = frozenset(_pattern().findall(text)) & nations.READ.keys()
    return frozenset(nations.READ[word] for word in found)


def countries_told(text: str) -> frozenset[str]:
    """Return the codes of the countries that a text names, by name or by adjective."""
    return frozenset(_words()[word] for word in _pattern().findall(text))


@cache
def _words() -> dict[str, str]:
    states = dict.fromkeys(us_states.STATES, "US")
    return {**_REGIONS, **states, **_COUNTRIES, **nations.READ}


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
