from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.plots.panels import HEIGHT, PanelValue, panel, places, steps

START = datetime(2026, 1, 1, tzinfo=UTC)
SHARES = st.floats(0, 1)
VALUES = st.lists(st.tuples(SHARES, SHARES, SHARES).map(sorted) | st.none(), min_size=1, max_size=9)


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
        assert mark.top is not None
        assert mark.bottom is not None
        assert 0 <= mark.top <= mark.y <= mark.bottom <= HEIGHT
        assert (mark.top, mark.y, mark.bottom).count(mark.y) >= [low, value, high].count(value)
    heights = [y for y, _ in sorted((tick.y, tick.label) for tick in drawn.ticks)]
    assert len(set(heights)) == len(heights) >= 2
    joined = sum(one is not None and two is not None for one, two in pairwise(found))
    assert len(drawn.lines) == joined


def test_higher_values_are_higher() -> None:
    values = [PanelValue(value, None, "pass") for value in (0.1, 0.2, 0.4)]
    ys = [mark.y for mark in panel(values, steps(3), label).marks]
    assert ys == sorted(ys, reverse=True)
    assert ys[0] - ys[1] == pytest.approx((ys[1] - ys[2]) / 2, abs=0.02)


def test_the_scale_has_the_bounds() -> None:
    drawn = panel([PanelValue(0.2, (0.1, 0.3), "pass")], steps(1), label, (0.0, 0.01))
    assert drawn.bounds[0] > drawn.bounds[1] > drawn.marks[0].y
    assert {tick.label for tick in drawn.ticks} >= {"0.000"}
    below = panel([PanelValue(-0.2, None, "pass")], steps(1), label, (0.0,))
    assert below.marks[0].y > below.bounds[0]


def test_nothing_is_drawn_of_nothing() -> None:
    drawn = panel([PanelValue(None, None, "pass")], steps(1), label)
    assert (drawn.marks, drawn.lines) == ((), ())
    assert drawn.ticks


def test_a_line_is_broken_where_it_says_nothing() -> None:
    values = [PanelValue(0.1, None, "pass", joined=at != 2) for at in range(4)]
    assert len(panel(values, steps(4), label).lines) == 2


def test_by_the_clock_and_by_steps() -> None:
    moments = [START, START + timedelta(days=1), START + timedelta(days=10)]
    first, second, last = places(moments)
    assert (first, last) == (4, 96)
    assert second == round(4 + 92 / 10, 2)
    assert steps(3) == (4, 50, 96)
    assert places(moments[:1]) == steps(1) == (50,)
    assert places([START, START]) == (50, 50)
