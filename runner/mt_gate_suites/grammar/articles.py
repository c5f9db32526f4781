"""``a`` or ``an`` before a word, by how the word begins to be spoken."""

from __future__ import annotations

import re
from typing import Literal

_SILENT_H = re.compile(r"(?:honest|honou?r|hour|heir)", re.I)
_SPOKEN_AS_CONSONANT = re.compile(
    r"(?:eu|ewe|u(?:n(?:i(?!n|m)|a(?=nim))|[bkrst][aeiou](?!tt)|til|fo|kr|gan)|one|once|oui)", re.I
)


def article_for(word: str) -> Literal["a", "an"] | None:
    """Return the indefinite article before a word; None for what is spelt out or unclear.

    >>> article_for("obvious"), article_for("university"), article_for("NBA")
    ('an', 'a', None)
    """
    if not word.replace("-", "").isalpha() or (word.isupper() and len(word) > 1):
        return None
    if _SILENT_H.match(word):
        return "an"
    if _SPOKEN_AS_CONSONANT.match(word):
        return "a"
    return "an" if word[0].lower() in "aeiou" else "a"
