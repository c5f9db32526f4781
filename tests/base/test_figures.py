from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base import figures


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "n/a"),
        (math.nan, "n/a"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.0004, "<0.1 %"),
        (0.9996, ">99.9 %"),
        (0.123, "12.3 %"),
        (0.5, "50.0 %"),
    ],
)
def test_percent(rate: float | None, shown: str) -> None:
    assert figures.percent(rate) == shown


@given(st.floats(0, 1))
def test_none_and_all_only_where_exactly_true(rate: float) -> None:
    assert (figures.percent(rate) == "0 %") == (rate == 0)
    assert (figures.percent(rate) == "100 %") == (rate == 1)
    assert figures.percent(rate) not in ("0.0 %", "100.0 %")


@pytest.mark.parametrize(
    ("delta", "shown"),
    [
        (None, "n/a"),
        (0.0, "0 pp"),
        (0.032, "+3.2 pp"),
        (-0.032, "-3.2 pp"),
        (0.0001, "+<0.1 pp"),
        (-0.0001, "-<0.1 pp"),
    ],
)
def test_points(delta: float | None, shown: str) -> None:
    assert figures.points(delta) == shown


def test_intervals() -> None:
    assert figures.interval(None) == "n/a"
    assert figures.interval((-0.011, 0.054)) == "[-1.1, +5.4]"
    assert figures.interval((math.inf, 0.0)) == "n/a"
    assert figures.change(0.02, (0.0, 0.04)) == "+2.0 pp [0, +4.0]"
    assert figures.change(None, None) == "n/a"
    assert figures.size_in_points(0.01) == "1.0 pp"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(None, "n/a"), (0.0, "<0.001"), (0.0213, "0.021"), (0.9999, ">0.999"), (1.0, "1")],
)
def test_p_value(p: float | None, shown: str) -> None:
    assert figures.p_value(p) == shown


def test_counts_and_quantities() -> None:
    assert figures.counted(1, "group") == "1 group"
    assert figures.counted(12345, "group") == "12,345 groups"
    assert figures.counted(2, "entity", "entities") == "2 entities"
    assert figures.quantity(None) == "n/a"
    assert figures.quantity(0.0) == "0.00"
    assert figures.quantity(0.001) == "<0.01"
    assert figures.setting(0.05) == "0.05"
