"""What is measured of paired runs: the clustered test, its interval, the share applicable.

Numbers only; ``findings`` says what they mean.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec

from mt_gate.domain import metamorphic
from mt_gate.judging import statistics
from mt_gate.judging.clustered import (
    ClusteredTest,
    clustered_test,
    clustered_tests,
)
from mt_gate.judging.pairing import Pairing, pair, pool
from mt_gate.judging.sequential import of_collapse
from mt_gate.judging.statistics import SEED
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    applicable_units,
    looked_at,
    silent,
    without_unstable,
)
from mt_gate.results import rules
from mt_gate.results.result import Applicability, ComparisonFigures, RunSettings, Share
from mt_gate.settings.policy import Tier


def compare_applicability(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    part_of_alpha: float = 1.0,
) -> list[Applicability | None]:
    """Compare the shares of each relation, and last of those pooled, by the clustered test.

    The pool has no right answers in it, see ``domain.metamorphic``.

    Each of the two shares is corrected by Holm over relations and pool. None stands where the
    runs have no unit in common, and for the pool of fewer than two relations: that would be
    the same test again.

    Args:
        now: the candidate's verdicts, one relation each.
        before: the same of each run of the baseline.
        part_of_alpha: in (0, 1]: how much of alpha these tests have for themselves.
    """
    each = [_counted(new, old) for new, old in zip(now, before, strict=True)]
    shared = [counts for counts in each if counts]
    together = metamorphic(new.id for new, counts in zip(now, each, strict=True) if counts)
    of_pool = [c for new, c in zip(now, each, strict=True) if c and new.id in together]
    pooled = _pooled(of_pool) if len(of_pool) > 1 else None
    found = [_compared(counts) for counts in (*shared, *([pooled] if pooled else []))]
    applicable = _adjusted([item.applicable for item in found], part_of_alpha)
    answered = _adjusted([item.answered for item in found], part_of_alpha)
    adjusted = iter(
        msgspec.structs.replace(item, applicable=one, answered=other)
        for item, one, other in zip(found, applicable, answered, strict=True)
    )
    return [next(adjusted) if counts else None for counts in (*each, pooled)]


def _adjusted(shares: Sequence[Share], part_of_alpha: float) -> list[Share]:
    adjusted = statistics.holm([share.p_adjusted for share in shares])
    return [
        msgspec.structs.replace(share, p_adjusted=min(1.0, p / part_of_alpha))
        for share, p in zip(shares, adjusted, strict=True)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moves:
    """How many units have a trait now, and had it before; ``falls`` by source, over all runs.

    ``before`` is the mean over the baseline's runs. A source falls by the units that lost the
    trait, less those that gained it, against each run in turn: whole numbers, for an exact test.
    """

    now: int
    before: float
    falls: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """The units of a relation that all runs looked at; ``sources``: applicable in the baseline."""

    units: int
    applicable: _Moves
    answered: _Moves
    only_baseline: int
    only_candidate: int
    sources: frozenset[str]


def _counted(now: RelationVerdicts, before: Sequence[RelationVerdicts]) -> _Counts | None:
    """Count one relation; None where the runs have no unit in common."""
    bound = now.bound or any(run.bound for run in before)
    units = frozenset(looked_at(now, bound)).intersection(
        *(looked_at(run, bound) for run in before)
    )
    if not units:
        return None
    source_of = {unit: unit for unit in units} if bound else now.source_of
    new = applicable_units(now, bound)
    old = [applicable_units(run, bound) for run in before]
    applicable = _moves(source_of, new & units, [run & units for run in old])
    quiet = [silent(run, bound) for run in (now, *before)]
    answered = applicable
    if not any(run is None for run in quiet):
        spoke, *spoken = [units - run for run in quiet if run is not None]
        answered = _moves(source_of, spoke, spoken)
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
        # By id, so that nothing drawn at random depends on the order of sets.
        falls.update(sorted(source_of[unit] for unit in run - now))
        falls.subtract(sorted(source_of[unit] for unit in now - run))
    mean = math.fsum(map(len, before)) / len(before)
    return _Moves(now=len(now), before=mean, falls=falls)


def _pooled(counts: Sequence[_Counts]) -> _Counts:
    """Add up relations: a source's units in all of them are one cluster."""
    return _Counts(
        units=sum(of.units for of in counts),
        applicable=_added([of.applicable for of in counts]),
        answered=_added([of.answered for of in counts]),
        only_baseline=sum(of.only_baseline for of in counts),
        only_candidate=sum(of.only_candidate for of in counts),
        sources=frozenset[str]().union(*(of.sources for of in counts)),
    )


def _added(moves: Sequence[_Moves]) -> _Moves:
    falls: Counter[str] = Counter()
    for of in moves:
        falls.update(of.falls)
    return _Moves(
        now=sum(of.now for of in moves),
        before=math.fsum(of.before for of in moves),
        falls=falls,
    )


def _compared(counts: _Counts) -> Applicability:
    """Turn counts into shares with their p, not adjusted."""
    return Applicability(
        applicable=_share(counts.applicable, counts.units),
        answered=_share(counts.answered, counts.units),
        only_baseline=counts.only_baseline,
        only_candidate=counts.only_candidate,
        sources=len(counts.sources),
    )


def _share(moves: _Moves, units: int) -> Share:
    return Share(
        baseline=moves.before / units,
        candidate=moves.now / units,
        p_adjusted=statistics.sign_flip_p(list(moves.falls.values()), seed=SEED),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One relation, or all pooled, in numbers; ``stable`` is the test without unstable groups.

    ``settings`` are those that it is judged by: alpha and margin are its own. ``plain_margin`` is
    the margin without what is accepted for now. ``slices`` are those of a relation, measured by
    name, in the same family of tests.
    """

    pairing: Pairing
    test: ClusteredTest
    stable: ClusteredTest
    figures: ComparisonFigures
    settings: RunSettings
    plain_margin: float
    slices: Mapping[str, Measured] = field(default_factory=dict)


class PairedSlice(NamedTuple):
    """A slice paired, and the same without what noise turns."""

    whole: Pairing
    stable: Pairing


class Relations(NamedTuple):
    """Relations of a candidate and its baseline, with the verdicts they were paired from."""

    now: Mapping[str, RelationVerdicts]
    before: Mapping[str, Sequence[RelationVerdicts]]
    pairings: Mapping[str, Pairing]

    def some(self, names: Sequence[str]) -> Relations:
        """Return some of the relations."""
        return Relations(
            {name: self.now[name] for name in names},
            {name: self.before[name] for name in names},
            {name: self.pairings[name] for name in names},
        )

    def pooled(self) -> Pairing:
        """Return all relations as one."""
        return pool([*self.pairings.values()])

    def slices(self) -> Mapping[tuple[str, str], PairedSlice]:
        """Return the slices of the relations, by relation and name."""
        found = {}
        for relation, new in self.now.items():
            for name, groups in new.slices.items():
                sides = [of.within(groups, name) for of in (new, *self.before[relation])]
                whole = pair(sides[0], sides[1:])
                found[relation, name] = PairedSlice(
                    whole, pair_stable(sides[0], sides[1:]) if whole.excusable else whole
                )
        return found

    def stable(self) -> Mapping[str, Pairing]:
        """Return pairings without what noise turns; one with too much of it keeps all."""
        return {
            name: pair_stable(self.now[name], self.before[name]) if of.excusable else of
            for name, of in self.pairings.items()
        }

    def applicability(self, spent: float) -> Sequence[Applicability | None]:
        """Return the applicable shares of each relation, and last of all together."""
        return compare_applicability([*self.now.values()], [*self.before.values()], spent)


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
    names = [new.id for new in now]
    relations = Relations(
        dict(zip(names, now, strict=True)),
        dict(zip(names, before, strict=True)),
        dict(zip(names, pairings, strict=True)),
    )
    how = _How(same, look)
    paired = {name: _paired(pairing) for name, pairing in relations.pairings.items()}
    of_tier: dict[Tier, list[str]] = {tier: [] for tier in Tier}
    for name in paired:
        of_tier[settings.policy.tier(name)].append(name)
    found: dict[str, Measured] = {}

    def keep(names: Sequence[str], together: RunSettings, *, pool_tested: bool = True) -> Measured:
        some = _Family(relations.some(names), paired, settings)
        *each, pooled = _measure_family(some, together, how, pool_tested=pool_tested)
        found.update(zip(names, each, strict=True))
        return pooled

    blocking = of_tier[Tier.BLOCK]
    pooled = keep(blocking, rules.of_pool(settings, paired))
    pooled = replace(pooled, plain_margin=rules.plain_margin_of_pool(settings, paired))
    if warned := of_tier[Tier.WARN]:
        keep(warned, rules.of_family(settings, Tier.WARN, warned[0]), pool_tested=False)
    for name in of_tier[Tier.REPORT]:
        keep([name], rules.of_relation(settings, name, paired[name]))
    return [*(found[name] for name in paired), pooled]


def _paired(pairing: Pairing) -> rules.Paired:
    pairs = round(pairing.pairs)
    if pairing.clusters < rules.MIN_CLUSTERS:
        return rules.Paired(pairs, None)
    return rules.Paired(pairs, _baseline_rate(pairing))


def _baseline_rate(pairing: Pairing) -> float:
    before = pairing.violations[:, 1:]
    violated = math.fsum(before.ravel()) / int(before.shape[1])
    return min(1.0, violated / pairing.pairs)


class _Family(NamedTuple):
    """Relations whose tests share alpha, what their margins depend on, and settings of the run."""

    relations: Relations
    paired: Mapping[str, rules.Paired]
    settings: RunSettings

    @property
    def own(self) -> list[RunSettings]:
        """What each is judged by."""
        return [
            rules.of_relation(self.settings, name, self.paired[name])
            for name in self.relations.pairings
        ]

    @property
    def plain(self) -> list[float]:
        """The margin of each without what is accepted for now."""
        return [
            rules.plain_margin(self.settings, name, self.paired[name])
            for name in self.relations.pairings
        ]


def _measure_family(
    family: _Family, together: RunSettings, how: _How, *, pool_tested: bool = True
) -> list[Measured]:
    """Measure relations and last their pool, whose tests are one family.

    Args:
        family: the relations.
        together: what the family, and its pool, are judged by.
        how: what of the run is measured.
        pool_tested: whether the pool is one of the family.
    """
    relations = family.relations
    own = dict(zip(relations.pairings, family.own, strict=True))
    plain = dict(zip(relations.pairings, family.plain, strict=True))
    pooled_names = rules.pooled(relations.pairings, family.settings)
    others = [name for name in relations.pairings if name not in pooled_names]
    ordered = [*pooled_names, *others]
    sliced = relations.slices()
    pooled = relations.some(pooled_names).pooled()
    of_slices = [relation for relation, _ in sliced]

    def tests_of(
        pairings: Mapping[str, Pairing], slices: Iterable[Pairing], all_of_them: Pairing
    ) -> list[ClusteredTest]:
        return clustered_tests(
            [pairings[name] for name in pooled_names],
            all_of_them,
            together,
            {i: own[name] for i, name in enumerate(ordered) if _has_own_alpha(own[name], name)},
            slices=[*(pairings[name] for name in others), *slices],
            pool_tested=pool_tested,
            look=how.look,
        )

    tests = tests_of(relations.pairings, [of.whole for of in sliced.values()], pooled)
    every = [*(relations.pairings[name] for name in ordered), *(of.whole for of in sliced.values())]
    judged_by = [*(own[name] for name in (*ordered, *of_slices)), together]
    stable: Sequence[ClusteredTest] = tests
    regressed = any(test.regressed(by) for test, by in zip(tests, judged_by, strict=True))
    if regressed and any(pairing.unstable for pairing in every):
        kept = relations.stable()
        of_pool = pool([kept[name] for name in pooled_names])
        stable = tests_of(kept, [of.stable for of in sliced.values()], of_pool)
    *shares, pooled_share = relations.applicability(of_collapse(how.look) if how.look else 1.0)
    share_of = dict(zip(relations.pairings, shares, strict=True))
    found = [
        Measured(
            pairing=pairing,
            test=test,
            stable=without,
            figures=_figures(pairing, test, share, by, how.same),
            settings=by,
            plain_margin=margin,
        )
        for pairing, test, without, share, by, margin in zip(
            [*every, pooled],
            tests,
            stable,
            [*(share_of[name] for name in ordered), *(None for _ in sliced), pooled_share],
            judged_by,
            [*(plain[name] for name in (*ordered, *of_slices)), together.margin],
            strict=True,
        )
    ]
    by_name = dict(zip(ordered, found, strict=False))
    each = [by_name[name] for name in relations.pairings]
    measured_slices = found[len(ordered) : -1]
    return [*_with_slices(relations.pairings, each, [*sliced], measured_slices), found[-1]]


def _has_own_alpha(settings: RunSettings, relation: str) -> bool:
    return settings.policy.of(relation).share is not None


def _with_slices(
    names: Iterable[str],
    each: Sequence[Measured],
    keys: Sequence[tuple[str, str]],
    slices: Sequence[Measured],
) -> list[Measured]:
    """Return measured relations, each with its slices."""
    of: dict[str, dict[str, Measured]] = {name: {} for name in names}
    for (relation, name), measured in zip(keys, slices, strict=True):
        of[relation][name] = measured
    return [replace(measured, slices=own) for measured, own in zip(each, of.values(), strict=True)]


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


def pair_stable(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
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
        clusters=pairing.clusters,
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
