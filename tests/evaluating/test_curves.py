from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from mt_gate.evaluating import curves
from mt_gate.evaluating.curves import Ranking
from mt_gate.evaluating.records import BoundedFigure, Curve, RelationCounts
from mt_gate.evaluating.reports.page import plots
from mt_gate.judging.statistics import SMALLEST_P

RNG = np.random.default_rng(4)


def ranked(
    scores: Any, facts: list[set[str]], columns: str = "AB", cluster: Any = None, known: Any = None
) -> Ranking:
    values = np.array(scores, dtype=np.float64).reshape(len(facts), len(columns))
    ranking, _ = curves.rank(
        values,
        tuple(columns),
        [frozenset(own) for own in facts],
        np.arange(len(facts)) if cluster is None else np.array(cluster),
        np.ones(len(facts), dtype=np.bool_) if known is None else np.array(known),
    )
    return ranking


def read(*arguments: Any, **named: Any) -> curves.CurveFigures:
    result = curves.read(ranked(*arguments, **named))
    assert result is not None
    return result


def random_case(units: int = 300) -> tuple[Any, list[set[str]], Any]:
    scores = RNG.permutation(units * 3).reshape(units, 3) / (units * 3)
    truth = RNG.random((units, 3)) < scores**2
    return scores, [{"ABC"[at] for at in np.nonzero(row)[0]} for row in truth], truth


def test_the_area_is_that_of_the_field() -> None:
    """``sklearn.metrics.auc`` over one point a pair, as OpenNRE draws them."""
    scores, facts, truth = random_case()
    actual = read(scores, facts, "ABC")
    right = truth.ravel()[np.argsort(-scores.ravel())].cumsum()
    precision, recall = right / np.arange(1, truth.size + 1), right / truth.sum()
    assert actual.auc == pytest.approx(metrics.auc(recall, precision))
    assert actual.micro_f1 == pytest.approx((2 * precision * recall / (precision + recall)).max())


@pytest.mark.parametrize("digits", [1, 2, 9])
def test_average_precision_is_that_of_scikit_learn(digits: int) -> None:
    scores, facts, truth = random_case()
    scores = scores.round(digits)
    actual = read(scores, facts, "ABC")
    expected = metrics.average_precision_score(truth.ravel(), scores.ravel())
    assert actual.average_precision == pytest.approx(expected)


@pytest.mark.parametrize("digits", [1, 9])
def test_points_and_f1_are_those_of_scikit_learn(digits: int) -> None:
    scores, facts, truth = random_case()
    scores = scores.round(digits)
    ranking = ranked(scores, facts, "ABC")
    actual = curves.read(ranking)
    assert actual is not None
    precision, recall, _ = metrics.precision_recall_curve(truth.ravel(), scores.ravel())
    assert actual.precision[::-1] == pytest.approx(precision[:-1])
    assert actual.recall[::-1] == pytest.approx(recall[:-1])
    said = scores >= ranking.scores[ranking.ends[actual.best]]
    assert actual.micro_f1 == pytest.approx(metrics.f1_score(truth, said, average="micro"))
    assert actual.macro_f1 == pytest.approx(metrics.f1_score(truth, said, average="macro"))


def test_precision_of_the_first_facts() -> None:
    ranking = ranked([[0.9, 0.4], [0.4, 0.4], [0.1, 0.05]], [{"A", "B"}, set(), set()])
    actual = curves.precision_at(ranking, (1, 2, 4, 5, 7))
    # Of the three tied ones one is right: what is drawn first of them is right once in three.
    assert actual == pytest.approx({"1": 1, "2": (1 + 1 / 3) / 2, "4": 2 / 4, "5": 2 / 5})


TIED = st.integers(1, 12).flatmap(
    lambda units: st.tuples(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2 * units, max_size=2 * units),
        st.lists(st.sets(st.sampled_from("ABZ")), min_size=units, max_size=units),
    )
)


@given(TIED, st.randoms(use_true_random=False))
def test_the_order_of_tied_units_says_nothing(case: Any, random: Any) -> None:
    scores, facts = case
    order = list(range(len(facts)))
    random.shuffle(order)
    rows = [scores[2 * at : 2 * at + 2] for at in range(len(facts))]
    one = curves.read(ranked(rows, facts))
    other = curves.read(ranked([rows[at] for at in order], [facts[at] for at in order]))
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert len(one.precision) == len(set(scores))
    assert one.precision.tolist() == other.precision.tolist()
    assert one.auc == other.auc
    assert one.macro_f1 == pytest.approx(other.macro_f1)
    assert 0 <= one.auc <= 1
    assert 0 <= one.macro_f1 <= 1
    points = curves.thinned(one)
    assert points == sorted(points, key=lambda point: point[0])


@given(TIED)
def test_a_cluster_drawn_twice_is_two_units(case: Any) -> None:
    scores, facts = case
    rows = [scores[2 * at : 2 * at + 2] for at in range(len(facts))]
    weights = np.array([at % 3 for at in range(len(facts))], dtype=np.float64)
    drawn = [at for at in range(len(facts)) for _ in range(at % 3)]
    weighed = curves.read(ranked(rows, facts), weights)
    taken = curves.read(ranked([rows[at] for at in drawn], [facts[at] for at in drawn]))
    assert (weighed is None) == (taken is None)
    if weighed is not None and taken is not None:
        # Blocks without a drawn pair repeat the point before them.
        assert weighed.auc == pytest.approx(taken.auc)
        assert weighed.micro_f1 == pytest.approx(taken.micro_f1)
        assert weighed.macro_f1 == pytest.approx(taken.macro_f1)


def bounds(ranking: Ranking) -> curves.Intervals:
    return curves.intervals(curves.resample(ranking))


def two_systems(
    rng: np.random.Generator, worse: float = 0.0
) -> list[tuple[curves.CurveFigures, Any]]:
    """Return figures and bootstrap samples of two systems on the same 40 bags.

    Their scores share a part, as those of two similar checkpoints do. The second one's know less of
    the truth if it is ``worse``.
    """
    truth = rng.random((40, 3)) < np.array([0.3, 0.15, 0.1])
    truth[0] = True
    facts = [{"ABC"[at] for at in np.nonzero(row)[0]} for row in truth]
    common, runs = rng.normal(size=truth.shape), []
    for less in (0.0, worse):
        scores = (2 - less) * truth + 0.7 * common + 0.7 * rng.normal(size=truth.shape)
        ranking = ranked(scores, facts, "ABC")
        figures = curves.read(ranking)
        assert figures is not None
        runs.append((figures, curves.resample(ranking).values))
    return runs


@pytest.mark.parametrize(("worse", "least", "most"), [(0.0, 0.0, 0.10), (1.5, 0.6, 1.0)])
def test_how_often_a_fall_is_significant(
    worse: float, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At alpha 0.05: 100 pairs of equal systems, with two standard errors, and of unequal ones."""
    monkeypatch.setattr(curves, "_DRAWS", 100)
    rng = np.random.default_rng(8)
    significant = np.zeros(3)
    for _ in range(100):
        (before, old), (now, new) = two_systems(rng, worse)
        for at, name in enumerate(("auc", "micro_f1", "macro_f1")):
            p = curves.fall_p(getattr(before, name), getattr(now, name), new[:, at] - old[:, at])
            assert p is not None
            significant[at] += p < 0.05
    assert ((least <= significant / 100) & (significant / 100 <= most)).all(), significant


def test_a_fall_of_the_same_figures() -> None:
    _, (figures, values) = two_systems(np.random.default_rng(3))
    assert curves.fall_p(figures.auc, figures.auc, values[:, 0] - values[:, 0]) == 1
    assert curves.fall_p(0.5, 0.4, np.zeros(200)) == SMALLEST_P
    assert curves.fall_p(0.5, 0.4, np.full(500, np.nan)) is None


def test_intervals_are_of_clusters() -> None:
    scores, facts, _ = random_case(400)
    alone = bounds(ranked(scores, facts, "ABC")).auc
    # Each unit five times over, as sentences of one bag: more pairs, and no more is known.
    many = np.repeat(scores, 5, axis=0)
    again = [own for own in facts for _ in range(5)]
    bags = bounds(ranked(many, again, "ABC", cluster=np.repeat(np.arange(400), 5))).auc
    loose = bounds(ranked(many, again, "ABC")).auc
    assert alone is not None
    assert bags is not None
    assert loose is not None
    width = alone[1] - alone[0]
    assert bags[1] - bags[0] == pytest.approx(width, rel=0.1)
    assert loose[1] - loose[0] < 0.6 * width
    actual = read(scores, facts, "ABC")
    assert alone[0] < actual.auc < alone[1]


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
