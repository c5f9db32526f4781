"""Violations weighed by how firm they are: advice beside a verdict, and no part of it.

A group that turned tells of a loss, and so do groups that hold by less than before. Here a group
counts, in place of 0 or 1, how far its closest call lies on the side of a violation: a half at
the point where its verdict turns, nearly 0 or 1 a little away from it. Distances are differences
of logits over the median of those of its run, so that a checkpoint that is surer, or less sure,
of the same answers shows nothing. The test is that of the verdict (``clustered``).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from mt_gate.base import figures
from mt_gate.judging.clustered import clustered_test
from mt_gate.judging.pairing import Pairing, pool
from mt_gate.judging.verdicts import Margins, RelationVerdicts
from mt_gate.results.result import Evidence, RunSettings

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
    test = clustered_test(pooled, settings) if pooled.sources else None
    if test is None or test.p_value is None:
        return None
    return Evidence(
        pairs=round(pooled.pairs),
        clusters=len(pooled.sources),
        delta=test.delta / STEPS,
        p_value=min(1.0, 2 * min(test.p_value, test.p_better)),
    )


def _scale(run: Sequence[RelationVerdicts]) -> float:
    """Return the median size of a run's margins, 0 where it has none."""
    sizes = [abs(m) for relation in run for some in relation.margins.values() for m in some]
    return median(sizes) if sizes else 0.0


def _graded(margins: Margins, scale: float) -> dict[str, int]:
    """Return the steps of a violation that each unit counts; of a source the mean of its groups."""
    return {
        unit: round(math.fsum(_violation(margin / scale) for margin in some) / len(some))
        for unit, some in margins.items()
    }


def _violation(distance: float) -> int:
    return round(STEPS / (1 + math.exp(min(_FARTHEST, distance / WIDTH))))


def _paired(candidate: RelationVerdicts, graded: Sequence[Mapping[str, int]]) -> Pairing:
    """Pair the units that have margins in all runs, added up by source."""
    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (1 + len(graded)))
    for unit in set(graded[0]).intersection(*graded[1:]):
        of_source = sums[candidate.source_of.get(unit, unit)]
        for at, number in enumerate((1, *(of_run[unit] for of_run in graded))):
            of_source[at] += number
    sources = sorted(sums)
    table = np.array([sums[source] for source in sources], dtype=np.float64)
    table = table.reshape(len(sources), 1 + len(graded))
    return Pairing(sources=tuple(sources), violations=table[:, 1:], weights=table[:, 0])


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
