"""A relation for mt-gate: capitals and an exclamation mark do not change the label."""

from __future__ import annotations

import re
from random import Random

Edit = tuple[int, int, str]


def shouting(text: str, rng: Random) -> list[list[Edit]]:
    """Put one of the longer words in capitals, and an exclamation mark after the text."""
    words = list(re.finditer(r"[a-z]{4,}", text))
    if not words or text.endswith("!"):
        return []
    word = rng.choice(words)
    end = len(text.rstrip(".?! "))
    if word.end() > end:
        return []
    return [[(word.start(), word.end(), word.group().upper()), (end, len(text), "!")]]
