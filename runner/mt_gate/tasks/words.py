"""Splitting a text into words without a tokenizer, for word vocabularies and for repair.

Words follow the habits of English treebanks: punctuation and the possessive are separate words.
Hyphenated words, abbreviations and initials stay together. Checkpoints of task ner use the words of
their tokenizer instead.
"""

from __future__ import annotations

import re

from mt_gate.lexicons.reading import ordered

_ABBREVIATIONS = "|".join(ordered("tokens", "abbreviations"))

_WORD = re.compile(
    rf"""
      (?:[^\W\d_]\.){{2,}}                                  # U.S., J.R.R.
    | (?:{_ABBREVIATIONS})\.(?=\s|,|$)                      # Mr., Inc.
    | [^\W\d_]\.(?=\s+[^\W\d_a-z])                          # J. before a capital
    | ['’](?:s|S)\b                                         # the possessive
    | \w+(?:[-–&/@.·](?=\w)\w+|['’](?![sS]\b)\w+|,(?=\d)\d+)*   # techno-based, AT&T, O'Brien
    | \S                                                    # any other mark by itself
    """,
    re.VERBOSE,
)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the words' character spans, in order, half-open, never empty."""
    return [match.span() for match in _WORD.finditer(text)]
