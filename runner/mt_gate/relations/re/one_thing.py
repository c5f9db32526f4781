"""Whether two mentions of a sentence may name one thing, told by their letters alone."""

from __future__ import annotations

import re

from mt_gate.tasks.relation_extraction import Argument

_GLOSS = re.compile(
    r"""\s*(?:['"”,]\s*)?(?:\(\s*['"“]?|(?:or|named|called|known as|formerly|born|née|also)\s+"""
    r"""['"“]?|\(?(?:also )?(?:known as|called)\s+['"“]?)"""
)
"""What stands between a name and another that explains it: ``NBA (``, ``born``."""


def may_be_one(text: str, one: Argument, other: Argument) -> bool:
    """Whether one overlaps the other, is part of its name, its letters, or explains it.

    >>> text = "The United Nations (UN) met Anna Berg; Berg spoke."
    >>> [may_be_one(text, Argument(4, 18), Argument(20, 22)),
    ...  may_be_one(text, Argument(28, 37), Argument(39, 43)),
    ...  may_be_one(text, Argument(4, 18), Argument(28, 37))]
    [True, True, False]
    """
    first, second = sorted((one, other))
    if second.start < first.end:
        return True
    between = text[first.end : second.start]
    if _GLOSS.fullmatch(between):
        return True
    words = [_words(text[mention.start : mention.end]) for mention in (one, other)]
    shorter, longer = sorted(words, key=len)
    return set(shorter) <= set(longer) or _initials(longer) == "".join(shorter)


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", re.sub(r"['’]s\b|\.", "", name).casefold())


def _initials(words: list[str]) -> str:
    """Return the initials of a name, without those of its small words."""
    return "".join(word[0] for word in words if word not in {"of", "the", "and", "for", "in", "de"})
