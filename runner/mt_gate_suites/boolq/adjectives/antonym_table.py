"""Adjectives and what a yes to them rules out, by the place that they stand in.

MR1-1 of the reading-comprehension paper (ESEC/FSE 2021), section 4.1, wants the
answer inverted. WordNet's antonyms do not all do that (dead and live, common and
individual), and many hold in one sense only: a real place may not be fictional,
a real number has no opposite. So the pairs are written down.
"""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.boolq.adjectives.slots import (
    ANY,
    LEXICON,
    NONE,
    ROW,
    AdjectiveEntry,
    entry,
    table,
)
from mt_gate_suites.lexicons.reading import mapping, rows

_COMPARED = frozenset({"than", "?", "in", "at"})
_FOREMOST = frozenset({"?", "in", "on", "at", "by"})


def _entries() -> Iterator[tuple[str, AdjectiveEntry]]:
    other = {
        old: frozenset(words.split()) for old, words in mapping(LEXICON, "other-senses").items()
    }
    for old, new in rows(LEXICON, "opposites-both-ways", 2):
        yield old, AdjectiveEntry(new, ANY, unless=other.get(old, NONE))
        if new != "mandatory":  # has its own opposite
            yield new, AdjectiveEntry(old, ANY)
    for old, new in rows(LEXICON, "opposites-one-way", 2):
        yield old, AdjectiveEntry(new, ANY, unless=other.get(old, NONE))
    for more, less, most, least in rows(LEXICON, "degrees", 4):
        yield more, AdjectiveEntry(less, _COMPARED, unless=other.get(more, NONE))
        yield most, AdjectiveEntry(least, _FOREMOST, ANY)
    for old, *cells in rows(LEXICON, "opposites", 5):
        yield old, entry(*cells)


WITH_PREPOSITION = {
    (old, before): f"{new} {after}"
    for old, before, new, after in rows(LEXICON, "opposites-with-preposition", 4)
}
"""What an adjective and its preposition give way to: ``connected to``, ``separate from``."""
ANTONYMS = table(_entries())
"""By adjective; the first entry that fits counts."""
SUPERLATIVES = frozenset(word for row in rows(LEXICON, "degrees", 4) for word in row[2:])
ONE_OF_A_ROW = ROW | SUPERLATIVES | {"oldest", "youngest"}
"""Adjectives that only one thing can bear: they need ``the``."""
