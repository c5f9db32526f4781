"""Every value lies on its drawing, in order, whatever a result says."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.plots import (
    HEIGHT,
    PanelValue,
    difference_axis,
    panel,
    places,
    rate_axis,
    rate_strips,
    steps,
)
from mt_gate.results.result import Decision
from reporting import made_up

SHARES = st.floats(0, 1)
VALUES = st.lists(st.tuples(SHARES, SHARES, SHARES).map(sorted) | st.none(), min_size=1, max_size=9)


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(0, 1e300)), max_size=8), SHARES)
def test_differences_lie_on_their_axis(drawn: list[tuple[float, float]], margin: float) -> None:
    found = [made_up.comparison(Decision.PASS, delta, half) for delta, half in drawn]
    axis, ticks = difference_axis(found, 0.01, [margin])
    assert 1 <= len(ticks) <= 11
    for value in (0, margin, *(tick.at / 100 for tick in ticks)):
        assert 0 <= axis.at(value) <= 100
    for comparison in found:
        low, high = map(axis.at, comparison.ci95)
        if None not in (low, high):
            assert 0 <= low <= axis.at(comparison.delta) <= high <= 100
    assert axis.at(None) is axis.at(math.nan) is None


@given(st.lists(st.none() | SHARES, max_size=10))
def test_rates_stand_on_their_axis_in_order(rates: list[float | None]) -> None:
    axis, ticks = rate_axis([*rates, math.nan])
    found = [axis.at(rate) for rate in sorted(rate for rate in rates if rate is not None)]
    assert found == sorted(found)
    assert all(0 <= place <= 100 for place in found)
    assert 2 <= len(ticks) <= 8
    assert ticks[0].label == "0%"
    assert axis.at(8e8) == axis.at(1e9)


def label(value: float) -> str:
    return f"{value:.3f}"


@given(VALUES)
def test_every_value_stands_within_the_panel_in_its_order(found: list[list[float] | None]) -> None:
    values = [
        PanelValue(one[1], (one[0], one[2]), "pass") if one else PanelValue(None, None, "pass")
        for one in found
    ]
    drawn = panel(values, steps(len(values)), label)
    known = [one for one in found if one]
    assert len(drawn.marks) == len(known)
    for mark, (low, value, high) in zip(drawn.marks, known, strict=True):
        assert 0 <= mark.top <= mark.y <= mark.bottom <= HEIGHT
        assert (mark.top, mark.y, mark.bottom).count(mark.y) >= [low, value, high].count(value)
    assert len({tick.at for tick in drawn.ticks}) == len(drawn.ticks) >= 2
    joined = sum(one is not None and two is not None for one, two in pairwise(found))
    assert len(drawn.lines) == joined


def test_by_the_clock_and_by_steps() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = [start, start + timedelta(days=1), start + timedelta(days=10)]
    first, second, last = places(moments)
    assert (first, last) == (4, 96)
    assert second == round(4 + 92 / 10, 2)
    assert steps(3) == (4, 50, 96)
    assert places(moments[:1]) == steps(1) == (50,)
    assert places([start, start]) == (50, 50)


@given(VALUES)
def test_strips_hold_their_intervals(found: list[list[float] | None]) -> None:
    rates = [
        ("x", 1, 2, one[1], (one[0], one[2]), None) if one else ("x", 0, 0, None, None, 0.5)
        for one in found
    ]
    drawn = rate_strips(rates, "none")
    for one, strip in zip(found, drawn.strips, strict=True):
        if one is None:
            assert (strip.at, strip.description) == (None, "none")
        else:
            assert 0 <= strip.low <= strip.at <= strip.high <= 100
