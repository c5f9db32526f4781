"""Violations weighed by how firm they are: advice beside a verdict, and no part of it.

A group that turned tells of a loss, and so do groups that hold by less than before. Here a group
counts, in place of 0 or 1, how far its closest call lies on the side of a violation: a half at
the point where its verdict turns, nearly 0 or 1 a little away from it. Distances are differences
of logits over the median of those of its run, so that a checkpoint that is surer, or less sure,
of the same answers shows nothing. The test is that of the verdict (``clustered``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from mt_gate.base import figures
from mt_gate.judging.clustered import clustered_test, delta_of
from mt_gate.judging.pairing import Floats, Pairing, pool
from mt_gate.judging.statistics import SEED, sign_flip_p
from mt_gate.judging.verdicts import Margins, RelationVerdicts
from mt_gate.results.result import Evidence, RunSettings
from mt_gate.results.rules import MIN_CLUSTERS

WIDTH = 0.2
"""Of the smoothing, as a share of a run's median margin; chosen on the shipped pairs
(docs/trust.md, "Graded evidence")."""
STEPS = 50
"""Into which a violation is divided: what moves by less, such as rounding, has not moved."""
_FARTHEST = 700.0


def graded_evidence(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    settings: RunSettings,
) -> Evidence | None:
    """Return how violations moved, weighed by margin; None where a run keeps no margins.

    Args:
        now: the candidate's relations, those that block.
        before: the same of each run of the baseline.
        settings: of which ``alpha`` counts.
    """
    runs = [now, *zip(*before, strict=True)]
    scales = [_scale(run) for run in runs]
    if not all(scales):
        return None
    graded = [
        [_graded(relation.margins, scale) for relation in run]
        for run, scale in zip(runs, scales, strict=True)
    ]
    pooled = pool(
        [_paired(new, of_runs) for new, of_runs in zip(now, zip(*graded, strict=True), strict=True)]
    )
    if len(pooled.sources) < MIN_CLUSTERS:
        return None
    return Evidence(
        pairs=round(pooled.pairs),
        clusters=len(pooled.sources),
        delta=delta_of(pooled) / STEPS,
        p_value=min(1.0, 2 * min(_sides(pooled, settings))),
    )


def _sides(pooled: Pairing, settings: RunSettings) -> tuple[float, ...]:
    """Return the p of either side; with one run in the baseline it is exact, and draws nothing."""
    if pooled.runs == 2:
        return tuple(sign_flip_p(side * pooled.differences, seed=SEED) for side in (1, -1))
    test = clustered_test(pooled, settings)
    return (1.0 if test.p_value is None else test.p_value, test.p_better)


def _scale(run: Sequence[RelationVerdicts]) -> float:
    """Return the median size of a run's margins, 0 where it has none."""
    sizes = np.abs(np.concatenate([np.empty(0), *(_flat(of.margins) for of in run)]))
    return float(np.median(sizes)) if len(sizes) else 0.0


def _flat(margins: Margins) -> Floats:
    return np.fromiter(chain.from_iterable(margins.values()), np.float64)


def _graded(margins: Margins, scale: float) -> dict[str, float]:
    """Return the steps of a violation that each unit counts; of a source the mean of its groups."""
    if not margins:
        return {}
    steps = np.rint(STEPS / (1 + np.exp(np.minimum(_FARTHEST, _flat(margins) / scale / WIDTH))))
    sizes = np.fromiter(map(len, margins.values()), np.int64, len(margins))
    means = np.rint(np.add.reduceat(steps, np.cumsum(sizes) - sizes) / sizes)
    return dict(zip(margins, means.tolist(), strict=True))


def _paired(candidate: RelationVerdicts, graded: Sequence[Mapping[str, float]]) -> Pairing:
    """Pair the units that have margins in all runs, added up by source."""
    units = list(set(graded[0]).intersection(*graded[1:]))
    source_of = {} if candidate.bound else candidate.source_of
    of_units = [source_of.get(unit, unit) for unit in units]
    sources = sorted(set(of_units))
    index = {source: at for at, source in enumerate(sources)}
    at = np.fromiter(map(index.__getitem__, of_units), np.int64, len(units))
    columns = [np.fromiter(map(run.__getitem__, units), np.float64, len(units)) for run in graded]
    sums = [np.bincount(at, column, len(sources)) for column in columns]
    return Pairing(
        sources=tuple(sources),
        violations=np.array(sums, dtype=np.float64).T.reshape(len(sources), len(graded)),
        weights=np.bincount(at, minlength=len(sources)).astype(np.float64),
    )


def in_words(found: Evidence, alpha: float) -> str:
    """Return the sentence for a reader; empty where the evidence is not beyond chance."""
    if found.p_value >= alpha:
        return ""
    moved = "rose" if found.delta > 0 else "fell"
    return (
        f"graded evidence, no part of the verdict: violations weighed by margin {moved} by "
        f"{figures.size_in_points(abs(found.delta))} (p {figures.p_value(found.p_value)}): answers "
        f"that hold lie {'nearer to' if found.delta > 0 else 'farther from'} turning, or turned"
    )
