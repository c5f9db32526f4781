"""Which places of a text name the same person or thing.

``RULES`` answers where grammar and agreement leave one reading, and is silent
elsewhere; ``opened`` adds coreferee's chains where a pipeline has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from spacy.tokens import Doc

PRONOUN, RELATIVE, NAME, ACRONYM, CHAIN = "pronoun", "relative", "name", "acronym", "chain"
"""Kinds of mention; ``CHAIN`` is what a coreference model says."""


class CoreferentMention(NamedTuple):
    """A place that names the entity asked for.

    Args:
        start: in characters of the text; ``end`` is exclusive.
        end: see ``start``.
        score: in (0, 1], how sure it is.
        kind: one of the kinds above.
    """

    start: int
    end: int
    score: float
    kind: str


class Coreference(Protocol):
    """What finds other mentions."""

    def mentions(self, doc: Doc, start: int, end: int, kind: str = "") -> list[CoreferentMention]:
        """Return the other mentions of what a span names, best first; none where unsure.

        Args:
            doc: parsed text.
            start: of the span, in characters; ``end`` is exclusive.
            end: see ``start``.
            kind: the span's type, one of ``tasks.relation_extraction.TYPES``, where known.
        """
        ...


def ranked(found: Iterable[CoreferentMention], start: int) -> list[CoreferentMention]:
    """Return mentions best first, the nearest to ``start`` first among equals, each place once."""
    order = sorted(found, key=lambda one: (-one.score, abs(one.start - start), one.start))
    taken: list[CoreferentMention] = []
    for one in order:
        if all(one.end <= other.start or other.end <= one.start for other in taken):
            taken.append(one)
    return taken
