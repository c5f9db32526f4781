"""Measure paired runs: the clustered test, its interval, the share of testable cases.

This module computes numbers only; ``findings`` decides on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import NamedTuple

import msgspec

from mt_gate.domain import PREDICTED, metamorphic
from mt_gate.judging import statistics
from mt_gate.judging.clustered import (
    ClusteredTest,
    Pairing,
    clustered_test,
    clustered_tests,
    pair,
    pool,
)
from mt_gate.judging.family import alpha_for_collapse, share_predicted
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    applicable_units,
    observed_units,
    without_unstable,
)
from mt_gate.results import rules
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings, Share
from mt_gate.settings.policy import Tier, task_of

LEAST_CHANCE = 0.1
"""Chance of still finding a regression, below which a run may stop early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The numbers of one relation or the pool; ``stable`` is the test without unstable groups.

    ``settings`` have the alpha and margin that apply to this relation. ``plain_margin`` is the
    margin without temporarily accepted regressions. ``slices`` are the relation's slices by name,
    tested in the same family.
    """

    pairing: Pairing
    test: ClusteredTest
    stable: ClusteredTest
    figures: ComparisonFigures
    settings: RunSettings
    plain_margin: float
    slices: Mapping[str, Measured] = field(default_factory=dict)


def measure_all(
    now: Mapping[str, RelationVerdicts],
    before: Mapping[str, Sequence[RelationVerdicts]],
    pairings: Mapping[str, Pairing],
    settings: RunSettings,
    *,
    same: bool = False,
    look: int = 0,
) -> tuple[dict[str, Measured], Measured]:
    """Measure each relation, and the pool of the blocking ones; the tests of a tier are one family.

    A relation of tier report is tested separately, for its figures only. ``same`` is whether
    candidate and baseline are one checkpoint. ``look`` is the number of the interim analysis, 0 if
    a run is judged once.
    """
    paired = {
        name: rules.Paired(
            round(pairing.pairs),
            _baseline_rate(pairing) if len(pairing.sources) >= rules.MIN_CLUSTERS else None,
        )
        for name, pairing in pairings.items()
    }
    run = _Measuring(now, before, pairings, settings, same, look, paired)
    by_tier: dict[Tier, list[str]] = {tier: [] for tier in Tier}
    for name in now:
        by_tier[settings.policy.tier(name)].append(name)
    measured, pooled = run.measure(
        by_tier[Tier.BLOCK], rules.make_pool_settings(settings, run.paired)
    )
    plain = rules.make_pool_settings(settings, run.paired, plain=True)
    pooled = replace(pooled, plain_margin=plain.margin)
    if warned := by_tier[Tier.WARN]:
        part = settings.policy.part_of_family(Tier.WARN, task_of(warned[0]))
        together = msgspec.structs.replace(settings, alpha=settings.alpha * part)
        measured |= run.measure(warned, together, pool_tested=False)[0]
    for name in by_tier[Tier.REPORT]:
        alone = rules.make_relation_settings(settings, name, run.paired[name])
        measured |= run.measure([name], alone)[0]
    return {name: measured[name] for name in now}, pooled


def _baseline_rate(pairing: Pairing) -> float:
    violations = math.fsum(pairing.baseline.ravel())
    return min(1.0, violations / int(pairing.baseline.shape[1]) / pairing.pairs)


class _Measuring(NamedTuple):
    """The relations of a candidate and its baseline, and what their margins depend on."""

    now: Mapping[str, RelationVerdicts]
    before: Mapping[str, Sequence[RelationVerdicts]]
    pairings: Mapping[str, Pairing]
    settings: RunSettings
    same: bool
    look: int
    paired: Mapping[str, rules.Paired]

    def measure(
        self, names: Sequence[str], together: RunSettings, *, pool_tested: bool = True
    ) -> tuple[dict[str, Measured], Measured]:
        """Measure relations and their pool as one family with the settings ``together``."""
        own = {
            name: rules.make_relation_settings(self.settings, name, self.paired[name])
            for name in names
        }
        pooled_names = rules.pooled(names, self.settings)
        ordered = [*pooled_names, *(name for name in names if name not in pooled_names)]
        runs = {name: (self.now[name], *self.before[name]) for name in ordered}
        # Relations first, then their slices.
        parts = [_Part(name, None, runs[name], self.pairings[name]) for name in ordered]
        for name in filter(runs.__contains__, self.now):
            for of_slice, groups in self.now[name].slices.items():
                sides = [run.within(groups, of_slice) for run in runs[name]]
                parts.append(_Part(name, of_slice, sides, pair(sides[0], sides[1:])))
        alone = {
            i: own[part.relation]
            for i, part in enumerate(parts[: len(names)])
            if self.settings.policy.of(part.relation).share is not None
        }

        def test(pairings: Sequence[Pairing]) -> tuple[Pairing, list[ClusteredTest]]:
            relations, slices = pairings[: len(pooled_names)], pairings[len(pooled_names) :]
            pooled = pool(relations)
            return pooled, clustered_tests(
                relations,
                pooled,
                together,
                alone,
                slices=slices,
                pool_tested=pool_tested,
                look=self.look,
            )

        pooled, tests = test([part.pairing for part in parts])
        stable = tests
        by_part = [
            msgspec.structs.replace(
                own[part.relation],
                margin=margins[part.slice] + (self.settings.allowed_flips or 0.0),
            )
            if part.slice
            and part.slice in (margins := self.settings.policy.of(part.relation).slices or {})
            else own[part.relation]
            for part in parts
        ]
        judged_by = [*by_part, together]
        regressed = any(of.regressed(by) for of, by in zip(tests, judged_by, strict=True))
        if regressed and any(part.pairing.unstable for part in parts):
            without_noise = [
                pair(quiet[0], quiet[1:])
                if part.pairing.excusable and (quiet := without_unstable(part.runs))
                else part.pairing
                for part in parts
            ]
            _, stable = test(without_noise)
        *shares, pooled_share = compare_applicability(
            [self.now[name] for name in names],
            [self.before[name] for name in names],
            alpha_for_collapse(self.look) if self.look else 1.0,
        )
        share_of = dict(zip(names, shares, strict=True))
        measured: dict[str, Measured] = {}
        slices: dict[str, dict[str, Measured]] = {name: {} for name in names}
        # The pool is last in the tests.
        for part, by, of, without in zip(parts, by_part, tests, stable, strict=False):
            name = part.relation
            share = share_of[name] if part.slice is None else None
            of_part = Measured(
                pairing=part.pairing,
                test=of,
                stable=without,
                figures=_figures(part.pairing, of, share, by, self.same),
                settings=by,
                plain_margin=rules.allowed_rise(self.settings, name, self.paired[name], plain=True),
            )
            if part.slice is None:
                measured[name] = of_part
            else:
                slices[name][part.slice] = of_part
        return {name: replace(measured[name], slices=slices[name]) for name in names}, Measured(
            pairing=pooled,
            test=tests[-1],
            stable=stable[-1],
            figures=_figures(pooled, tests[-1], pooled_share, together, self.same),
            settings=together,
            plain_margin=together.margin,
        )


class _Part(NamedTuple):
    """A relation, or one of its slices, in each run; the candidate's run is first."""

    relation: str
    slice: str | None
    runs: Sequence[RelationVerdicts]
    pairing: Pairing


def measure_alone(pairing: Pairing, settings: RunSettings) -> Measured:
    """Measure one pairing that is tested alone, without correction."""
    test = clustered_test(pairing, settings)
    return Measured(
        pairing=pairing,
        test=test,
        stable=test,
        figures=_figures(pairing, test, None, settings, False),
        settings=settings,
        plain_margin=settings.margin,
    )


def _figures(
    pairing: Pairing,
    test: ClusteredTest,
    applicability: Applicability | None,
    settings: RunSettings,
    same: bool,
) -> ComparisonFigures:
    """Return the numbers of a comparison; only counts if there was no test."""
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
    by_seeds: float | msgspec.UnsetType = msgspec.UNSET
    if math.isfinite(test.threshold):
        if test.added:
            by_seeds = min(1.0, test.threshold * math.sqrt(test.added))
        effect = statistics.minimum_detectable_effect(
            differences, weights, threshold=test.threshold, margin=settings.margin, added=test.added
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
        rise_by_seeds=by_seeds,
    )


class _Moves(NamedTuple):
    """How many units have a trait now, and had it before; ``falls`` by source, over all runs.

    ``before`` is the mean over the baseline's runs. A source's fall is the number of units that
    lost the trait minus those that gained it, summed over baseline runs. Whole numbers allow an
    exact test.
    """

    now: int
    before: float
    falls: Counter[str]


class _Counts(NamedTuple):
    """Counts of the units that all runs observed; ``sources``: applicable in all baseline runs."""

    units: int
    applicable: _Moves
    answered: _Moves
    only_baseline: int
    only_candidate: int
    sources: frozenset[str]


def compare_applicability(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    part_of_alpha: float = 1.0,
) -> list[Applicability | None]:
    """Compare the shares of each relation, then of the pool, with the sign-flip test by source.

    The pool excludes known-answer relations, see ``domain.metamorphic``. The p-values of each of
    the two shares are adjusted by Holm over relations and pool. An item is None if the runs have no
    unit in common. The pool is None if it has fewer than two relations.
    """
    each = [_counted(new, old) for new, old in zip(now, before, strict=True)]
    together = metamorphic(new.id for new, counts in zip(now, each, strict=True) if counts)
    pooled_counts = [c for new, c in zip(now, each, strict=True) if c and new.id in together]
    pooled = None
    if len(pooled_counts) > 1:
        pooled = _Counts(
            sum(counts.units for counts in pooled_counts),
            _pooled([counts.applicable for counts in pooled_counts]),
            _pooled([counts.answered for counts in pooled_counts]),
            sum(counts.only_baseline for counts in pooled_counts),
            sum(counts.only_candidate for counts in pooled_counts),
            frozenset[str]().union(*(counts.sources for counts in pooled_counts)),
        )
    shared = [counts for counts in (*each, pooled) if counts]
    shares = []
    for changed in (
        [counts.applicable for counts in shared],
        [counts.answered for counts in shared],
    ):
        p_values = statistics.holm(
            [statistics.sign_flip_p([*counts.falls.values()]) for counts in changed]
        )
        shares.append(
            [
                Share(
                    baseline=of.before / counts.units,
                    candidate=of.now / counts.units,
                    p_adjusted=min(1.0, p / part_of_alpha),
                )
                for of, counts, p in zip(changed, shared, p_values, strict=True)
            ]
        )
    compared = (
        Applicability(
            applicable=applicable,
            answered=answered,
            only_baseline=counts.only_baseline,
            only_candidate=counts.only_candidate,
            sources=len(counts.sources),
        )
        for counts, applicable, answered in zip(shared, *shares, strict=True)
    )
    return [next(compared) if counts else None for counts in (*each, pooled)]


def _counted(now: RelationVerdicts, before: Sequence[RelationVerdicts]) -> _Counts | None:
    bound = now.bound or any(run.bound for run in before)
    units = frozenset(observed_units(now, bound)).intersection(
        *(observed_units(run, bound) for run in before)
    )
    if not units:
        return None
    source_of = {unit: unit for unit in units} if bound else now.source_of
    new, *old = [applicable_units(run, bound) for run in (now, *before)]
    applicable = answered = _moves(source_of, new & units, [run & units for run in old])
    predicted = []
    for run in (now, *before):
        silent = run.silent_sources  # None if a baseline does not list them
        if not bound:
            reasons = run.not_applicable.items()
            of_none = (ids for reason, ids in reasons if reason not in PREDICTED)
            silent = frozenset[str]().union(*of_none)
        if silent is not None:
            predicted.append(units - silent)
    if len(predicted) == 1 + len(before):
        answered = _moves(source_of, predicted[0], predicted[1:])
    always, ever = frozenset.intersection(*old), frozenset[str]().union(*old)
    return _Counts(
        units=len(units),
        applicable=applicable,
        answered=answered,
        only_baseline=len(always - new),
        only_candidate=len(new - ever),
        sources=frozenset(source_of[unit] for unit in always & units),
    )


def _moves(source_of: Mapping[str, str], now: Set[str], before: Sequence[Set[str]]) -> _Moves:
    falls: Counter[str] = Counter()
    for run in before:
        # Sort by id, so that random numbers do not depend on the order of sets.
        falls.update(sorted(source_of[unit] for unit in run - now))
        falls.subtract(sorted(source_of[unit] for unit in now - run))
    return _Moves(len(now), math.fsum(map(len, before)) / len(before), falls)


def _pooled(each: Sequence[_Moves]) -> _Moves:
    falls: Counter[str] = Counter()
    for moves in each:
        falls.update(moves.falls)
    return _Moves(sum(m.now for m in each), math.fsum(m.before for m in each), falls)


def can_still_lose(each: Sequence[Measured], look: int) -> bool:
    """Return whether the run could still regress after this look, which is not the last.

    It could if a detectable rise that starts now has at least ``LEAST_CHANCE`` of being found. It
    could also if more missing predictions would fail the run, or if the pool is not tested yet. The
    last of ``each`` is the pool.
    """
    share = share_predicted(look)
    return each[-1].test.p_value is None or any(
        chance_of_loss(measured.pairing, measured.test, measured.settings, share) >= LEAST_CHANCE
        or rules.may_stop_answering(measured.figures, measured.settings, share)
        for measured in each
    )


def chance_of_loss(
    pairing: Pairing, test: ClusteredTest, settings: RunSettings, share: float
) -> float:
    """Return the chance of a regression at the end, if a ``share`` in (0, 1) is predicted now."""
    if (len(pairing.sources) + 1) / share < rules.MIN_CLUSTERS:
        return 0.0
    if not pairing.sources:
        return 1.0
    least = NormalDist().inv_cdf(1 - settings.alpha)
    before = pairing.baseline.mean(axis=1).sum() / pairing.pairs
    return statistics.chance_left(
        pairing.differences,
        pairing.weights,
        share=share,
        threshold=max(least, test.final) if math.isfinite(test.final) else least,
        margin=settings.margin * share,
        room=max(0.0, 1 - float(before)),
        added=test.added,
    )
