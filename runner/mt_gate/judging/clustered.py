"""The clustered test of every relation of a run and of all pooled, from paired violations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.family import FamilyOptions, family_tests
from mt_gate.judging.pairing import Pairing, side_by_side
from mt_gate.judging.sequential import Seen, family_at_look, look_of
from mt_gate.judging.statistics import SEED, sign_flip_p, student_quantile
from mt_gate.results import rules
from mt_gate.results.result import RunSettings
from mt_gate.results.rules import MIN_CLUSTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTest:
    """The clustered test of one pairing; ``p_value`` is None below MIN_CLUSTERS.

    ``p_adjusted`` and ``p_better`` (the test's other side) are among all tests of the run.
    ``threshold`` is how many standard deviations a difference needs for that, infinite where none
    is enough, ``final`` how many it needs at the end of a run that is looked at before it,
    ``added`` the variance that runs of one recipe add to what sources explain of the difference.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0
    threshold: float = 0.0
    final: float = math.inf
    added: float = 0.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is certain enough, and large enough, to fail."""
        return self.p_adjusted < settings.alpha and rules.is_above(self.delta, settings.margin)

    def improved(self, settings: RunSettings) -> bool:
        """The same, on the other side."""
        return self.p_better < settings.alpha and rules.is_above(-self.delta, settings.margin)


def clustered_tests(
    pairings: Sequence[Pairing],
    pooled: Pairing,
    settings: RunSettings,
    alone: Mapping[int, RunSettings] = MappingProxyType({}),
    *,
    slices: Sequence[Pairing] = (),
    pool_tested: bool = True,
    look: int = 0,
) -> list[ClusteredTest]:
    """Test relations, slices of them, and their pool as one family; in this order.

    ``alone`` are the relations that have an alpha of their own, by position, slices after them:
    each is tested outside the family, and the pool includes them. ``slices`` are relations that
    the pool does not count, and parts of relations. ``look`` is 0 where a run is judged once.
    """
    every = [*pairings, *slices, pooled]
    filled = [i for i, pairing in enumerate(pairings) if pairing.clusters]
    # Its pool is the very same test, made once; which relation that is may change between looks.
    if len(filled) == 1 and (not look or len(pairings) == 1):
        only = pairings[filled[0]]
        of_slices: list[ClusteredTest] = []
        if slices:
            _, *of_slices, test = _family([only, *slices, only], settings, {0}, look, summed=1)
        else:
            test = clustered_test(only, settings, look)
        tests = [*(ClusteredTest(delta=0.0) for _ in pairings), *of_slices, test]
        tests[filled[0]] = test
    else:
        left_out = {*alone} if pool_tested else {*alone, len(every) - 1}
        tests = _family(every, settings, left_out, look, summed=len(pairings))
    for i, own in alone.items():
        tests[i] = clustered_test(every[i], own, look)
    return tests


def clustered_test(pairing: Pairing, settings: RunSettings, look: int = 0) -> ClusteredTest:
    """Test a pairing by itself: the same test, no other next to it."""
    # Of a family of one only the pool is tested.
    nothing = Pairing(sources=(), violations=np.zeros((0, pairing.runs)), weights=np.zeros(0))
    *_, test = _family([nothing, pairing], settings, {0}, look)
    return test


def _family(
    pairings: Sequence[Pairing],
    settings: RunSettings,
    left_out: Set[int],
    look: int,
    *,
    summed: int | None = None,
) -> list[ClusteredTest]:
    """Test relations, slices of them and, last of ``pairings``, their pool.

    ``left_out`` is not tested, by position; ``summed`` are how many are relations, which the pool
    sums up, and None all but the pool.
    """
    last = len(pairings) - 1
    tested = [
        pairing.clusters >= MIN_CLUSTERS and i not in left_out for i, pairing in enumerate(pairings)
    ]
    deltas = [delta_of(pairing) for pairing in pairings]
    if not any(tested):
        return [ClusteredTest(delta=delta) for delta in deltas]
    spreads = _spreads(pairings, settings.alpha, range(last if summed is None else summed, last))
    # Of a family of one the pool is the same.
    each = pairings[:-1]
    sources, outcomes = side_by_side(
        pairings[-1:] if len(each) == 1 and not each[0].clusters else each
    )
    one_run = outcomes.shape[1] == 2
    options = FamilyOptions(
        alpha=settings.alpha,
        tested=tested,
        widened=[widened for widened, _ in spreads],
        worse=[_exact(p, 1) for p in pairings] if one_run else None,
        better=[_exact(p, -1) for p in pairings] if one_run else None,
        seed=SEED,
        summed=summed,
    )
    if look:
        seen = Seen(looks_of(sources), tested_at_looks(pairings, left_out, look))
        family = family_at_look(outcomes, options, seen)
    else:
        family = family_tests(outcomes, options)
    return [
        ClusteredTest(
            delta=deltas[i],
            p_value=family.worse.single[i],
            p_adjusted=family.worse.adjusted[i],
            p_better=family.better.adjusted[i],
            threshold=family.pool_threshold if i == last else family.threshold,
            final=family.final[i == last],
            added=spreads[i][1],
        )
        if tested[i]
        else ClusteredTest(delta=deltas[i])
        for i in range(len(pairings))
    ]


def looks_of(sources: Iterable[str]) -> NDArray[np.int64]:
    """Return the look at which each source comes."""
    return np.array([look_of(source) for source in sources], dtype=np.int64)


def tested_at_looks(pairings: Sequence[Pairing], left_out: Set[int], look: int) -> list[list[bool]]:
    """Return what was tested at each look up to this one: what had sources enough by then."""
    of_each = [looks_of(pairing.sources) for pairing in pairings]
    return [
        [
            int((at <= now).sum()) >= MIN_CLUSTERS and i not in left_out
            for i, at in enumerate(of_each)
        ]
        for now in range(1, look + 1)
    ]


def delta_of(pairing: Pairing) -> float:
    """Return the difference of the violation rates over the pairs, 0 without any."""
    return math.fsum(pairing.differences) / pairing.pairs if pairing.clusters else 0.0


def _exact(pairing: Pairing, side: int) -> float:
    differences = side * pairing.differences
    return 1.0 if math.fsum(differences) < 0 else sign_flip_p(differences, seed=SEED)


def _spreads(pairings: Sequence[Pairing], alpha: float, slices: range) -> list[tuple[float, float]]:
    """Return how many times wider than by sources alone each difference spreads, and what it adds.

    Runs of one recipe differ by more than sources explain: a retrained checkpoint is a little
    better or worse everywhere. What the baseline's runs show of that, over all relations or in one
    if it is more there, widens test and interval; as it is estimated from few runs, as much more as
    Student's t is wider than the normal distribution. One run shows nothing of it.
    """
    number = pairings[0].runs - 1
    if number == 1:
        return [(1.0, 0.0)] * len(pairings)
    runs = [_run_variances(pairing) for pairing in pairings]
    # Skip slices, because their relation already has their variance.
    known = [(of, by) for i, (of, by) in enumerate(runs) if by and i not in slices]
    # Weighted by how well each is known: a variance is known to about its own size.
    weight = math.fsum(by**-2 for _, by in known)
    shared = math.fsum(of * by**-2 for of, by in known) / weight if weight else 0.0
    level = 1 - alpha / 2
    few = student_quantile(level, number - 1) / student_quantile(level, math.inf)
    spreads = []
    for pairing, (beyond, _) in zip(pairings, runs, strict=True):
        # Of the baseline's runs alone: a candidate that loses makes nothing spread more.
        added = (1 + 1 / number) * max(0.0, beyond, shared) * few**2
        exchanged = _exchanged(pairing)
        spreads.append((math.sqrt(1 + added / exchanged) if exchanged else 1.0, added))
    return spreads


def _run_variances(pairing: Pairing) -> tuple[float, float]:
    """Return the variance of the baseline's rates beyond sources, and that by sources of one run.

    The first may be below 0.
    """
    if not pairing.clusters:
        return 0.0, 0.0
    runs, square = pairing.violations[:, 1:], pairing.pairs**2
    # Summed so that the order of sources shows in no digit.
    by_sources = math.fsum(runs.var(axis=1, ddof=1)) / square
    totals = [math.fsum(run) for run in runs.T]
    return float(np.var(totals, ddof=1)) / square - by_sources, by_sources


def _exchanged(pairing: Pairing) -> float:
    """Return the variance by sources of the candidate's rate less the baseline's, if exchanged."""
    if not pairing.clusters:
        return 0.0
    number, violations = pairing.runs - 1, pairing.violations
    centred = violations - violations.mean(axis=1, keepdims=True)
    squares = math.fsum(np.square(centred).mean(axis=1).tolist())
    scale = (1 + 1 / number) / pairing.pairs
    return squares * scale * scale
