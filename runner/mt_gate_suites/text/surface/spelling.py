"""Words spelt otherwise, within a budget of edits: what the relations of the surface share."""

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
"""Words of a text that are spelt otherwise."""
WORDS_EACH = 8
"""Words of a text for each that is: a text of fewer has one."""


class Spelling(NamedTuple):
    """Letters of a word that others take the place of: ``word[start:end]`` becomes ``new``."""

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
"""Returns how a word is spelt otherwise; nothing if it cannot be."""


def budget(words: int, most: int = MOST) -> int:
    """Return how many words may be edited in a text that has so many.

    >>> [budget(words) for words in (1, 7, 8, 100)]
    [1, 1, 2, 2]
    """
    return min(most, 1 + words // WORDS_EACH)


def is_disguised(text: str) -> bool:
    """Whether a text has words that are misspelled on purpose.

    Whoever disguises another word of it makes something harder to read than either is.
    """
    return _DISGUISED.search(unicodedata.normalize("NFC", text)) is not None


def content_words(text: str) -> list[Word]:
    """Return the words of a text that may be edited and say what it is about.

    A text that is disguised has none.
    """
    if is_disguised(text):
        return []
    return [word for word in plain_words(text) if word.text.lower() not in _GRAMMAR]


def respelt(
    text: str, rng: Random, spell: Spell, *, letters: int = 4, most: int = MOST
) -> list[Rewrite]:
    """Return the text with some of its words spelt otherwise; nothing if none can be.

    Args:
        text: of any kind.
        rng: chooses words and letters.
        spell: how one word is spelt otherwise.
        letters: of words that are short of so many nothing is changed.
        most: words to change at most.
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
    """Return the transformation that spells some words of a text otherwise."""
    return OfText(lambda text, rng: respelt(text, rng, spell, most=most))
