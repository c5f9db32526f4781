"""Read the lexicons of suite building and of ``mt_gate``."""

from __future__ import annotations

from pathlib import Path

from mt_gate.lexicons import reading

DATA = Path(__file__).parent / "data"

_LEXICONS = reading.Lexicons((DATA, reading.DATA))
word_set = _LEXICONS.word_set
ordered = _LEXICONS.ordered
rows = _LEXICONS.rows
mapping = _LEXICONS.mapping
