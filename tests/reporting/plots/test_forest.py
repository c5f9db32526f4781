from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.plots import forest
from mt_gate.results.result import Decision
from reporting import made_up

DELTAS = st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 0.5)), max_size=8)


@given(DELTAS, st.floats(0, 0.2))
def test_everything_lies_on_the_plot_in_order(
    drawn: list[tuple[float, float]], margin: float
) -> None:
    found = [made_up.comparison(Decision.PASS, delta, half) for delta, half in drawn]
    plot = forest.plot(found, margin)
    assert 0 <= plot.zero <= plot.margin_at <= 100
    for comparison in found:
        bar = forest.bar(plot.axis, comparison)
        assert bar.low is not None
        assert bar.delta is not None
        assert bar.high is not None
        assert 0 <= bar.low <= bar.delta <= bar.high <= 100
    assert 1 <= len(plot.ticks) <= 11
    assert all(0 <= tick.at <= 100 for tick in plot.ticks)


def test_an_unknown_difference_has_no_bar() -> None:
    missing = made_up.comparison(Decision.NOT_COMPARABLE, None)
    plot = forest.plot([missing], 0.01)
    assert forest.bar(plot.axis, missing) == (None, None, None)
    assert forest.in_words(missing, 0.01) == "no difference could be computed"


def test_a_difference_that_is_no_number_has_no_bar() -> None:
    broken = made_up.comparison(Decision.PASS, math.nan)
    plot = forest.plot([broken], 0.01)
    assert forest.bar(plot.axis, broken) == (None, None, None)


def test_the_plot_in_words() -> None:
    words = forest.in_words(made_up.comparison(Decision.PASS, 0.02, 0.01), 0.01)
    assert words == "difference +2.0 pp, 95 % interval [+1.0, +3.0] pp, margin 1.0 pp"


@given(st.floats(-1e300, 1e300), st.floats(0, 1e300))
def test_no_figure_stretches_the_plot(delta: float, half: float) -> None:
    """A result's figures are bounded when it is read; the drawing does not rely on that."""
    found = made_up.comparison(Decision.PASS, delta, half)
    plot = forest.plot([found], 0.01)
    assert 1 <= len(plot.ticks) <= 11
    assert all(0 <= place <= 100 for place in forest.bar(plot.axis, found) if place is not None)


def test_margins_of_relations_lie_on_the_plot() -> None:
    plot = forest.plot([made_up.comparison(Decision.PASS, 0.02, 0.01)], 0.01, [0.2])
    assert 0 < plot.axis.at(0.05) < plot.axis.at(0.2) < 100
