"""Words that tell whether a phrase belongs to the whole question or to a word in it."""

from __future__ import annotations

from mt_gate.lexicons import calendar, us_states
from mt_gate_suites.lexicons.reading import word_set

OPENERS = frozenset({"in", "at", "on"})
SUBORDINATORS = frozenset({"when", "if"})

BE = frozenset("is are was were".split())
HAVE = frozenset("has have".split())
MODALS = word_set("grammar", "modals") - {"shall"}
AUXILIARIES = BE | HAVE | MODALS | frozenset("do does did".split())

SUBJECT_PRONOUNS = word_set("boolq/adverbials", "subject-pronouns")
BACKWARD = word_set("boolq/adverbials", "backward")
WEATHER = word_set("boolq/adverbials", "weather")

PLACES = (
    word_set("boolq/adverbials", "places")
    | {name.lower() for name in us_states.STATES}
    | us_states.LOWER_CODES
)
LEAGUES = word_set("boolq/adverbials", "leagues")
GAMES = word_set("boolq/adverbials", "games")
INSTITUTIONS = LEAGUES | word_set("boolq/adverbials", "institutions")
FICTION = word_set("boolq/adverbials", "fiction")
TIMES = calendar.LOWER | word_set("boolq/adverbials", "times")
SITUATIONS = word_set("boolq/adverbials", "situations")
PLATFORMS = word_set("boolq/adverbials", "platforms")

WITH_ARTICLE = word_set("boolq/adverbials", "with-article")
IDIOMS = word_set("boolq/adverbials", "idioms")
IDIOMS_THE = frozenset("making works pipeline wild way time".split())
"""Those that do so with an article as well."""
WIDE = word_set("boolq/adverbials", "wide")
PHRASE_ENDS = word_set("boolq/adverbials", "phrase-ends")
FIXED_PLACES = frozenset({"world", "whole", "entire", "universe", "land", "history"})
"""``In the world`` limits a superlative or says nothing: it is never moved."""

PRIZES = frozenset("championship cup final finals medal medals title trophy".split())
"""What is won in a game by its name: ``the world cup in soccer``."""
COMPLEMENT_NOUNS = word_set("boolq/adverbials", "complement-nouns")
PLACING = word_set("boolq/adverbials", "placing")
PLACING_OBJECTS = word_set("boolq/adverbials", "placing-objects")
FREE_VERBS = word_set("boolq/adverbials", "free-verbs")
FREE_PHRASES = frozenset(tuple(p.split()) for p in word_set("boolq/adverbials", "free-phrases"))
STORY_VERBS = word_set("boolq/adverbials", "story-verbs")
KEEPING_HOURS = frozenset({"run", "operate", "open", "close", "deliver"})
LOOSE_OBJECTS = word_set("boolq/adverbials", "loose-objects")
LEGAL = word_set("boolq/adverbials", "legal")
STATES = word_set("boolq/adverbials", "states")
OPEN = frozenset({"open", "closed"})
IN_PLAY = frozenset({"dead", "live", "offside", "out"})
STATUSES = word_set("boolq/adverbials", "statuses")
RELATIVE = word_set("boolq/adverbials", "relative")
ASKING = word_set("boolq/adverbials", "asking")
LIMITING = word_set("boolq/adverbials", "limiting")
DEGREES = frozenset({"JJR", "JJS", "RBR", "RBS"})
NUMBERED = frozenset("book part chapter volume episode film movie".split())
"""Parts of a work, which have numbers in it."""
NOT_THERE = frozenset("between to going with season seasons part".split())
"""Words that say of what there is something, and take the phrase as their own."""
UNIVERSAL = frozenset({"every", "each", "most"})
