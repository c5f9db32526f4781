"""The words that tell what stands beside a name, and what a name is."""

from __future__ import annotations

import re

from mt_gate.lexicons import calendar, nations, titles, us_states
from mt_gate.lexicons.reading import mapping, ordered, word_set

PERSONS = frozenset({"PER", "PERSON"})
"""Labels of persons, in capitals."""
LOCATIONS = frozenset({"LOC", "GPE", "LOCATION"})
FUNCTION = word_set("ner/place_words", "function-words")
PAST = word_set("ner/place_words", "past")
COUNTING = word_set("ner/place_words", "counting")
TITLES = titles.lower(titles.known_to("shuffle")) | word_set("ner/place_words", "name-openers")
SEX = re.compile(
    r"(?:grand|god|step|half-|ex-)?(?:father|mother|brother|sister|son|daughter|husband|wife)s?"
    r"(?:-in-law)?|(?:.*s|chair|police|fire|noble|gentle|fisher)?(?:wo)?m[ae]n"
    r"|(?:boy|girl)(?:friend)?|(?:ac|wai|mis|sculp)tress|(?:duch|princ|count|godd|host|heir|emp)r?ess|uncle|aunt|nephew"
    r"|niece|kings?|queens?|princes?|duke|widow|widower|bride|groom|lord|lady|actor|hero|heroine"
    r"|wizard|witch|waiter|pope|nun|monk|dad|mom|mum|fianc[eé]e?"
)
"""Nouns that tell the sex of who is named next, or before a comma."""
RANKS = titles.known_to("shuffle-rank")
KINDS = word_set("ner/place_words", "kinds")
PARTS = word_set("ner/place_words", "parts")
AFTER_A_SHOP = word_set("ner/place_words", "after-a-shop")
CALENDAR = calendar.LOWER
LINKS = word_set("ner/place_words", "links")
PARTICLES = word_set("ner/place_words", "particles")
DIRECTIONS = word_set("ner/place_words", "directions")
PLURALS = ordered("ner/place_words", "plurals")
UNTELLING = word_set("ner/place_words", "untelling")
SUFFIXES = word_set("ner/place_words", "suffixes")
SINGULAR = ("States", "Netherlands", "Philippines", "Bahamas", "Maldives", "Times", "News")
"""How names end that have an s and are one."""
CONTINENTS = word_set("ner/place_words", "continents")
REGIONS = frozenset(us_states.STATES) | nations.COUNTRIES | nations.REGIONS
"""What a town is said to be in: "Austin, Texas, and Rome" is no list of three."""
LANDSCAPES = mapping("ner/place_words", "landscapes")
"""Nouns at either end of a name that tell its kind of place."""
ORGANISATIONS = mapping("ner/place_words", "organisations")
"""Nouns at the end of a name that tell its kind of organisation."""
BEFORE_PLACES = word_set("ner/place_words", "before-places")
HARM = word_set("ner/place_words", "harm")
ONE_NAME = word_set("ner/place_words", "one-name")
"""What a joined pair stands for that is one place."""
