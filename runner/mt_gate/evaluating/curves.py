"""Precision-recall curves over ranked facts, and the figures read off them.

Pairs of a unit and a relation are ranked by score. A point stands where the
score changes, so that tied pairs enter together and their order says nothing.
AUC is the area by trapezoids between the points, the rule of the field
(``sklearn.metrics.auc`` over the curve of OpenNRE). It begins, as there, with
the first pair: a first point of several tied pairs is drawn from one pair's share
of its recall on, at its precision. Facts that are not ranked are missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.statistics import SEED

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

DRAWS = 500
"""Bootstrap samples of a curve, by cluster; fewer where there are millions of pairs."""
_LEAST_DRAWS = 100
_MAX_WORK = 150_000_000
_TAILS = (0.025, 0.975)
_MOST_POINTS = 200


class Ranking(NamedTuple):
    """Pairs of a unit and a relation, best score first; clusters and relations are numbers.

    ``ends`` holds the last pair of each block of equal scores. ``fact_cluster``
    and ``fact_relation`` list the facts of the labels, ranked or not.
    """

    scores: Floats
    right: Bools
    unit: Integers
    relation: Integers
    cluster: Integers
    ends: Integers
    fact_cluster: Integers
    fact_relation: Integers
    relations: int
    clusters: int


class CurveFigures(NamedTuple):
    """A curve, and its figures; ``best`` is the number of the point with the highest F1."""

    precision: Floats
    recall: Floats
    auc: float
    average_precision: float
    micro_f1: float
    macro_f1: float
    best: int


class Intervals(NamedTuple):
    """The 95 % intervals of a curve's figures; None where there was too much to draw."""

    auc: tuple[float, float] | None = None
    micro_f1: tuple[float, float] | None = None
    macro_f1: tuple[float, float] | None = None


def rank(
    scores: Floats,
    columns: Sequence[str],
    facts: Sequence[frozenset[str]],
    cluster: Integers,
    known: Bools,
) -> tuple[Ranking, tuple[str, ...]]:
    """Rank all pairs of a unit and a relation.

    Args:
        scores: shape (units, relations of the system).
        columns: the system's relations, no relation left out.
        facts: of each unit the relations that hold.
        cluster: of each unit.
        known: whether a unit has scores, shape (units,), or each pair, (units, relations of
            the system); what has none is not ranked.

    Returns:
        The ranking, and the names of its relations: the columns, then those
        that only the labels have.
    """
    names = (*columns, *sorted(frozenset().union(*facts).difference(columns)))
    number = {name: at for at, name in enumerate(names)}
    pairs = [(unit, number[name]) for unit, own in enumerate(facts) for name in sorted(own)]
    fact_unit, fact_relation = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    holds = np.zeros((len(facts), len(names)), dtype=np.bool_)
    holds[fact_unit, fact_relation] = True
    each = known if known.ndim > 1 else known[:, None]
    unit, relation = np.nonzero(np.broadcast_to(each, (len(facts), len(columns))))
    flat = scores[unit, relation]
    order = np.argsort(-flat, kind="stable")
    unit, relation, flat = unit[order], relation[order], flat[order]
    ends = np.nonzero(np.append(flat[1:] != flat[:-1], True))[0] if len(flat) else np.zeros(0)
    return (
        Ranking(
            scores=flat,
            right=holds[unit, relation],
            unit=unit.astype(np.int64),
            relation=relation.astype(np.int64),
            cluster=cluster[unit],
            ends=ends.astype(np.int64),
            fact_cluster=cluster[fact_unit],
            fact_relation=fact_relation,
            relations=len(names),
            clusters=int(cluster.max(initial=-1)) + 1,
        ),
        names,
    )


def read(ranking: Ranking, weights: Floats | None = None) -> CurveFigures | None:
    """Return the curve and its figures; None without a fact or a pair.

    Args:
        ranking: of all pairs.
        weights: how often each cluster counts, shape (clusters,); once by default.
    """
    weigh = np.ones(ranking.clusters) if weights is None else weights
    pairs = weigh[ranking.cluster]
    total = float(weigh[ranking.fact_cluster].sum())
    taken = np.cumsum(pairs)[ranking.ends]
    at = int(np.searchsorted(taken, 0, side="right"))
    if not total or at == len(taken):
        return None
    right = np.cumsum(pairs * ranking.right)[ranking.ends][at:]
    taken = taken[at:]
    precision, recall = right / taken, right / total
    f1 = 2 * right / (taken + total)
    best = int(np.argmax(f1))
    first = recall[0] / taken[0]
    area = precision[0] * (recall[0] - first)
    area += float((np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)
    return CurveFigures(
        precision=precision,
        recall=recall,
        auc=float(area),
        average_precision=float((np.diff(recall, prepend=0) * precision).sum()),
        micro_f1=float(f1[best]),
        macro_f1=_macro(ranking, pairs, weigh, int(ranking.ends[at + best])),
        best=at + best,
    )


def _macro(ranking: Ranking, pairs: Floats, weigh: Floats, last: int) -> float:
    """Return the mean F1 of the relations that have a fact, of the pairs up to ``last``."""
    size = ranking.relations
    relation, right = ranking.relation[: last + 1], ranking.right[: last + 1]
    own = pairs[: last + 1]
    predicted = np.bincount(relation, own, size)
    hits = np.bincount(relation, own * right, size)
    facts = np.bincount(ranking.fact_relation, weigh[ranking.fact_cluster], size)
    some = facts > 0
    return float((2 * hits[some] / (predicted[some] + facts[some])).mean())


def intervals(ranking: Ranking) -> Intervals:
    """Return percentile intervals by a bootstrap over clusters."""
    draws = min(DRAWS, _MAX_WORK // max(1, len(ranking.scores)))
    if draws < _LEAST_DRAWS or ranking.clusters < 2:
        return Intervals()
    found = [reading for reading in _resampled(ranking, draws) if reading]
    if len(found) < _LEAST_DRAWS:
        return Intervals()
    figures = np.array([(one.auc, one.micro_f1, one.macro_f1) for one in found])
    low, high = np.quantile(figures, _TAILS, axis=0)
    bounds = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    return Intervals(*bounds)


def _resampled(ranking: Ranking, draws: int) -> Iterator[CurveFigures | None]:
    rng = np.random.default_rng(SEED)
    for _ in range(draws):
        drawn = rng.integers(ranking.clusters, size=ranking.clusters)
        weights = np.bincount(drawn, minlength=ranking.clusters).astype(np.float64)
        yield read(ranking, weights)


def precision_at(ranking: Ranking, numbers: Sequence[int]) -> dict[str, float]:
    """Return the precision of the first so many pairs; of tied ones, what is expected of them."""
    found: dict[str, float] = {}
    right = np.cumsum(ranking.right)
    for number in numbers:
        if number > len(ranking.scores):
            continue
        block = int(np.searchsorted(ranking.ends, number - 1))
        before = int(ranking.ends[block - 1]) + 1 if block else 0
        hits = int(right[before - 1]) if before else 0
        end = int(ranking.ends[block]) + 1
        share = (int(right[end - 1]) - hits) / (end - before)
        found[str(number)] = (hits + share * (number - before)) / number
    return found


def counts(ranking: Ranking, last: int) -> list[tuple[int, int, int]]:
    """Return facts, predictions and hits of each relation, of the pairs up to ``last``."""
    size, own = ranking.relations, slice(0, last + 1)
    facts = np.bincount(ranking.fact_relation, minlength=size)
    predicted = np.bincount(ranking.relation[own], minlength=size)
    hits = np.bincount(ranking.relation[own][ranking.right[own]], minlength=size)
    return [*zip(facts.tolist(), predicted.tolist(), hits.tolist(), strict=True)]


def thinned(reading: CurveFigures) -> list[tuple[float, float]]:
    """Return (recall, precision) of at most some 200 points: evenly by recall, and both ends."""
    number = len(reading.recall)
    if number <= _MOST_POINTS:
        chosen = np.arange(number)
    else:
        grid = np.linspace(0, float(reading.recall[-1]), _MOST_POINTS - 1)
        places = np.searchsorted(reading.recall, grid).clip(max=number - 1)
        chosen = np.unique([*places.tolist(), 0, number - 1])
    return [(float(reading.recall[at]), float(reading.precision[at])) for at in chosen]
