"""The geometry of the plot of what changed: rates with intervals on an axis that begins at zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.reporting.plots.rates_plot import RatesPlot, rates_plot
from mt_gate.results.result import Flips


class RateBar(NamedTuple):
    """Where a rate, its interval and its limit stand, in percent of the width; None if unknown."""

    at: float | None
    low: float | None
    high: float | None
    limit: float | None


class ChurnPlot(NamedTuple):
    """The axis, and a bar for each rate."""

    rates: RatesPlot
    bars: tuple[RateBar, ...]


def churn_plot(found: Sequence[tuple[Flips, float | None]]) -> ChurnPlot:
    """Return an axis on which every rate, interval and limit can be seen, and the bars on it.

    Args:
        found: what turned, each with its limit in [0, 1] or None.
    """
    values = [value for flips, limit in found for value in (flips.rate, *(flips.ci95 or ()), limit)]
    plot = rates_plot(values)
    return ChurnPlot(plot, tuple(_bar(plot, flips, limit) for flips, limit in found))


def _bar(plot: RatesPlot, flips: Flips, limit: float | None) -> RateBar:
    low, high = flips.ci95 or (None, None)
    return RateBar(plot.place(flips.rate), plot.place(low), plot.place(high), plot.place(limit))


def in_words(flips: Flips, limit: float | None) -> str:
    """Return what a line of the plot shows, for those who cannot see it."""
    if flips.rate is None:
        return "nothing that could turn"
    allowed = "" if limit is None else f", limit {figures.percent(limit)}"
    return (
        f"{figures.count(flips.number)} of {figures.count(flips.of)}, "
        f"{figures.percent(flips.rate)}, 95 % interval {figures.between(flips.ci95)}{allowed}"
    )
