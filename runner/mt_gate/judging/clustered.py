"""The clustered test of every relation of a run and of all pooled, from paired violations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mt_gate.judging.family import Question, family_tests
from mt_gate.judging.pairing import Floats, Pairing, side_by_side
from mt_gate.judging.statistics import SEED, sign_flip_p, student_quantile
from mt_gate.results.result import RunSettings
from mt_gate.results.rules import MIN_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTest:
    """The clustered test of one pairing; ``p_value`` is None below MIN_CLUSTERS.

    ``p_adjusted`` and ``p_better`` (the test's other side) are among all tests of the run.
    ``threshold`` is how many standard deviations a difference needs for that, ``widened`` how many
    times wider than by sources alone it spreads between runs of one recipe.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0
    threshold: float = 0.0
    widened: float = 1.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is certain enough, and large enough, to fail."""
        return self.p_adjusted < settings.alpha and self.delta > settings.margin

    def improved(self, settings: RunSettings) -> bool:
        """The same, on the other side."""
        return self.p_better < settings.alpha and self.delta < -settings.margin


def clustered_tests(
    pairings: Sequence[Pairing], pooled: Pairing, settings: RunSettings
) -> list[ClusteredTest]:
    """Test relations and their pool as one family; the pool's test comes last.

    Args:
        pairings: of the relations.
        pooled: of ``pairing.pool``.
        settings: of which ``alpha`` counts.
    """
    filled = [pairing for pairing in pairings if pairing.sources]
    if len(filled) == 1:  # its pool is the very same test, made once
        test = clustered_test(filled[0], settings)
        nothing = ClusteredTest(delta=0.0)
        return [*(test if pairing is filled[0] else nothing for pairing in pairings), test]
    return _family([*pairings, pooled], side_by_side(pairings), settings)


def clustered_test(pairing: Pairing, settings: RunSettings) -> ClusteredTest:
    """Test a pairing by itself: the same test, no other beside it."""
    # Of a family of one only the pool is tested.
    *_, test = _family([_empty(pairing), pairing], side_by_side([pairing]), settings)
    return test


def _family(
    pairings: Sequence[Pairing], outcomes: Floats, settings: RunSettings
) -> list[ClusteredTest]:
    tested = [len(pairing.sources) >= MIN_CLUSTERS for pairing in pairings]
    deltas = [_delta(pairing) for pairing in pairings]
    if not any(tested):
        return [ClusteredTest(delta=delta) for delta in deltas]
    widened = [_widened(pairing, settings.alpha) for pairing in pairings]
    one_run = outcomes.shape[1] == 2
    family = family_tests(
        outcomes,
        Question(
            alpha=settings.alpha,
            tested=tested,
            widened=widened,
            worse=[_exact(p, 1) for p in pairings] if one_run else None,
            better=[_exact(p, -1) for p in pairings] if one_run else None,
            seed=SEED,
        ),
    )
    return [
        ClusteredTest(
            delta=deltas[i],
            p_value=family.worse.single[i],
            p_adjusted=family.worse.adjusted[i],
            p_better=family.better.adjusted[i],
            threshold=family.pool_threshold if i == len(pairings) - 1 else family.threshold,
            widened=widened[i],
        )
        if tested[i]
        else ClusteredTest(delta=deltas[i])
        for i in range(len(pairings))
    ]


def _delta(pairing: Pairing) -> float:
    return math.fsum(pairing.differences) / pairing.pairs if pairing.sources else 0.0


def _exact(pairing: Pairing, side: int) -> float:
    """Return the p of one side by itself; where the difference is on the other, it is not small."""
    differences = side * pairing.differences
    return 1.0 if math.fsum(differences) < 0 else sign_flip_p(differences, seed=SEED)


def _widened(pairing: Pairing, alpha: float) -> float:
    """Return how many times wider than by sources alone the difference of two runs spreads.

    Runs of one recipe differ by more than sources explain: a retrained checkpoint is a little
    better or worse everywhere. What the baseline's runs show of that, beyond what sources give,
    widens the test; as it is estimated from few runs, as much more as Student's t is wider than
    the normal distribution. One run shows nothing of it.
    """
    runs = pairing.violations[:, 1:]
    number = runs.shape[1]
    if number == 1 or not len(runs):
        return 1.0
    # Summed so that the order of sources shows in no digit.
    by_sources = math.fsum(runs.var(axis=1, ddof=1))
    totals = [math.fsum(run) for run in runs.T]
    excess = max(0.0, float(np.var(totals, ddof=1)) - by_sources)
    apart = pairing.violations - pairing.violations.mean(axis=1, keepdims=True)
    # The variance of the candidate's violations less the mean of the baseline's, runs exchanged.
    expected = math.fsum(np.square(apart).mean(axis=1)) * ((1 + number) / number) ** 2
    if not expected:
        return 1.0
    level = 1 - alpha / 2
    few = student_quantile(level, number - 1) / student_quantile(level, math.inf)
    return math.sqrt(1 + (1 + 1 / number) * excess * few**2 / expected)


def _empty(like: Pairing) -> Pairing:
    runs = like.violations.shape[1]
    return Pairing(sources=(), violations=np.zeros((0, runs)), weights=np.zeros(0))
