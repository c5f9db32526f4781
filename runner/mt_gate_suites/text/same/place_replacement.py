"""Replaces a city with another in the same country.

The text must name only one city, and nothing that could contradict another city.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate.lexicons import us_states
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import mapping, word_set
from mt_gate_suites.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_COUNTRY = dict(mapping("text/exchanges", "cities"))
_CITIES = re.compile(rf"\b(?:{'|'.join(map(re.escape, _COUNTRY))})\b", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|to|from|near|around|for|into|visit|visiting)\s+$", re.IGNORECASE)
_ENDS = re.compile(
    r"^(?: (?:today|tonight|tomorrow|now|soon|this \w+|next \w+|on \w+day))?[.?!]*\s*$"
)
_TIED = word_set("text/exchanges", "tied-to-a-place")
_STATES = frozenset(f" {name.lower()}" for name in us_states.STATES)
_NAMES = {name.lower(): name for name in _COUNTRY}


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with its only city replaced; empty for other texts."""
    cities = list(_CITIES.finditer(text))
    if len(text) > MAX_TEXT or len(cities) != 1:
        return []
    start, end = cities[0].span()
    old = _NAMES.get(text[start:end].lower(), "")
    cased = old == text[start:end] or text.islower()
    if not old or not cased or not is_free(start, end, protected_spans(text)):
        return []
    if not _IN.search(text[:start]) or not _ENDS.search(text[end:]) or _ties(text, start):
        return []
    pool = [name for name, country in _COUNTRY.items() if country == _COUNTRY[old] and name != old]
    new = rng.choice(pool)
    return [edited(text, [(start, end, new.lower() if text.islower() else new)])]


def _ties(text: str, start: int) -> bool:
    words = re.findall(r"[a-z]+", text[:start].lower())
    named = re.findall(r"(?<!^)(?<![.!?]\s)\b(?!I\b)[A-Z]\w*", text[:start])
    states = any(state in text.lower() for state in _STATES)
    return states or bool(named) or not _TIED.isdisjoint(words)


RELATION = TextRelation(
    name="place-replacement",
    title="City replacement",
    description="Replaces a city with another in the same country. The prediction must not change.",
    paper="Ribeiro et al., ACL 2020 (CheckList), change locations",
    before="What is the weather in Chicago?",
    after="What is the weather in Denver?",
    transformation=OfText(transform),
)
