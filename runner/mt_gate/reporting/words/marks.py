"""Where a sentence was edited and what was predicted in it, as marked segments.

Offsets are Python string indices; they come from files that anyone may have
written, so a span that does not lie in its text is listed separately, never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from mt_gate.base.redaction import shorten
from mt_gate.domain import Block, Entity

KEPT, EDITED, MOVED = "", "edited", "moved"
_MANY_BLOCKS = 200
"""Beyond this, moved blocks are not searched for: the search is quadratic."""
_MANY_ENTITIES = 500
"""Of one sentence; a report shows no more, whatever an output holds."""
_LONGEST_LABEL = 40
_SPACE = re.compile(r"\s+")


class Piece(NamedTuple):
    """A run of text with one kind of edit: kept, edited or moved."""

    text: str
    kind: str


class Segment(NamedTuple):
    """Text in one entity, or between entities (``label`` is None).

    ``sign`` says, next to another answer to the same text, that this one alone has the entity.
    """

    pieces: tuple[Piece, ...]
    label: str | None = None
    unmatched: bool = False
    sign: str = ""

    @property
    def text(self) -> str:
        """The segment's text without marks."""
        return "".join(piece.text for piece in self.pieces)


class Marked(NamedTuple):
    """A sentence cut into segments, and the entities that could not be placed."""

    segments: tuple[Segment, ...]
    unplaced: tuple[Entity, ...] = ()


def entities(listed: Any) -> tuple[Entity, ...]:
    """Return the entities of an output's list, leaving out what is not one."""
    found = []
    for item in listed if isinstance(listed, list | tuple) else ():
        match item:
            case [int(start), int(end), str(label)]:
                found.append(Entity(start, end, label))
    return tuple(found)


def moved(alignment: Sequence[Block]) -> frozenset[Block]:
    """Return the blocks out of order: all but a heaviest ascending chain."""
    blocks = sorted(alignment)
    in_order = all(a.follow_up <= b.follow_up for a, b in pairwise(blocks))
    if in_order or len(blocks) > _MANY_BLOCKS:
        return frozenset()
    chains: list[tuple[int, tuple[Block, ...]]] = []
    for block in blocks:
        before = [c for c in chains if c[1][-1].follow_up < block.follow_up]
        weight, chain = max(before, default=(0, ()), key=lambda c: c[0])
        chains.append((weight + block.length, (*chain, block)))
    return frozenset(blocks) - frozenset(max(chains, key=lambda c: c[0])[1])


def _kinds(text: str, alignment: Sequence[Block], side: int) -> list[str]:
    """Return the kind of edit of every character; nothing known means kept."""
    kinds = [EDITED if alignment else KEPT] * len(text)
    out_of_order = moved(alignment)
    for block in alignment:
        start, end = max(block[side], 0), min(block[side] + block.length, len(text))
        if end > start:
            kinds[start:end] = [MOVED if block in out_of_order else KEPT] * (end - start)
    return kinds


def _pieces(text: str, kinds: list[str]) -> Iterator[Piece]:
    """Yield a text by kind of edit; white space at the edge of an edit is left unmarked."""
    if kinds.count(KEPT) == len(kinds):  # as most of a sentence is
        yield Piece(text, KEPT)
        return
    for space in _SPACE.finditer(text):
        start, end = space.span()
        before = kinds[start - 1] if start else KEPT
        after = kinds[end] if end < len(text) else KEPT
        kinds[start:end] = [before if before == after else KEPT] * (end - start)
    at = 0
    for kind, run in groupby(kinds):
        length = len([*run])
        yield Piece(text[at : at + length], kind)
        at += length


def mark(
    text: str,
    predicted: Sequence[Entity],
    unmatched: Sequence[Entity],
    alignment: Sequence[Block],
    side: int,
) -> Marked:
    """Return a text cut at its entities and edits; ``unmatched`` break the relation.

    ``side`` is 0 for the source, 1 for the follow-up: which offset of a block belongs to the text.
    """
    placed: list[Entity] = []
    unplaced: list[Entity] = []
    for entity in [*dict.fromkeys([*unmatched, *predicted])][:_MANY_ENTITIES]:
        inside = 0 <= entity.start < entity.end <= len(text)
        free = all(entity.end <= p.start or p.end <= entity.start for p in placed)
        (placed if inside and free else unplaced).append(entity)
    if text and not alignment and not placed:
        return Marked((Segment((Piece(text, KEPT),)),), tuple(unplaced))
    kinds, breaking = _kinds(text, alignment, side), frozenset(unmatched)
    segments, at = [], 0
    for entity in sorted(placed):
        start, end = entity.start, entity.end
        if start > at:
            segments.append(Segment(tuple(_pieces(text[at:start], kinds[at:start]))))
        inner = tuple(_pieces(text[start:end], kinds[start:end]))
        segments.append(Segment(inner, entity.label, entity in breaking))
        at = end
    if at < len(text):
        segments.append(Segment(tuple(_pieces(text[at:], kinds[at:]))))
    return Marked(tuple(segments), tuple(unplaced))


def with_text(marked: Marked, text: str) -> Marked:
    """Return a sentence with unmarked text after it."""
    return marked._replace(segments=(*marked.segments, Segment((Piece(text, KEPT),))))


def plain(marked: Marked) -> str:
    """Return a marked sentence as text, entities as ``[Belarus LOC]``."""
    return "".join(
        segment.text
        if segment.label is None
        else f"[{segment.text} {shorten(segment.label, _LONGEST_LABEL)}]"
        for segment in marked.segments
    )
