"""A text put together from stretches of another one and from new words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mt_gate.domain import Block
from mt_gate_suites.grammar.rewrite import Rewrite


class Copied(NamedTuple):
    """A stretch of the source, in characters; ``text`` may differ from it in letter case."""

    start: int
    end: int
    text: str


Piece = Copied | str
"""What stands in a follow-up: a stretch of its source, or new words."""


class Turn(NamedTuple):
    """A stretch of the source, in characters, and the pieces that take its place."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


def copied(text: str, start: int, end: int) -> Copied:
    """Return a stretch as the source has it."""
    return Copied(start, end, text[start:end])


def turned(text: str, turns: Iterable[Turn]) -> Rewrite:
    """Put each turn's pieces in its place; the turns are in order and apart.

    >>> turned("Ann saw Bob.", [Turn(0, 11, (Copied(8, 11, "Bob"), " saw ", Copied(0, 3, "Ann")))])
    Rewrite(text='Bob saw Ann.', alignment=(Block(source=0, follow_up=8, length=3), \
Block(source=8, follow_up=0, length=3), Block(source=11, follow_up=11, length=1)), stratum='')
    """
    pieces: list[Piece] = []
    at = 0
    for turn in turns:
        pieces += [copied(text, at, turn.start), *turn.pieces]
        at = turn.end
    pieces.append(copied(text, at, len(text)))
    return _joined(pieces)


def _joined(pieces: Iterable[Piece]) -> Rewrite:
    new = ""
    blocks: list[Block] = []
    for piece in pieces:
        if isinstance(piece, str):
            new += piece
        elif piece.end > piece.start:
            blocks.append(Block(piece.start, len(new), piece.end - piece.start))
            new += piece.text
    return Rewrite(new, tuple(sorted(blocks)))
