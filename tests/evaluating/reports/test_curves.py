from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.evaluating.records import BoundedFigure, Curve, RelationCounts
from mt_gate.evaluating.reports.page import plots

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


def test_the_ring_is_at_recall_and_precision_of_the_predictions() -> None:
    [line] = plots([curve([(0.5, 2 / 3)])])[0]["lines"]
    best = line["best"]
    assert best is not None
    assert best == pytest.approx(places(line["points"])[0])


@given(st.lists(st.tuples(SHARES, SHARES), max_size=200))
def test_every_point_lies_in_the_frame(points: Any) -> None:
    [line] = plots([curve(points)])[0]["lines"]
    actual = places(line["points"])
    assert len(actual) == len(points)
    for x, y in actual:
        assert 40 <= x <= 350
        assert 24 <= y <= 232
    # Values of a template are cut beyond 3,000 characters.
    assert len(line["points"]) < 3000
