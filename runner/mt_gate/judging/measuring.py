"""What is measured of paired runs: the clustered test, its interval, the share applicable.

Numbers only; ``findings`` says what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from mt_gate.judging import statistics
from mt_gate.judging.applicability import compare_applicability
from mt_gate.judging.clustered import ClusteredTest, clustered_test, clustered_tests
from mt_gate.judging.pairing import Pairing, pair, pool
from mt_gate.judging.verdicts import RelationVerdicts, without_unstable
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings


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
    *,
    same: bool = False,
) -> list[Measured]:
    """Measure each relation, and last all of them pooled; the tests are one family.

    Args:
        now: the candidate's verdicts, one relation each.
        before: the same of each run of the baseline.
        pairings: of the two.
        settings: of which ``alpha`` and ``margin`` count.
        same: whether candidate and baseline are one checkpoint.
    """
    together = [*pairings, pool(pairings)]
    tests = clustered_tests(pairings, together[-1], settings)
    stable = _test_without_unstable(now, before, together, tests, settings)
    shares = compare_applicability(now, before)
    return [
        Measured(
            pairing=pairing,
            test=test,
            stable=without,
            figures=_figures(pairing, test, share, settings, same),
        )
        for pairing, test, without, share in zip(together, tests, stable, shares, strict=True)
    ]


def measure_alone(pairing: Pairing, settings: RunSettings) -> Measured:
    """Measure a pairing that is tested by itself: the same test, no other beside it."""
    test = clustered_test(pairing, settings)
    figures = _figures(pairing, test, None, settings, False)
    return Measured(pairing=pairing, test=test, stable=test, figures=figures)


def _test_without_unstable(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
    tests: Sequence[ClusteredTest],
    settings: RunSettings,
) -> Sequence[ClusteredTest]:
    """Test again on what noise turns in no run, where that could change a decision.

    A relation with too many unstable pairs keeps them all.
    """
    if not pairings[-1].unstable or not any(test.regressed(settings) for test in tests):
        return tests
    kept = [
        _pair_stable(new, old) if pairing.excusable else pairing
        for new, old, pairing in zip(now, before, pairings[:-1], strict=True)
    ]
    return clustered_tests(kept, pool(kept), settings)


def _pair_stable(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair what noise could turn in none of the runs."""
    now, *before = without_unstable([candidate, *baselines])
    return pair(now, before)


def _figures(
    pairing: Pairing,
    test: ClusteredTest,
    applicability: Applicability | None,
    settings: RunSettings,
    same: bool,
) -> ComparisonFigures:
    """Return the numbers of a comparison; without a test it has none but counts."""
    differences, weights = pairing.differences, pairing.weights
    counts = ComparisonFigures(
        pairs=round(pairing.pairs),
        clusters=len(pairing.sources),
        new_violations=len(pairing.new),
        fixed_violations=len(pairing.fixed),
        delta=None,
        ci95=None,
        p_value=None,
        p_adjusted=None,
        minimum_detectable_effect=None,
        applicability=applicability,
        unstable=pairing.unstable,
        unchanged=same and not differences.any(),
    )
    if test.p_value is None:
        return counts
    before = pairing.violations[:, 1:]
    baseline_rate = min(1.0, math.fsum(before.ravel()) / before.shape[1] / pairing.pairs)
    effect = statistics.minimum_detectable_effect(
        differences,
        weights,
        threshold=test.threshold,
        margin=settings.margin,
        widened=test.widened,
    )
    return msgspec.structs.replace(
        counts,
        delta=test.delta,
        ci95=statistics.difference_interval(differences, weights, widened=test.widened),
        p_value=test.p_value,
        p_adjusted=test.p_adjusted,
        p_better=test.p_better,
        minimum_detectable_effect=min(effect, 1 - baseline_rate),
        provable_margin=statistics.provable_margin(differences, weights, widened=test.widened),
        baseline_rate=baseline_rate,
        candidate_rate=min(1.0, max(0.0, baseline_rate + test.delta)),
    )
