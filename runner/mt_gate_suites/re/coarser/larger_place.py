"""Which state and which country the city or state of a phrase lies in.

A state or a country that stands right behind decides. A city alone is taken
for the best known of its name, where no other comes near it in size and the
sentence names no state that has another.
"""

from __future__ import annotations

import re

from mt_gate_suites.lexicons.places import (
    COUNTRY,
    STATE,
    GazetteerCity,
    country_name,
    country_of,
    country_of_region,
    folded,
    is_division_abroad,
    places,
    region_key,
    region_name,
)
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coarser.place_phrase import PlacePhrase
from mt_gate_suites.re.sample import Sample

_DOMINATES = 10
"""How many times as large a city must be as any other of its name."""
_KNOWN = 150_000
"""People of a city that is known without its state."""
_ALONE = 75_000
"""People of a city that is known without its state where no other has its name."""
_WORDS = word_set("re/coarser", "words-like-places")
_ABROAD = word_set("re/coarser", "well-known-abroad")
_UNCLEAR_STATES = word_set("us_states", "unclear") | {"Victoria", "Northern Territory"}
"""States whose name alone says another place, or hardly stands without its country."""


def targets(sample: Sample, phrase: PlacePhrase) -> list[tuple[str, str]]:
    """Return (kind, name) of the larger places that the phrase's argument surely lies in."""
    found = [
        (part.kind, sample.text[part.start : part.end])
        for part in phrase.parts[phrase.at + 1 :]
        if part.kind
    ]
    said = dict(reversed(found))
    own = phrase.parts[phrase.at]
    words = sample.text[own.start : own.end]
    if own.kind == STATE:
        return _country_target(said, country_of_region(words), "")
    if folded(words) == "la" and (phrase.at or not words.isupper()):
        return []  # Louisiana, as newspapers write it behind a city
    rest = sample.text[: phrase.start] + "|" + sample.text[phrase.end :]
    place = _place(words, said, rest)
    if place is None:
        return _country_target(said, country_of_region(said.get(STATE, "")), "")
    return [*_state_target(place), *_country_target(said, place.country, place.region)]


def _state_target(place: GazetteerCity) -> list[tuple[str, str]]:
    name = region_name(place)
    return [(STATE, name)] if name and name not in _UNCLEAR_STATES else []


def _country_target(said: dict[str, str], code: str, region: str) -> list[tuple[str, str]]:
    if COUNTRY in said:
        named = said[COUNTRY]
        if code and country_of(named) != code:
            return []
        code, region = country_of(named), ""
        if code == "GB" and folded(named) in {"england", "scotland", "wales", "northern ireland"}:
            return [(COUNTRY, named)]
    name = country_name(code, region)
    return [(COUNTRY, name)] if name else []


def _place(words: str, said: dict[str, str], rest: str) -> GazetteerCity | None:
    """Return the one city that is meant; None where it is unknown or more than one may be."""
    found = places(words)
    if COUNTRY in said:
        found = tuple(place for place in found if place.country == country_of(said[COUNTRY]))
    if STATE in said:
        found = _in_state(found, said[STATE])
    if not found:
        return None
    largest = found[0]
    if all(place[:2] == largest[:2] for place in found) and said:
        return largest
    return largest if _dominates(words, largest, found, rest) else None


def _in_state(found: tuple[GazetteerCity, ...], state: str) -> tuple[GazetteerCity, ...]:
    key = region_key(state)
    if key:
        return tuple(place for place in found if place[:2] == key)
    # A region without a code: the only one of its country that has such a city.
    inside = tuple(place for place in found if place.country == country_of_region(state))
    return inside if len({place.region for place in inside}) == 1 else ()


def _dominates(
    words: str, largest: GazetteerCity, found: tuple[GazetteerCity, ...], rest: str
) -> bool:
    if is_division_abroad(words, largest):
        return False
    others = [place for place in found if place[:2] != largest[:2]]
    if any(_is_named(region_name(place), rest) for place in others):
        return False
    american = any(place.country == "US" for place in others) and largest.country != "US"
    if american and folded(words) not in _ABROAD:
        return False
    sizes = [place.population for place in others]
    least = max(_KNOWN, max(sizes) * _DOMINATES) if sizes else _ALONE
    return largest.population >= least and folded(words) not in _WORDS


def _is_named(name: str, text: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
