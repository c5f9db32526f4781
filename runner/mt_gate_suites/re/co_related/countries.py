"""Countries and nationalities of people and groups: ``US actress``, ``actress from France``.

before   [US] (COUNTRY) actress Patricia Neal died.
after    [American] (NATIONALITY) actress Patricia Neal died.
"""

from __future__ import annotations

import re

from mt_gate_suites.lexicons.demonyms import adjective_of
from mt_gate_suites.lexicons.places import CITY, COUNTRY, STATE, country_names, country_of
from mt_gate_suites.re.co_related import (
    before_names,
    letters,
    offices,
    origins,
    predicates,
    superlatives,
)
from mt_gate_suites.re.sample import HEAD, EditedSample, Sample

_PLACES = frozenset({CITY, STATE, COUNTRY, "LOCATION", "FACILITY"})
_KINDS = (letters, origins, offices, superlatives, predicates)
_OF_COUNTRY = tuple(rule for kind in _KINDS for rule in kind.OF_COUNTRY)
_OF_NATIONALITY = tuple(rule for kind in (*_KINDS, before_names) for rule in kind.OF_NATIONALITY)


def changes(sample: Sample, name: str) -> list[EditedSample]:
    """Return the sample with a country said as a nationality, or the other way round.

    Nothing where the other argument is a place: it is in America, not in ``American``.
    """
    argument = sample.argument(name)
    other = sample.tail if name == HEAD else sample.head
    span = sample.doc.char_span(argument.start, argument.end)
    if span is None or argument.type not in {COUNTRY, "NATIONALITY"} or other.type in _PLACES:
        return []
    rules = _OF_COUNTRY if argument.type == COUNTRY else _OF_NATIONALITY
    made = (rule(sample, name, span) for rule in rules)
    return [change for change in made if change is not None and not _is_said_twice(change, name)]


def _is_said_twice(change: EditedSample, name: str) -> bool:
    """Whether another word names the same country: a singer from Spain, and once more Spain."""
    argument = change.head if name == HEAD else change.tail
    words = change.text[argument.start : argument.end]
    rest = change.text[: argument.start] + "|" + change.text[argument.end :]
    code = country_of(words)
    said = {words, *(country_names(code) if code else ()), adjective_of(words)} - {""}
    return any(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", rest) for one in said)
