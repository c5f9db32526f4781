"""Precision-recall curves over ranked facts, and the figures read off them.

Pairs of a unit and a relation are ranked by score. Each distinct score is one point of the curve,
so tied pairs enter together and their order does not matter. AUC is the trapezoidal area between
the points, as usual in the field (``sklearn.metrics.auc`` over the curve of OpenNRE). As in
OpenNRE, the curve starts at the first pair: if the first point has n tied pairs, the curve starts
at 1/n of its recall, with its precision. Facts that are not ranked are missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.statistics import SEED, SMALLEST_P

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
_DRAWS = 500
"""Bootstrap samples of a curve, by cluster. Fewer above 300,000 pairs, none above 1.5 million."""
_LEAST_DRAWS = 100
_MAX_WORK = 150_000_000
_TAILS = (0.025, 0.975)
_ROUNDING = 1e-6
"""Stored figures have six decimals."""
_MOST_POINTS = 200


class Ranking(NamedTuple):
    """Pairs of a unit and a relation, best score first; clusters and relations are numbers.

    ``ends`` has the position of the last pair of each block of equal scores. ``fact_cluster`` and
    ``fact_relation`` list the facts of the labels, ranked or not.
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
    """A curve and its figures; ``best`` is the index in ``Ranking.ends`` of the best F1."""

    precision: Floats
    recall: Floats
    auc: float
    average_precision: float
    micro_f1: float
    macro_f1: float
    best: int


class Intervals(NamedTuple):
    """The 95 % intervals of a curve's figures; None if too many pairs or too few clusters."""

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
    """Rank all pairs of a unit and a relation; also return the names of the relations.

    ``scores`` are (units, columns); ``known`` is whether each unit, or each pair, has scores. The
    names are those of the columns, then relations that only the labels have.
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
    """Return the curve and its figures; None if there are no facts or no pairs.

    ``weights`` is how often each cluster counts, shape (clusters,); once by default.
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
    last = int(ranking.ends[at + best])
    facts, predicted, hits = _by_relation(ranking, pairs, weigh, last)
    some = facts > 0
    return CurveFigures(
        precision=precision,
        recall=recall,
        auc=float(area),
        average_precision=float((np.diff(recall, prepend=0) * precision).sum()),
        micro_f1=float(f1[best]),
        macro_f1=float((2 * hits[some] / (predicted[some] + facts[some])).mean()),
        best=at + best,
    )


def _by_relation(
    ranking: Ranking, pairs: Floats, weights: Floats, last: int
) -> tuple[NDArray[Any], ...]:
    """Return weighted facts, predictions and hits by relation, for the pairs up to ``last``."""
    size, own = ranking.relations, slice(0, last + 1)
    relation = ranking.relation[own]
    return (
        np.bincount(ranking.fact_relation, weights[ranking.fact_cluster], size),
        np.bincount(relation, pairs[own], size),
        np.bincount(relation, pairs[own] * ranking.right[own], size),
    )


def counts(ranking: Ranking, last: int) -> list[tuple[int, int, int]]:
    """Return facts, predictions and hits by relation, for the pairs up to ``last``."""
    once = np.ones(len(ranking.scores)), np.ones(ranking.clusters)
    columns = (column.astype(int).tolist() for column in _by_relation(ranking, *once, last))
    return [(facts, said, hits) for facts, said, hits in zip(*columns, strict=True)]


class Resamples(NamedTuple):
    """AUC, micro F1 and macro F1 in bootstrap samples of clusters, shape (samples, 3).

    A row is NaN if its sample has no curve. The clusters of a sample depend only on their number,
    so two systems have the same samples of a labelled file. ``first`` is a checksum of the first.
    """

    values: Floats
    first: int = 0


def resample(ranking: Ranking) -> Resamples:
    """Return the figures of bootstrap samples; none if too many pairs or too few clusters."""
    draws = min(_DRAWS, _MAX_WORK // max(1, len(ranking.scores)))
    if draws < _LEAST_DRAWS or ranking.clusters < 2:
        return Resamples(np.empty((0, 3)))
    rng = np.random.default_rng(SEED)
    values, first = np.full((draws, 3), np.nan), 0
    for row in range(draws):
        drawn = rng.integers(ranking.clusters, size=ranking.clusters)
        first = first or crc32(drawn.astype("<i8").tobytes())
        weights = np.bincount(drawn, minlength=ranking.clusters).astype(np.float64)
        reading = read(ranking, weights)
        if reading:
            values[row] = reading.auc, reading.micro_f1, reading.macro_f1
    return Resamples(values, first)


def intervals(resamples: Resamples) -> Intervals:
    """Return percentile intervals from bootstrap samples."""
    values = resamples.values[~np.isnan(resamples.values[:, 0])]
    if len(values) < _LEAST_DRAWS:
        return Intervals()
    low, high = np.quantile(values, _TAILS, axis=0)
    return Intervals(*((float(a), float(b)) for a, b in zip(low, high, strict=True)))


def fall_p(before: float, now: float, differences: Floats) -> float | None:
    """Return the one-sided p for a fall of a figure; None with too few bootstrap samples.

    ``differences`` are those of the two systems' figures in the same samples. Their standard
    deviation is the standard error of ``now - before`` (Efron and Tibshirani 1993, chapter 6).
    """
    values = differences[~np.isnan(differences)]
    if len(values) < _LEAST_DRAWS:
        return None
    error = float(values.std(ddof=1))
    if error < _ROUNDING:
        return 1.0 if now > before - _ROUNDING else SMALLEST_P
    return max(SMALLEST_P, NormalDist().cdf((now - before) / error))


def precision_at(ranking: Ranking, numbers: Sequence[int]) -> dict[str, float]:
    """Return the precision of the first N pairs, for each N; its expected value for ties at N."""
    precisions: dict[str, float] = {}
    right = np.cumsum(ranking.right)
    for number in numbers:
        if number > len(ranking.scores):
            continue
        block = int(np.searchsorted(ranking.ends, number - 1))
        before = int(ranking.ends[block - 1]) + 1 if block else 0
        hits = int(right[before - 1]) if before else 0
        end = int(ranking.ends[block]) + 1
        share = (int(right[end - 1]) - hits) / (end - before)
        precisions[str(number)] = (hits + share * (number - before)) / number
    return precisions


def thinned(reading: CurveFigures) -> list[tuple[float, float]]:
    """Return (recall, precision) of at most about 200 points: evenly by recall, and both ends."""
    number = len(reading.recall)
    if number <= _MOST_POINTS:
        chosen = np.arange(number)
    else:
        grid = np.linspace(0, float(reading.recall[-1]), _MOST_POINTS - 1)
        places = np.searchsorted(reading.recall, grid).clip(max=number - 1)
        chosen = np.unique([*places.tolist(), 0, number - 1])
    return [(float(reading.recall[at]), float(reading.precision[at])) for at in chosen]
