"""The geometry of small multiples: one quantity a panel, one step or moment a run.

Across, places are percentages of the width, so that a panel follows the page; down, they are
pixels. All panels of a drawing share the places across; each has a scale of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from mt_gate.base import figures

HEIGHT = 120
"""Pixels of a panel's field."""

_EDGE, _TOP = 4.0, 8.0
"""Left free at both sides, in percent, and above and below, in pixels."""
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_TICKS = 4

Interval = tuple[float, float]


class PanelValue(NamedTuple):
    """What one run has of a panel's quantity, None where it has none.

    ``tone`` is the class it is drawn in, ``joined`` whether a line leads to it from the run before.
    """

    value: float | None
    ci95: Interval | None
    tone: str
    joined: bool = True


class PanelMark(NamedTuple):
    """A run: its place, the ends of its interval, and its tone; ``y`` is 0 at the top."""

    x: float
    y: float
    top: float | None
    bottom: float | None
    tone: str


class PanelLine(NamedTuple):
    """A line from one run to the next."""

    x1: float
    y1: float
    x2: float
    y2: float


class PanelTick(NamedTuple):
    """A place down the side with its label."""

    y: float
    label: str


class Panel(NamedTuple):
    """One of the multiples; ``bounds`` are places down that are drawn across all of it."""

    marks: tuple[PanelMark, ...]
    lines: tuple[PanelLine, ...]
    ticks: tuple[PanelTick, ...]
    bounds: tuple[float, ...]


def places(moments: Sequence[datetime]) -> tuple[float, ...]:
    """Return where each run stands across, by the clock; moments are in order."""
    start = moments[0]
    whole = (moments[-1] - start).total_seconds()
    return tuple(
        _across((moment - start).total_seconds() / whole if whole else 0.5) for moment in moments
    )


def steps(number: int) -> tuple[float, ...]:
    """Return where each of so many runs stands across, one step each."""
    return tuple(_across(at / (number - 1) if number > 1 else 0.5) for at in range(number))


def _across(share: float) -> float:
    return figures.place(_EDGE + share * (100 - 2 * _EDGE))


def panel(
    values: Sequence[PanelValue],
    across: Sequence[float],
    label: Callable[[float], str],
    bounds: Sequence[float] = (),
) -> Panel:
    """Return a panel whose scale has every bound, and every value with its interval.

    Args:
        values: one of each run.
        across: the place of each, of ``places`` or ``steps``.
        label: how a place down the side is written.
        bounds: values to draw across the whole panel.
    """
    known = [*bounds]
    for value in values:
        known += [found for found in (value.value, *(value.ci95 or ())) if found is not None]
    scale, ticks = _scale(min(known, default=0.0), max(known, default=0.0), label)
    marks: list[PanelMark] = []
    lines: list[PanelLine] = []
    before: PanelMark | None = None
    for value, x in zip(values, across, strict=True):
        if value.value is None:
            before = None
            continue
        low, high = value.ci95 or (None, None)
        mark = PanelMark(
            x,
            scale(value.value),
            None if high is None else scale(high),
            None if low is None else scale(low),
            value.tone,
        )
        if before is not None and value.joined:
            lines.append(PanelLine(before.x, before.y, x, mark.y))
        marks.append(mark)
        before = mark
    return Panel(tuple(marks), tuple(lines), ticks, tuple(map(scale, bounds)))


def _scale(
    low: float, high: float, label: Callable[[float], str]
) -> tuple[Callable[[float], float], tuple[PanelTick, ...]]:
    """Return a scale that begins and ends on a tick, and its ticks."""
    step = next((s for s in _STEPS if (high - low) / s <= _MOST_TICKS), _STEPS[-1])
    first = -figures.steps(-low, step)
    last = max(figures.steps(high, step), first + 1)

    def down(value: float) -> float:
        share = (value / step - first) / (last - first)
        return figures.place(HEIGHT - _TOP - share * (HEIGHT - 2 * _TOP))

    ticks = (PanelTick(down(n * step), label(n * step)) for n in range(first, last + 1))
    return down, tuple(ticks)
