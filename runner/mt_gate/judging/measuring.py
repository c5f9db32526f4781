"""What is measured of paired runs: the clustered test, its interval, the share applicable.

Numbers only; ``findings`` says what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from mt_gate.judging import statistics
from mt_gate.judging.applicability import compare_applicability
from mt_gate.judging.clustered import (
    ClusteredTest,
    clustered_test,
    clustered_tests,
    delta_of,
)
from mt_gate.judging.looks import of_collapse
from mt_gate.judging.pairing import Pairing, pair, pool
from mt_gate.judging.verdicts import RelationVerdicts, without_unstable
from mt_gate.results import rules
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings
from mt_gate.settings.policy import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One relation, or all pooled, in numbers; ``stable`` is the test without unstable groups.

    ``settings`` are those that it is judged by: alpha and margin are its own. ``plain_margin`` is
    the margin without what is accepted for now, ``pool_margin`` of all pooled the one that a strict
    gate wants shown, and ``part`` what of the pool rose by more than it may.
    """

    pairing: Pairing
    test: ClusteredTest
    stable: ClusteredTest
    figures: ComparisonFigures
    settings: RunSettings
    plain_margin: float
    pool_margin: float | None = None
    part: rules.Part | None = None


class _Runs(NamedTuple):
    """Relations of all runs, in one order, and the settings that each is judged by."""

    now: Sequence[RelationVerdicts]
    before: Sequence[Sequence[RelationVerdicts]]
    pairings: Sequence[Pairing]
    own: Sequence[RunSettings]
    plain: Sequence[float]

    def at(self, indices: Sequence[int]) -> _Runs:
        """Return some of them."""
        return _Runs(
            [self.now[i] for i in indices],
            [self.before[i] for i in indices],
            [self.pairings[i] for i in indices],
            [self.own[i] for i in indices],
            [self.plain[i] for i in indices],
        )


class _How(NamedTuple):
    """Whether both runs are of one checkpoint, and at which look they are measured, 0 at none."""

    same: bool
    look: int


def measure_all(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
    settings: RunSettings,
    *,
    same: bool = False,
    look: int = 0,
) -> list[Measured]:
    """Measure each relation, and last those that block pooled; the tests of a tier are one family.

    A relation that its policy wants shown alone is tested by itself, for its figures.

    Args:
        now: the candidate's verdicts, one relation each.
        before: the same of each run of the baseline.
        pairings: of the two.
        settings: of which ``alpha``, ``margin`` and ``policy`` count.
        same: whether candidate and baseline are one checkpoint.
        look: which one this is, of a run that is judged at looks; 0 where it is judged once.
    """
    paired = {new.id: _paired(pairing) for new, pairing in zip(now, pairings, strict=True)}
    own = [rules.of_relation(settings, name, of) for name, of in paired.items()]
    plain = [rules.plain_margin(settings, name, of) for name, of in paired.items()]
    runs = _Runs(now, before, pairings, own, plain)
    how = _How(same, look)
    of_tier: dict[Tier, list[int]] = {tier: [] for tier in Tier}
    for i, new in enumerate(now):
        of_tier[settings.policy.tier(new.id)].append(i)
    found: dict[int, Measured] = {}
    together = rules.of_pool(settings, paired)
    *each, pooled = _measure_family(runs.at(of_tier[Tier.BLOCK]), together, how)
    pooled = replace(
        _with_parts(pooled, runs.at(of_tier[Tier.BLOCK]), paired, settings, how),
        plain_margin=rules.plain_margin_of_pool(settings, paired),
        pool_margin=rules.shown_margin_of_pool(settings, paired),
    )
    found.update(zip(of_tier[Tier.BLOCK], each, strict=True))
    if of_tier[Tier.WARN]:
        warned = runs.at(of_tier[Tier.WARN])
        family = rules.of_family(settings, Tier.WARN, warned.now[0].id)
        *each, _ = _measure_family(warned, family, how, pool_tested=False)
        found.update(zip(of_tier[Tier.WARN], each, strict=True))
    for i in of_tier[Tier.REPORT]:
        found[i], _ = _measure_family(runs.at([i]), own[i], how)
    return [*(found[i] for i in range(len(now))), pooled]


def _paired(pairing: Pairing) -> rules.Paired:
    pairs = round(pairing.pairs)
    if len(pairing.sources) < rules.MIN_CLUSTERS:
        return rules.Paired(pairs, None, None)
    return rules.Paired(pairs, _baseline_rate(pairing), delta_of(pairing))


def _baseline_rate(pairing: Pairing) -> float:
    before = pairing.violations[:, 1:]
    return min(1.0, math.fsum(before.ravel()) / int(before.shape[1]) / pairing.pairs)


def _measure_family(
    runs: _Runs, together: RunSettings, how: _How, *, pool_tested: bool = True
) -> list[Measured]:
    """Measure relations and last their pool, whose tests are one family.

    Args:
        runs: the relations.
        together: what the family, and its pool, are judged by.
        how: what of the run is measured.
        pool_tested: whether the pool is one of the family.
    """
    now, before, pairings, own, plain = runs
    pooled = pool(pairings)
    apart = {
        i: of
        for i, (new, of) in enumerate(zip(now, own, strict=True))
        if of.policy.of(new.id).share is not None
    }
    tests = clustered_tests(
        pairings, pooled, together, apart, pool_tested=pool_tested, look=how.look
    )
    every, judged_by = [*pairings, pooled], [*own, together]
    stable: Sequence[ClusteredTest] = tests
    regressed = any(test.regressed(by) for test, by in zip(tests, judged_by, strict=True))
    if pooled.unstable and regressed:
        kept = _without_unstable(runs)
        stable = clustered_tests(
            kept, pool(kept), together, apart, pool_tested=pool_tested, look=how.look
        )
    shares = compare_applicability(now, before, of_collapse(how.look) if how.look else 1.0)
    return [
        Measured(
            pairing=pairing,
            test=test,
            stable=without,
            figures=_figures(pairing, test, share, by, how.same),
            settings=by,
            plain_margin=margin,
        )
        for pairing, test, without, share, by, margin in zip(
            every, tests, stable, shares, judged_by, [*plain, together.margin], strict=True
        )
    ]


def _with_parts(
    pooled: Measured,
    runs: _Runs,
    paired: Mapping[str, rules.Paired],
    settings: RunSettings,
    how: _How,
) -> Measured:
    """Return a pool with what is found of its parts, see ``rules.parts_of_pool``."""
    if pooled.test.p_value is None or not rules.has_parts(settings, paired):
        return pooled
    of_each = {new.id: of for new, of in zip(runs.now, runs.pairings, strict=True)}
    found = without = _clearest_part(of_each, pooled.test, settings, pooled.settings, how)
    if pooled.stable is not pooled.test:
        kept = dict(zip(of_each, _without_unstable(runs), strict=True))
        without = _clearest_part(kept, pooled.stable, settings, pooled.settings, how)
    return replace(
        pooled,
        test=replace(pooled.test, p_part=found.p_value),
        stable=replace(pooled.stable, p_part=without.p_value),
        figures=msgspec.structs.replace(pooled.figures, p_part=found.p_value),
        part=found.part,
    )


class _TestedPart(NamedTuple):
    """The part of a pool that is least likely by chance of those that rose by more than they may.

    Its p is doubled, since relations are tested beside it, and 1 where none did.
    """

    p_value: float
    part: rules.Part | None


def _clearest_part(
    pairings: Mapping[str, Pairing],
    whole: ClusteredTest,
    settings: RunSettings,
    by: RunSettings,
    how: _How,
) -> _TestedPart:
    """Test the parts of a pool.

    Args:
        pairings: of the relations that block.
        whole: the test of all of them.
        settings: of the run.
        by: what the pool is judged by.
        how: what of the run is measured.
    """
    # With the differences of those that are too small for a test of their own.
    each = {
        name: _paired(of)._replace(delta=delta_of(of) if of.sources else None)
        for name, of in pairings.items()
    }
    there = sum(of.delta is not None for of in each.values())
    clearest = _TestedPart(1.0, None)
    for part in rules.parts_of_pool(settings, each):
        if not part.rose:
            continue
        p = whole.p_adjusted
        if len(part.relations) < there:
            alone = clustered_test(pool([pairings[name] for name in part.relations]), by, how.look)
            p = 1.0 if alone.p_value is None else min(1.0, 2 * alone.p_value)
        if p < clearest.p_value:
            clearest = _TestedPart(p, part)
    return clearest


def measure_alone(pairing: Pairing, settings: RunSettings) -> Measured:
    """Measure a pairing that is tested by itself: the same test, no other beside it."""
    test = clustered_test(pairing, settings)
    figures = _figures(pairing, test, None, settings, False)
    return Measured(
        pairing=pairing,
        test=test,
        stable=test,
        figures=figures,
        settings=settings,
        plain_margin=settings.margin,
    )


def _without_unstable(runs: _Runs) -> list[Pairing]:
    """Pair what noise turns in no run; a relation with too many unstable pairs keeps them all."""
    return [
        _pair_stable(new, old) if pairing.excusable else pairing
        for new, old, pairing in zip(runs.now, runs.before, runs.pairings, strict=True)
    ]


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
    baseline_rate = _baseline_rate(pairing)
    effect = None
    if math.isfinite(test.threshold):
        effect = statistics.minimum_detectable_effect(
            differences,
            weights,
            threshold=test.threshold,
            margin=settings.margin,
            added=test.added,
        )
    return msgspec.structs.replace(
        counts,
        delta=test.delta,
        ci95=statistics.difference_interval(differences, weights, added=test.added),
        p_value=test.p_value,
        p_adjusted=test.p_adjusted,
        p_better=test.p_better,
        minimum_detectable_effect=None if effect is None else min(effect, 1 - baseline_rate),
        provable_margin=statistics.provable_margin(differences, weights, added=test.added),
        baseline_rate=baseline_rate,
        candidate_rate=min(1.0, max(0.0, baseline_rate + test.delta)),
    )
