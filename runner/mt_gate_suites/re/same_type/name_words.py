"""Words that tell what kind of thing a name names: organisations, places, teams, titles.

A group of words is a class: names of one class stand for each other.
"""

from __future__ import annotations

from mt_gate_suites.lexicons.reading import mapping, word_set

ENDS = mapping("re/name_classes", "last-words")
"""Last words of names, and their class."""

STARTS = mapping("re/name_classes", "first-words")
"""First words of names, and their class."""

KNOWN = mapping("re/name_classes", "known")
"""Names of one class that no word tells."""

NICKNAMES = mapping("re/name_classes", "team-nicknames")
"""Nicknames of North American teams, which follow the name of a place."""

NICKNAME_PLACES = word_set("re/same_type", "team-places")

ARTICLE = frozenset(
    {"university of", "newspaper", "party", "association", "society"}
    | {"foundation", "orchestra", "museum", "river", "nfl", "nba", "mlb", "nhl"}
)
"""Classes whose names stand after ``the``."""

EITHER_ARTICLE = frozenset({"bridge", "theatre", "hospital", "stadium", "company by that word"})
"""Classes that keep the article that they are found with, or none."""

GENERIC = word_set("re/same_type", "generic")

PARTISAN = word_set("re/same_type", "partisan")

TITLES = mapping("re/name_classes", "titles")
"""What a person is by calling; of one field."""

PEOPLE = word_set("re/same_type", "people")

OF_SUBJECTS = word_set("re/same_type", "of-subjects")
"""People before whom a nationality may be the tongue that they teach or study."""

BODIES = word_set("re/same_type", "bodies")

NO_SURNAME = word_set("re/same_type", "no-surname")
