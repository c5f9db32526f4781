from __future__ import annotations

from mt_gate.reporting.plots.churn_plot import churn_plot, in_words
from mt_gate.results.result import Flips

FLIPS = Flips(number=10, of=100, clusters=50, rate=0.1, ci95=(0.05, 0.4))
NOTHING = Flips(number=0, of=0, clusters=0)


def test_all_stands_on_one_axis() -> None:
    plot = churn_plot([(FLIPS, 0.9), (FLIPS, None)])
    limited, free = plot.bars
    assert None not in limited
    assert free.limit is None
    assert limited.low is not None
    assert limited.at is not None
    assert limited.high is not None
    assert limited.limit is not None
    assert 0 <= limited.low < limited.at < limited.high < limited.limit <= 100


def test_nothing_has_no_place() -> None:
    plot = churn_plot([(NOTHING, None)])
    assert plot.bars[0] == (None, None, None, None)
    assert churn_plot([]).bars == ()


def test_in_words() -> None:
    assert in_words(FLIPS, 0.2) == (
        "10 of 100, 10.0 %, 95 % interval 5.0 % to 40.0 %, limit 20.0 %"
    )
    assert in_words(NOTHING, None) == "nothing that could turn"
