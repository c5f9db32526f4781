"""Adjectives of countries: ``French`` for France.

``Korean``, ``Congolese``, ``Dominican`` and ``Guinean`` are omitted, because each means two
countries.
"""

from __future__ import annotations

from functools import cache

from mt_gate.lexicons.nations import CONSTITUENTS, READ, WRITTEN
from mt_gate_suites.lexicons.places import country_name, country_of, folded


def adjective_of(country: str) -> str:
    """Return the adjective of a country by any of its names; empty if unsure.

    >>> adjective_of("the Netherlands"), adjective_of("England"), adjective_of("Gondor")
    ('Dutch', 'English', '')
    """
    for name, adjective in CONSTITUENTS.items():
        if folded(country) == folded(name):
            return adjective
    return WRITTEN.get(country_of(country), "")


@cache
def _countries() -> dict[str, str]:
    names = {adjective: country_name(code) for adjective, code in READ.items()}
    return names | {adjective: name for name, adjective in CONSTITUENTS.items() if adjective}


def country_of_adjective(adjective: str) -> str:
    """Return the country of an adjective, by name without article; empty if unsure.

    >>> country_of_adjective("Dutch"), country_of_adjective("Korean")
    ('Netherlands', '')
    """
    return _countries().get(adjective, "")
