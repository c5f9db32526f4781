"""The geometry of clusters of bars: one cluster a question, one bar a system.

Bars lie, so that names and figures can be read in any number; places are
percentages of the width, so that the drawing follows the page. A bar is told
by its letter, not by its colour alone.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mt_gate.base import figures

BAR_HEIGHT = 24
"""Pixels of a bar with the space around it."""
COLOURS = 8
LETTERS = string.ascii_uppercase

_START, _END = 5.0, 84.0
"""Percent of the width: letters stand before the one, the figures of full bars after the other."""
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_MOST_TICKS = 6

Interval = tuple[float, float]


class RateValue(NamedTuple):
    """A rate, ``part`` of ``whole``, with its interval; where it is None, ``missing`` says why."""

    part: int
    whole: int
    rate: float | None
    ci95: Interval | None
    missing: str = "none applicable"


class RateTick(NamedTuple):
    """A place on the axis with its label."""

    at: float
    label: str


class RateBar(NamedTuple):
    """One bar: its letter and colour, where it ends, its interval, and its figure."""

    letter: str
    colour: int
    top: int
    end: float | None
    low: float | None
    high: float | None
    words: str
    text_at: float


class Cluster(NamedTuple):
    """The bars of one question."""

    title: str
    bars: tuple[RateBar, ...]
    height: int
    description: str


class Drawing(NamedTuple):
    """All clusters on one axis."""

    clusters: tuple[Cluster, ...]
    ticks: tuple[RateTick, ...]
    start: float


class RateAxis(NamedTuple):
    """A scale of rates from 0 to ``high``."""

    high: float

    def at(self, rate: float) -> float:
        """Return the place of a rate in percent of the width."""
        return figures.place(_START + (_END - _START) * min(rate / self.high, 1.0))


def letter(number: int) -> str:
    """Return the letter of a system: A, B, ... Z, A2, ..."""
    rounds, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(rounds + 1) if rounds else "")


def draw(
    clusters: Iterable[tuple[str, Sequence[RateValue]]],
    names: Sequence[str],
    *,
    lettered: bool = True,
) -> Drawing:
    """Return the drawing of clusters of bars.

    Args:
        clusters: title of each, and a value a system.
        names: of the systems, in the order of the values.
        lettered: whether bars carry their system's letter and colour; with one
            system colours tell the first cluster from the others instead.
    """
    given = [(title, [*values]) for title, values in clusters]
    axis, ticks = _axis([value for _, values in given for value in values])
    drawn = tuple(
        Cluster(
            title,
            tuple(
                _bar(axis, number, value, letter(number) if lettered else "", colour)
                for number, value, colour in _coloured(values, at, lettered)
            ),
            BAR_HEIGHT * len(values),
            "; ".join(
                f"{name}: {in_words(value)}" for name, value in zip(names, values, strict=True)
            ),
        )
        for at, (title, values) in enumerate(given)
    )
    return Drawing(drawn, ticks, axis.at(0))


def in_words(value: RateValue) -> str:
    """Return what a bar shows, for those who cannot see it."""
    if value.rate is None:
        return value.missing
    return (
        f"{figures.percent(value.rate)}, {figures.count(value.part)} of "
        f"{figures.count(value.whole)}, 95 % interval {figures.between(value.ci95)}"
    )


def _axis(values: Iterable[RateValue]) -> tuple[RateAxis, tuple[RateTick, ...]]:
    """Return an axis that ends on a tick at or above the largest bound."""
    ends = [end for value in values for end in (value.rate, *(value.ci95 or ())) if end is not None]
    largest = max([*ends, _STEPS[0]])
    step = next((s for s in _STEPS if largest / s <= _MOST_TICKS), _STEPS[-1])
    last = figures.steps(largest, step)
    axis = RateAxis(last * step)
    return axis, tuple(RateTick(axis.at(n * step), figures.tick(n * step)) for n in range(last + 1))


def _coloured(
    values: Sequence[RateValue], cluster: int, lettered: bool
) -> Iterable[tuple[int, RateValue, int]]:
    for number, value in enumerate(values):
        yield number, value, number % COLOURS if lettered else int(cluster == 0)


def _bar(axis: RateAxis, number: int, value: RateValue, sign: str, colour: int) -> RateBar:
    low, high = value.ci95 or (None, None)
    end = None if value.rate is None else axis.at(value.rate)
    places = [None if bound is None else axis.at(bound) for bound in (low, high)]
    return RateBar(
        letter=sign,
        colour=colour,
        top=number * BAR_HEIGHT,
        end=end,
        low=places[0],
        high=places[1],
        words=figures.percent(value.rate) if value.rate is not None else value.missing,
        text_at=max(place for place in (axis.at(0), end, places[1]) if place is not None),
    )
