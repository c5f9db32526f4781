from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.reporting.plots import clusters
from mt_gate.reporting.plots.clusters import RateValue

HALF = RateValue(1, 2, 0.5, (0.2, 0.8))
NONE = RateValue(0, 0, None, None)


def test_one_cluster_a_question_one_bar_a_system() -> None:
    drawing = clusters.draw([("first", [HALF, NONE]), ("second", [NONE, HALF])], ["a", "b"])
    assert [cluster.title for cluster in drawing.clusters] == ["first", "second"]
    first, second = drawing.clusters[0].bars
    assert (first.letter, first.words) == ("A", "50.0 %")
    assert (second.letter, second.end, second.words) == ("B", None, "none applicable")
    assert second.top == clusters.BAR_HEIGHT
    assert drawing.clusters[0].description == (
        "a: 50.0 %, 1 of 2, 95 % interval 20.0 % to 80.0 %; b: none applicable"
    )


def test_letters_go_on_after_z() -> None:
    assert [clusters.letter(n) for n in (0, 25, 26, 53)] == ["A", "Z", "A2", "B3"]


def test_with_one_system_the_first_cluster_has_a_colour_of_its_own() -> None:
    drawing = clusters.draw([("x", [HALF]), ("y", [HALF]), ("z", [HALF])], ["a"], lettered=False)
    bars = [cluster.bars[0] for cluster in drawing.clusters]
    assert [bar.letter for bar in bars] == ["", "", ""]
    assert bars[0].colour != bars[1].colour == bars[2].colour


RATES = st.floats(0, 1).map(
    lambda rate: RateValue(0, 1, rate, (max(0.0, rate - 0.1), min(1.0, rate + 0.1)))
)


@given(st.lists(st.one_of(RATES, st.just(NONE)), min_size=1, max_size=5))
def test_everything_stays_on_the_axis(values: list[RateValue]) -> None:
    drawing = clusters.draw([("x", values)], [str(n) for n in range(len(values))])
    last = drawing.ticks[-1].at
    assert len(drawing.ticks) <= 7
    assert drawing.ticks[0].at == drawing.start
    for bar in drawing.clusters[0].bars:
        for place in (bar.end, bar.low, bar.high, bar.text_at):
            assert place is None or drawing.start <= place <= last < 100


@given(st.lists(RATES, min_size=2, max_size=5))
def test_a_higher_rate_is_a_longer_bar(values: list[RateValue]) -> None:
    bars = clusters.draw([("x", values)], [""] * len(values)).clusters[0].bars
    for one, first in zip(values, bars, strict=True):
        for other, second in zip(values, bars, strict=True):
            if (one.rate or 0) <= (other.rate or 0):
                assert (first.end or 0) <= (second.end or 0)
