"""Find the parts of a text that no edit of any relation may touch.

In an address, a mention, a placeholder or a line of code, every character matters. Quotations
are another person's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mt_gate_suites.lexicons.reading import word_set

MAX_TEXT = 20_000
"""Maximum number of characters of a text to edit; longer texts are not edited."""

_PROTECTED = re.compile(
    r"""`[^`]*`                                          # code
    |https?://\S+|www\.\S+|\b\w[\w-]*\.(?:com|org|net|io|edu|gov|co\.uk)\b\S*   # addresses
    |[^\s@]+@[^\s@]+                                     # e-mail
    |[@\#]\w+                                            # mentions, tags
    |\[[^\]\s]*\]|\{[^}]*\}|<[^>]*>                      # placeholders, markup
    |"[^"]*"|“[^”]*”|«[^»]*»|(?<!\w)['‘][^'’]*['’](?!\w) # quotations
    |\S*(?:[_\\/~|=+*&^%$<>]|::|->)\S*                   # paths, identifiers, formulas
    |\b(?:[^\W\d_]+\d|\d+[^\W\d_])\w*                    # letters among digits
    |\b[^\W\d_]*[^\W\d_A-Z][A-Z]\w*                      # camelCase
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+")
_GLUE = "'’-–@#.&/"
_PROTECTED_WORDS = word_set("text/surface", "kept")


class Word(NamedTuple):
    """A separate run of letters, and its character span."""

    start: int
    end: int
    text: str


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Return the character spans that no edit may touch, in order."""
    return [match.span() for match in _PROTECTED.finditer(text)]


def is_free(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a character span overlaps none of ``spans``."""
    return not any(start < until and since < end for since, until in spans)


def plain_words(text: str, spans: Sequence[tuple[int, int]] | None = None) -> list[Word]:
    """Return the words of a text that may be edited at all.

    Protected parts, words with an apostrophe or a hyphen, and negations are omitted: a
    typo in a negation may reverse the meaning of a text.
    """
    if len(text) > MAX_TEXT:
        return []
    spans = protected_spans(text) if spans is None else spans
    words = (Word(match.start(), match.end(), match.group()) for match in _WORD.finditer(text))
    return [word for word in words if _may_change(text, word) and is_free(*word[:2], spans)]


def _may_change(text: str, word: Word) -> bool:
    before, after = text[word.start - 1 : word.start], text[word.end : word.end + 2]
    glued = before and (before in _GLUE or before.isalnum() or before == "_")
    glued = glued or (after[:1] in _GLUE and after[1:].isalnum()) or after[:1] == "_"
    return not glued and not after[:1].isdigit() and word.text.lower() not in _PROTECTED_WORDS
