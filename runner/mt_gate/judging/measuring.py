"""What is measured of paired runs: the clustered test, its interval, the share applicable.

Numbers only; ``findings`` says what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from mt_gate.judging import statistics
from mt_gate.judging.applicability import compare_applicability
from mt_gate.judging.pairing import Pairing, pair, pool
from mt_gate.judging.statistics import SEED
from mt_gate.judging.verdicts import RelationVerdicts, without_unstable
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings
from mt_gate.results.rules import MIN_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTest:
    """The clustered test of one pairing; ``p_value`` is None below MIN_CLUSTERS.

    ``p_adjusted`` and ``p_better`` (the test's other side) are after Holm.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is certain enough, and large enough, to fail."""
        return self.p_adjusted < settings.alpha and self.delta > settings.margin

    def improved(self, settings: RunSettings) -> bool:
        """The same, on the other side."""
        return self.p_better < settings.alpha and self.delta < -settings.margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One relation, or all pooled, in numbers; ``stable`` is the test without unstable groups."""

    pairing: Pairing
    test: ClusteredTest
    stable: ClusteredTest
    figures: ComparisonFigures


def measure_all(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
    settings: RunSettings,
) -> list[Measured]:
    """Measure each relation, and last all of them pooled; the tests are one family."""
    together = [*pairings, pool(pairings)]
    tests = _test_all(together)
    stable = _test_without_unstable(now, before, together, tests, settings)
    family = sum(test.p_value is not None for test in tests)
    shares = compare_applicability(now, before)
    return [
        Measured(
            pairing=pairing,
            test=test,
            stable=without,
            figures=_figures(pairing, test, share, settings, family),
        )
        for pairing, test, without, share in zip(together, tests, stable, shares, strict=True)
    ]


def measure_alone(pairing: Pairing, settings: RunSettings) -> Measured:
    """Measure a pairing that is tested by itself: the same test, no other beside it."""
    (test,) = _test_all([pairing])
    figures = _figures(pairing, test, None, settings, family=1)
    return Measured(pairing=pairing, test=test, stable=test, figures=figures)


def _test(pairing: Pairing) -> ClusteredTest:
    total = math.fsum(pairing.weights.values())
    delta = math.fsum(pairing.differences.values()) / total if total else 0.0
    if len(pairing.weights) < MIN_CLUSTERS:
        return ClusteredTest(delta=delta)
    differences = np.fromiter(pairing.differences.values(), dtype=np.float64)
    # Where the difference is not below 0 its other side cannot be small.
    better = statistics.sign_flip_p(-differences, seed=SEED) if delta < 0 else 1.0
    worse = statistics.sign_flip_p(differences, seed=SEED)
    return ClusteredTest(delta=delta, p_value=worse, p_better=better)


def _test_all(pairings: Sequence[Pairing]) -> list[ClusteredTest]:
    """ClusteredTest every pairing; those with enough sources are one family for Holm."""
    tests = [_test(pairing) for pairing in pairings]
    worse = {i: test.p_value for i, test in enumerate(tests) if test.p_value is not None}
    adjusted = statistics.holm(list(worse.values()))
    better = statistics.holm([tests[i].p_better for i in worse])
    for i, p_adjusted, p_better in zip(worse, adjusted, better, strict=True):
        tests[i] = replace(tests[i], p_adjusted=p_adjusted, p_better=p_better)
    return tests


def _test_without_unstable(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
    tests: Sequence[ClusteredTest],
    settings: RunSettings,
) -> Sequence[ClusteredTest]:
    """ClusteredTest again on what noise turns in no run, where that could change a decision.

    A relation with too many unstable pairs keeps them all.
    """
    if not pairings[-1].unstable or not any(test.regressed(settings) for test in tests):
        return tests
    kept = [
        _pair_stable(new, old) if pairing.excusable else pairing
        for new, old, pairing in zip(now, before, pairings[:-1], strict=True)
    ]
    return _test_all([*kept, pool(kept)])


def _pair_stable(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair what noise could turn in none of the runs."""
    now, *before = without_unstable([candidate, *baselines])
    return pair(now, before)


def _figures(
    pairing: Pairing,
    test: ClusteredTest,
    applicability: Applicability | None,
    settings: RunSettings,
    family: int,
) -> ComparisonFigures:
    """Return the numbers of a comparison; without a test it has none but counts."""
    counts = ComparisonFigures(
        pairs=round(math.fsum(pairing.weights.values())),
        clusters=len(pairing.weights),
        new_violations=len(pairing.new),
        fixed_violations=len(pairing.fixed),
        delta=None,
        ci95=None,
        p_value=None,
        p_adjusted=None,
        minimum_detectable_effect=None,
        applicability=applicability,
        unstable=pairing.unstable,
    )
    if test.p_value is None:
        return counts
    differences, weights = list(pairing.differences.values()), list(pairing.weights.values())
    baseline_rate = pairing.baseline_violations / counts.pairs
    return msgspec.structs.replace(
        counts,
        delta=test.delta,
        ci95=statistics.bootstrap_interval(differences, weights, seed=SEED),
        p_value=test.p_value,
        p_adjusted=test.p_adjusted,
        minimum_detectable_effect=statistics.minimum_detectable_effect(
            differences, weights, alpha=settings.alpha / family, margin=settings.margin
        ),
        baseline_rate=baseline_rate,
        candidate_rate=min(1.0, max(0.0, baseline_rate + test.delta)),
    )
