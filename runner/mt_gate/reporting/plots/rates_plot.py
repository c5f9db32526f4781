"""The geometry of the plot of rates: before and after on one axis that begins at zero."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.reporting.plots.forest import DifferenceAxis, DifferenceTick

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_MOST_TICKS = 6


class RatePair(NamedTuple):
    """Where the two rates of a relation stand, in percent of the width; None where undefined."""

    before: float | None
    after: float | None


class RatesPlot(NamedTuple):
    """An axis from zero to a rate that none exceeds, and its ticks."""

    axis: DifferenceAxis
    ticks: tuple[DifferenceTick, ...]

    def at(self, before: float | None, after: float | None) -> RatePair:
        """Return where two rates in [0, 1] stand."""
        return RatePair(self.place(before), self.place(after))

    def place(self, rate: float | None) -> float | None:
        """Return where a rate in [0, 1] stands; None where it is undefined."""
        return None if rate is None or not math.isfinite(rate) else self.axis.at(rate)


def rates_plot(rates: Iterable[float | None]) -> RatesPlot:
    """Return an axis on which every rate in [0, 1] can be seen."""
    known = [rate for rate in rates if rate is not None and math.isfinite(rate)]
    highest = min(1.0, max([0.01, *known]))
    step = next((s for s in _STEPS if highest / s <= _MOST_TICKS), _STEPS[-1])
    places = [n * step for n in range(figures.steps(highest, step) + 1)]
    axis = DifferenceAxis(0, places[-1])
    return RatesPlot(
        axis, tuple(DifferenceTick(axis.at(p), f"{figures.tick(p)} %") for p in places)
    )


def in_words(before: float | None, after: float | None, compared: bool) -> str:
    """Return what a line of the plot shows, for those who cannot see it."""
    now = f"{figures.percent(after)} in this run"
    return f"{figures.percent(before)} in the baseline, {now}" if compared else now
