"""Read the lexicons of suite building and of ``mt_gate``."""

from __future__ import annotations

import re
from pathlib import Path

from mt_gate.lexicons import reading

DATA = Path(__file__).parent / "data"

_LEXICONS = reading.Lexicons((DATA, reading.DATA))
word_set = _LEXICONS.word_set
ordered = _LEXICONS.ordered
rows = _LEXICONS.rows
mapping = _LEXICONS.mapping


def any_of(lexicon: str, section: str) -> str:
    """Return a pattern of the entries of a list, in which ``*`` means any letters: mayor*."""
    longest_first = sorted(ordered(lexicon, section), key=len, reverse=True)
    entries = (re.escape(entry).replace(r"\*", r"\w*") for entry in longest_first)
    return f"(?:{'|'.join(entries)})"


def word_pattern(lexicon: str, section: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that finds the entries of a list as whole words."""
    return re.compile(rf"\b{any_of(lexicon, section)}\b", flags)
