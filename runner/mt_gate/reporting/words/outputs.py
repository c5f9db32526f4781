"""How the groups of each task are shown: one renderer a task, which its record names.

A renderer turns a row's inputs and outputs, which are the task's own plain
JSON values, into marked sentences and a few words on what broke.
"""

from __future__ import annotations

from mt_gate.base import figures
from mt_gate.base.lazy import resolve
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.rendering import (
    FOLLOW_UP,
    LONG,
    SOURCE,
    Renderer,
    given,
    said,
    with_note,
)
from mt_gate.results.result import GroupRow
from mt_gate.tasks.table import TASKS


def _any_sentence(row: GroupRow, side: int) -> marks.Marked:
    text = "; ".join(f"{name}: {value}" for name, value in given(row, side).items())
    output = said(row, side)
    shown = text if output is None else f"{text} -> {output}"
    whole = marks.Marked((marks.Segment((marks.Piece(shown[:LONG], marks.KEPT),)),))
    return with_note(whole, len(shown) - LONG)


_ANY = Renderer(
    sentence=_any_sentence,
    broke=lambda _: (),
    weight=lambda _: 0,
    profile="Answers",
    quantity=figures.quantity,
)


def renderer(task: str) -> Renderer:
    """Return the renderer of a task; without one, inputs and outputs are shown as they are."""
    spec = TASKS.get(task)
    if spec is None or not spec.renderer:
        return _ANY
    found: Renderer = resolve(spec.renderer)
    return found


__all__ = ["FOLLOW_UP", "SOURCE", "Renderer", "renderer"]
