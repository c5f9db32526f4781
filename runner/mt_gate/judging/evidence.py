"""Violations weighed by how firm they are: advice beside a verdict, and no part of it.

A group that turned tells of a loss, and so do groups that hold by less than before. Here a group
counts, in place of 0 or 1, how far its closest call lies on the side of a violation: a half at
the point where its verdict turns, nearly 0 or 1 a little away from it. Distances are differences
of logits over the median of those of its run, so that a checkpoint that is surer, or less sure,
of the same answers shows nothing. The test is that of the verdict (``clustered``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mt_gate.base import figures
from mt_gate.base.sorted_ids import intersection
from mt_gate.judging.clustered import clustered_test, delta_of
from mt_gate.judging.pairing import Pairing, pool
from mt_gate.judging.statistics import SEED, sign_flip_p
from mt_gate.judging.units import Floats, Margins
from mt_gate.judging.verdicts import RelationVerdicts
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
    margins = [[relation.margins for relation in run] for run in runs]
    pooled = pool(
        [
            _paired(new, of_runs, steps)
            for new, of_runs, steps in zip(
                now, zip(*margins, strict=True), zip(*graded, strict=True), strict=True
            )
        ]
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
    sizes = np.abs(np.concatenate([np.empty(0), *(of.margins.flat for of in run)]))
    return float(np.median(sizes)) if len(sizes) else 0.0


def _graded(margins: Margins, scale: float) -> Floats:
    """Return the steps of a violation that each unit counts; of a source the mean of its groups."""
    if not margins:
        return np.empty(0)
    steps = np.rint(STEPS / (1 + np.exp(np.minimum(_FARTHEST, margins.flat / scale / WIDTH))))
    return np.asarray(np.rint(np.add.reduceat(steps, margins.starts[:-1]) / margins.sizes))


def _paired(
    candidate: RelationVerdicts, margins: Sequence[Margins], steps: Sequence[Floats]
) -> Pairing:
    """Pair the units that have margins in all runs, added up by source."""
    units = intersection(of_run.ids for of_run in margins)
    if candidate.bound or not candidate.source_of:
        sources, at = units, np.arange(len(units))
    else:
        sources, at = candidate.source_of.by_source(units)
    columns = [
        counted[of_run.ids.positions(units)] for of_run, counted in zip(margins, steps, strict=True)
    ]
    sums = [np.bincount(at, column, len(sources)) for column in columns]
    return Pairing(
        sources=sources,
        violations=np.array(sums, dtype=np.float64).T.reshape(len(sources), len(steps)),
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
