"""Every value lies on its drawing, in order, whatever a result says."""

from __future__ import annotations

import io
import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.page_templates import (
    HEIGHT,
    PanelValue,
    StripRate,
    difference_axis,
    panel,
    places,
    rate_axis,
    rate_strips,
    steps,
)
from mt_gate.reporting.table import (
    Table,
    columns_of,
    folded,
    room_for_titles,
    show_lines,
    show_table,
)
from mt_gate.results.result import Decision
from reporting import made_up


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.lists(st.integers(0, 50)), st.lists(st.integers(1, 20), max_size=6))
def test_columns_fill_no_more_than_there_is(titles: list[int], others: list[int]) -> None:
    room, gap = room_for_titles(80, ["x" * length for length in titles], others)
    assert gap in (1, 2)
    # where figures leave no room, a title keeps a little: figures are never cut
    assert room + sum(others) + gap * len(others) <= 80 or room == 16


@pytest.mark.parametrize(
    "title", ["一个词被替换" * 6, "한 낱말이 바뀌었다 " * 5, "e\u0301tat " * 9]
)
def test_a_title_of_wide_letters_cuts_no_figure(title: str) -> None:
    printed = io.StringIO()
    row = (title, "1" * 20, "2" * 20)
    show_table(Table("wrr", ("relation", "one", "two"), [row]), printed)
    room, _ = room_for_titles(80, [title], [20, 20])
    assert "1" * 20 in printed.getvalue()
    assert "2" * 20 in printed.getvalue()
    assert "…" not in printed.getvalue()
    assert "".join(title.split()) == "".join(folded(title, room).split())


def test_notes_are_wrapped_on_a_terminal_only() -> None:
    note = "  - " + "word " * 40
    terminal, file = Terminal(), io.StringIO()
    show_lines([note, "x" * 200], terminal)
    *lines, word = terminal.getvalue().splitlines()
    assert len(lines) > 1
    assert all(line.startswith("    ") for line in lines[1:])
    assert word == "x" * 200
    command = (
        f"Next: fix the checkpoint, or accept: mt-gate baseline record {'long/' * 30} --name main"
    )
    show_lines([command], copied := Terminal())
    assert copied.getvalue() == f"{command}\n"
    show_lines([note], file)
    assert file.getvalue() == f"{note}\n"


@given(st.text("ab -一한", max_size=60), st.integers(16, 40))
def test_a_folded_title_keeps_its_words(title: str, width: int) -> None:
    lines = folded(title, width).split("\n")
    assert all(columns_of(line) <= width for line in lines) or not title.split()
    assert "".join("".join(lines).split()) == "".join(title.split())


SHARES = st.floats(0, 1)
VALUES = st.lists(st.tuples(SHARES, SHARES, SHARES).map(sorted) | st.none(), min_size=1, max_size=9)


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(0, 1e300)), max_size=8), SHARES)
def test_differences_lie_on_their_axis(drawn: list[tuple[float, float]], margin: float) -> None:
    actual = [made_up.comparison(Decision.PASS, delta, half) for delta, half in drawn]
    axis, ticks = difference_axis(actual, 0.01, [margin])
    assert 1 <= len(ticks) <= 11
    for value in (0, margin, *(tick.at / 100 for tick in ticks)):
        assert 0 <= axis.at(value) <= 100
    for comparison in actual:
        low, high = map(axis.at, comparison.ci95)
        if None not in (low, high):
            assert 0 <= low <= axis.at(comparison.delta) <= high <= 100
    assert axis.at(None) is axis.at(math.nan) is None


@given(st.lists(st.none() | SHARES, max_size=10))
def test_rates_stand_on_their_axis_in_order(rates: list[float | None]) -> None:
    axis, ticks = rate_axis([*rates, math.nan])
    actual = [axis.at(rate) for rate in sorted(rate for rate in rates if rate is not None)]
    assert actual == sorted(actual)
    assert all(0 <= place <= 100 for place in actual)
    assert 2 <= len(ticks) <= 8
    assert ticks[0].label == "0%"
    assert axis.at(8e8) == axis.at(1e9)


def label(value: float) -> str:
    return f"{value:.3f}"


@given(VALUES)
def test_every_value_is_within_the_panel_in_its_order(intervals: list[list[float] | None]) -> None:
    values = [
        PanelValue(one[1], (one[0], one[2]), "pass") if one else PanelValue(None, None, "pass")
        for one in intervals
    ]
    drawn = panel(values, steps(len(values)), label)
    known = [one for one in intervals if one]
    assert len(drawn.marks) == len(known)
    for mark, (low, value, high) in zip(drawn.marks, known, strict=True):
        assert 0 <= mark.top <= mark.y <= mark.bottom <= HEIGHT
        assert (mark.top, mark.y, mark.bottom).count(mark.y) >= [low, value, high].count(value)
    assert len({tick.at for tick in drawn.ticks}) == len(drawn.ticks) >= 2
    joined = sum(one is not None and two is not None for one, two in pairwise(intervals))
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
def test_strips_hold_their_intervals(intervals: list[list[float] | None]) -> None:
    rates = [
        StripRate("x", 1, 2, one[1], (one[0], one[2]))
        if one
        else StripRate("x", 0, 0, None, None, 0.5)
        for one in intervals
    ]
    drawn = rate_strips(rates, "none")
    for one, strip in zip(intervals, drawn.strips, strict=True):
        if one is None:
            assert (strip.at, strip.description) == (None, "none")
        else:
            assert 0 <= strip.low <= strip.at <= strip.high <= 100
