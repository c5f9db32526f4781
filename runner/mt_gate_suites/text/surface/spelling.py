"""Misspell words of a text within a budget of edits, for the surface relations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import rows, word_set
from mt_gate_suites.text.protected import Word, plain_words
from mt_gate_suites.text.transformation import OfText

MOST = 2
"""Maximum number of words of a text that are misspelled."""
WORDS_EACH = 8
"""One more word may be edited for every so many words of a text; a shorter text has one."""


class Spelling(NamedTuple):
    """Letters of a word, and what replaces them: ``word[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


_OF_SPELLING = word_set("text/surface", "of-spelling")
INVISIBLE = tuple(chr(int(code, 16)) for code, _ in rows("text/surface", "invisible", 2))
_DISGUISED = re.compile(
    rf"""[A-Za-z][\u0300-\u036f]               # a mark that makes no letter
    |[{"".join(INVISIBLE)}]
    |[^\W\d_][*$]+[^\W\d_]|[^\W\d_]\*\*   # f*ck, f***
    |\b[a-z]+\d+[a-z]+                    # h4te
    |(?:\b[^\W\d_]\s){{3}}                   # h a t e
    """,
    re.VERBOSE,
)
_GRAMMAR = word_set("text/surface", "grammar-words")


Spell = Callable[[str, Random], Sequence[Spelling]]
"""Returns the changes that misspell a word; empty if there are none."""


def budget(words: int, most: int = MOST) -> int:
    """Return how many words may be edited in a text of ``words`` words.

    >>> [budget(words) for words in (1, 7, 8, 100)]
    [1, 1, 2, 2]
    """
    return min(most, 1 + words // WORDS_EACH)


def is_disguised(text: str) -> bool:
    """Whether a text has words that are misspelled on purpose.

    Disguising a further word would make it harder to read than either change alone.
    """
    return _DISGUISED.search(unicodedata.normalize("NFC", text)) is not None


def content_words(text: str) -> list[Word]:
    """Return the words of a text that may be edited and say what it is about.

    The list is empty for a disguised text.
    """
    if is_disguised(text):
        return []
    return [word for word in plain_words(text) if word.text.lower() not in _GRAMMAR]


def respelt(
    text: str, rng: Random, spell: Spell, *, letters: int = 4, most: int = MOST
) -> list[Rewrite]:
    """Return the text with some of its words misspelled; empty if that is impossible.

    Args:
        text: any text.
        rng: chooses words and letters.
        spell: misspells one word.
        letters: words with fewer letters are left as they are.
        most: maximum words to change.
    """
    if not _OF_SPELLING.isdisjoint(text.lower().split()):
        return []
    words = [word for word in content_words(text) if len(word.text) >= letters]
    room = budget(len(text.split()), most)
    edits: list[tuple[int, int, str]] = []
    taken: list[Word] = []
    for word in rng.sample(words, len(words)):
        if len(taken) == room:
            break
        spellings = spell(word.text, rng)
        if spellings:
            taken.append(word)
            edits += [(word.start + one.start, word.start + one.end, one.new) for one in spellings]
    return [edited(text, sorted(edits))] if edits else []


def spelling(spell: Spell, *, most: int = MOST) -> OfText:
    """Return the transformation that misspells some words of a text."""
    return OfText(lambda text, rng: respelt(text, rng, spell, most=most))
