from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.plots.rates_plot import in_words, rates_plot

RATES = st.none() | st.floats(0, 1)


@given(st.lists(RATES, max_size=10))
def test_every_rate_stands_on_the_axis_in_order(rates: list[float | None]) -> None:
    plot = rates_plot(rates)
    known = sorted(rate for rate in rates if rate is not None)
    places = [plot.at(rate, None).before for rate in known]
    assert all(0 <= place <= 100 for place in places if place is not None)
    assert places == sorted(places, key=lambda place: place or 0)
    assert plot.at(None, float("nan")) == (None, None)
    assert 2 <= len(plot.ticks) <= 8
    assert plot.ticks[0].label == "0 %"


def test_the_words_say_both_rates() -> None:
    assert in_words(0.1, None, compared=True) == "10.0 % in the baseline, n/a in this run"
    assert in_words(None, 0.2, compared=False) == "20.0 % in this run"


def test_no_rate_stretches_the_plot() -> None:
    plot = rates_plot([8e8, 0.1])
    assert len(plot.ticks) <= 7
    assert plot.at(8e8, 0.1).before is not None
    assert plot.at(8e8, 0.1).before == plot.at(1.0, 0.1).before
