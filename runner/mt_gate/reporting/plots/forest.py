"""The geometry of a forest plot: differences and intervals on one shared axis.

Places are percentages of the plot's width, so that the drawing follows the
width of the page without being distorted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.results.result import Comparison

_EDGE = 3.0
"""Percent of the width left free at both ends."""

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_TICKS = 10


class DifferenceAxis(NamedTuple):
    """A scale of differences of rates, ``low`` < ``high``; nothing is drawn beyond its ends."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the place of a value in percent of the width."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return figures.place(_EDGE + share * (100 - 2 * _EDGE))


class DifferenceTick(NamedTuple):
    """A place on the axis with its label."""

    at: float
    label: str


class DifferenceBar(NamedTuple):
    """One line of the plot; None where the difference or interval is unknown."""

    delta: float | None
    low: float | None
    high: float | None


class ForestPlot(NamedTuple):
    """The axis drawn: ticks, and where zero and the margin stand on it."""

    axis: DifferenceAxis
    ticks: tuple[DifferenceTick, ...]
    zero: float
    margin_at: float
    margin: float


def _known(comparison: Comparison) -> list[float]:
    values = [comparison.delta, *(comparison.ci95 or ())]
    return [v for v in values if v is not None and math.isfinite(v)]


def _ticks(axis: DifferenceAxis) -> tuple[DifferenceTick, ...]:
    span = axis.high - axis.low
    step = next((s for s in _STEPS if span / s <= _MOST_TICKS), _STEPS[-1])
    first, last = math.ceil(axis.low / step), math.floor(axis.high / step)
    values = [number * step for number in range(first, last + 1)]
    return tuple(DifferenceTick(axis.at(v), figures.signed_tick(v)) for v in values)


def plot(
    comparisons: Iterable[Comparison], margin: float, of_relations: Iterable[float] = ()
) -> ForestPlot:
    """Return an axis on which every interval, zero and all margins can be seen.

    Args:
        comparisons: that are drawn.
        margin: of the run.
        of_relations: margins that relations have of their own.
    """
    values = [0.0, 2 * margin, -margin, *of_relations]
    for comparison in comparisons:
        values.extend(_known(comparison))
    # Of two rates: the axis reaches no further, whatever a result says.
    low, high = (min(max(value, -1.0), 1.0) for value in (min(values), max(values)))
    pad = 0.05 * (high - low) or 0.01
    axis = DifferenceAxis(low - pad, high + pad)
    return ForestPlot(axis, _ticks(axis), axis.at(0), axis.at(margin), margin)


def bar(axis: DifferenceAxis, comparison: Comparison) -> DifferenceBar:
    """Return where a comparison's difference and interval stand."""
    known: Sequence[float] = _known(comparison)
    if comparison.delta is None or comparison.delta not in known:
        return DifferenceBar(None, None, None)
    places = [axis.at(v) for v in known]
    whole = len(places) == 3  # the difference and both bounds
    return DifferenceBar(places[0], places[1] if whole else None, places[2] if whole else None)


def in_words(comparison: Comparison, margin: float) -> str:
    """Return what a line of the plot shows, for those who cannot see it."""
    if comparison.delta is None:
        return "no difference could be computed"
    bounds = figures.interval(comparison.ci95)
    return (
        f"difference {figures.points(comparison.delta)}, 95 % interval {bounds} pp, "
        f"margin {figures.size_in_points(margin)}"
    )
