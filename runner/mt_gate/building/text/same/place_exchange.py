"""A city gives way to another of its country.

Source: Ribeiro et al., ACL 2020 (CheckList), change locations.
    source     What is the weather in Chicago?
    follow-up  What is the weather in Denver?

Only where one city is named, and nothing else that could contradict it.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate.building.text.transformation import OfText
from mt_gate.lexicons.reading import mapping

_COUNTRY = dict(mapping("text/exchanges", "cities"))
_CITIES = re.compile(rf"\b(?:{'|'.join(map(re.escape, _COUNTRY))})\b", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|to|from|near|around|at|for|into|visit|visiting)\s+$", re.IGNORECASE)
_GOES_ON = re.compile(r"^(?:['’-]|,?\s+[A-Z]|,\s*\w+\s*$|\s+(?:and|or|to)\b)")
_NAMES = {name.lower(): name for name in _COUNTRY}


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with its one city exchanged."""
    found = list(_CITIES.finditer(text))
    if len(text) > MAX_TEXT or len(found) != 1:
        return []
    start, end = found[0].span()
    old = _NAMES.get(text[start:end].lower(), "")
    cased = old == text[start:end] or text.islower()
    if not old or not cased or not is_free(start, end, protected_spans(text)):
        return []
    if not _IN.search(text[:start]) or _GOES_ON.search(text[end:]) or _other_names(text, start):
        return []
    pool = [name for name, country in _COUNTRY.items() if country == _COUNTRY[old] and name != old]
    new = rng.choice(pool)
    return [edited(text, [(start, end, new.lower() if text.islower() else new)])]


def _other_names(text: str, start: int) -> bool:
    """Whether a capital stands within a sentence, beside the city's own and ``I``."""
    return any(
        match.start() not in (0, start) and match.group() != "I"
        for match in re.finditer(r"(?<![.!?]\s)\b[A-Z][\w'’]*", text)
        if not (match.group()[0] == "I" and match.group()[1:2] in ("'", "’"))
        and not start < match.start() < start + 20
    )


TRANSFORMATION = OfText(transform)
