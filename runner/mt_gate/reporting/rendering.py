"""What a report must know of a task to show its groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mt_gate.reporting import figures, marks
from mt_gate.result import GroupRow

SOURCE, FOLLOW_UP = 0, 1

LONG = 1500
"""Characters of one sentence that a report shows."""


def no_context(_: GroupRow) -> str:
    """Return nothing: the sentences are all there is."""
    return ""


class Renderer(NamedTuple):
    """What a report must know of a task.

    ``sentence`` marks up one side of a row, ``broke`` says in words what
    breaks the relation, ``weight`` ranks rows by how much does, ``profile``
    names the output profile, ``legend`` is true where entities are marked,
    ``context`` is what of the input the edit leaves alone.
    """

    sentence: Callable[[GroupRow, int], marks.Marked]
    broke: Callable[[GroupRow], tuple[str, ...]]
    weight: Callable[[GroupRow], int]
    profile: str
    quantity: Callable[[float | None], str]
    legend: bool
    context: Callable[[GroupRow], str] = no_context


def given(row: GroupRow, side: int) -> Mapping[str, Any]:
    """Return the input of one side of a row."""
    return row.source if side == SOURCE else row.follow_up or {}


def said(row: GroupRow, side: int) -> Any:
    """Return what the system answered to one side of a row."""
    return row.source_output if side == SOURCE else row.follow_up_output


def with_note(marked: marks.Marked, left: int) -> marks.Marked:
    """Return the marked beginning of a text, saying how much of it is left out."""
    if left <= 0:
        return marked
    note = marks.Piece(f"… ({figures.counted(left, 'character')} more)", marks.KEPT)
    return marked._replace(segments=(*marked.segments, marks.Segment((note,))))
