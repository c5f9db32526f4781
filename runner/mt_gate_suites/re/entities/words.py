"""Words that tell what kind of thing a name is: word lists, written down for precision."""

from __future__ import annotations

from mt_gate.lexicons import titles
from mt_gate_suites.lexicons.reading import word_set

RELIGIONS = word_set("religions", "exchanged") | word_set("religions", "others")

IDEOLOGIES = word_set("re/entities", "ideologies")

LANGUAGES = word_set("languages", "exchanged") | word_set("languages", "others")
LANGUAGE_NOUNS = frozenset({"language", "languages", "translation", "subtitles", "alphabet"})

ORGANISATION_WORDS = word_set("re/entities", "organisation-words")

ORGANISATIONS = word_set("re/entities", "organisations")

FACILITY_WORDS = word_set("re/entities", "facility-words")
FACILITY_OPENERS = frozenset({"Fort"})

LOCATION_WORDS = word_set("re/entities", "location-words")
LOCATION_OPENERS = frozenset({"Lake", "Mount", "River", "Cape", "Gulf"})
LOCATIONS = word_set("re/entities", "locations")

WORKS = word_set("re/entities", "works")
"""Nouns for works, and for those who make them."""

EVENT_WORDS = word_set("re/entities", "event-words")

ALSO_GIVEN = word_set("re/entities", "also-given")
"""Names of cities that persons bear as often."""

PARTICLES = word_set("re/entities", "particles")
JOINERS = word_set("re/entities", "joiners")
HONORIFICS = titles.with_stops(titles.known_to("entities"))
GENERATIONS = word_set("re/entities", "generations")

NO_ORGANISATIONS = word_set("re/entities", "no-organisations")
