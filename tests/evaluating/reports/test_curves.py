from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.evaluating.records import BoundedFigure, Curve, RelationCounts
from mt_gate.evaluating.reports.page import TICKS, plots

SHARES = st.floats(0, 1)


def curve(points: Any, **named: Any) -> Curve:
    figure = BoundedFigure(value=0.5, ci95=(0.4, 0.6))
    values: dict[str, Any] = {"protocol": "bag-manual", "aggregator": "ONE", "threshold": 0.25}
    counts = RelationCounts(relation="A", facts=4, predicted=3, right=2)
    values |= {"units": 9, "facts": 4, "out_of_reach": 0, "relations": (counts,)}
    values |= dict.fromkeys(("auc", "micro_f1", "macro_f1"), figure)
    values |= {"average_precision": 0.5, "in_auto": None, "precision_at": {}}
    return Curve(**{**values, "points": tuple(points), **named})


def places(points: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, place.split(","))) for place in points.split()]


def test_the_ring_stands_at_recall_and_precision_of_what_is_predicted() -> None:
    (plot,) = plots([curve([(0.5, 2 / 3)])])
    best = plot.lines[0].best
    assert best is not None
    assert best == pytest.approx(places(plot.lines[0].points)[0])


def test_a_plot_a_protocol_a_line_an_aggregator() -> None:
    alone = curve([], protocol="sentence-manual", aggregator="", threshold=None)
    found = plots([curve([(0, 1)], aggregator="AVG"), curve([(0, 1)]), alone])
    assert [plot.title for plot in found] == ["Bag-level manual", "Sentence-level manual"]
    assert [(line.name, line.kind) for line in found[0].lines] == [("AVG", 0), ("ONE", 1)]
    assert found[0].description.startswith("AVG: AUC 50.0 % (40.0 % to 60.0 %)")
    assert found[1].lines[0].best is None


@given(st.lists(st.tuples(SHARES, SHARES), max_size=200))
def test_every_point_lies_in_the_frame(points: Any) -> None:
    (plot,) = plots([curve(points)])
    found = places(plot.lines[0].points)
    assert len(found) == len(points)
    for x, y in found:
        assert TICKS[0].x <= x <= TICKS[-1].x
        assert TICKS[-1].y <= y <= TICKS[0].y
    # Values of a template are cut beyond 3,000 characters.
    assert len(plot.lines[0].points) < 3000
