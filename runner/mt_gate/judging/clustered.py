"""The clustered test of every relation of a run and of all pooled, from paired violations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.family import Question, family_tests
from mt_gate.judging.pairing import Pairing, side_by_side
from mt_gate.judging.sequential import Seen, family_at_look, look_of
from mt_gate.judging.statistics import SEED, sign_flip_p, student_quantile
from mt_gate.results import rules
from mt_gate.results.result import RunSettings
from mt_gate.results.rules import MIN_CLUSTERS

NONE_APART: Mapping[int, RunSettings] = {}


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
    apart: Mapping[int, RunSettings] = NONE_APART,
    *,
    slices: Sequence[Pairing] = (),
    pool_tested: bool = True,
    look: int = 0,
) -> list[ClusteredTest]:
    """Test relations, slices of them, and their pool as one family; in this order.

    Args:
        pairings: of the relations.
        pooled: of ``pairing.pool``.
        settings: of which ``alpha`` counts.
        apart: the relations that have an alpha of their own, by position, slices after them: each
            is tested alone, outside the family. The pool includes them.
        slices: relations that the pool does not count, and parts of relations.
        pool_tested: whether the pool is one of the family.
        look: which one this is, of a run that is judged at looks; 0 where it is judged once.
    """
    family = _Together(pairings, slices, pooled)
    tests = _together(family, settings, frozenset(apart), pool_tested, look)
    for i, own in apart.items():
        tests[i] = clustered_test(family.every[i], own, look)
    return tests


class _Together(NamedTuple):
    """Relations, slices of them, and the relations' pool."""

    relations: Sequence[Pairing]
    slices: Sequence[Pairing]
    pooled: Pairing

    @property
    def every(self) -> list[Pairing]:
        """All of them, the pool last."""
        return [*self.relations, *self.slices, self.pooled]


def _together(
    family: _Together, settings: RunSettings, apart: Set[int], pool_tested: bool, look: int
) -> list[ClusteredTest]:
    relations = family.relations
    filled = [i for i, pairing in enumerate(relations) if pairing.clusters]
    # Its pool is the very same test, made once; which relation that is may change between looks.
    if len(filled) == 1 and (not look or len(relations) == 1):
        tests = _of_one(family, filled[0], settings, look)
        tests[filled[0]] = tests[-1]
        return tests
    left_out = apart if pool_tested else {*apart, len(family.every) - 1}
    return _family(family.every, settings, left_out, look, summed=len(relations))


def _of_one(
    family: _Together, filled: int, settings: RunSettings, look: int
) -> list[ClusteredTest]:
    """Test the only relation that has sources, in place of the pool, and its slices."""
    nothing = ClusteredTest(delta=0.0)
    if not family.slices:
        test = clustered_test(family.relations[filled], settings, look)
        return [*(nothing for _ in family.relations), test]
    only = family.relations[filled]
    *slices, test = _family([only, *family.slices, only], settings, frozenset({0}), look, summed=1)[
        1:
    ]
    return [*(nothing for _ in family.relations), *slices, test]


def clustered_test(pairing: Pairing, settings: RunSettings, look: int = 0) -> ClusteredTest:
    """Test a pairing by itself: the same test, no other beside it."""
    # Of a family of one only the pool is tested.
    *_, test = _family([_empty(pairing), pairing], settings, frozenset({0}), look)
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

    Args:
        pairings: what is tested.
        settings: of which ``alpha`` counts.
        left_out: what is not tested, by position.
        look: as in ``clustered_tests``.
        summed: how many are relations, which the pool sums up; None: all but the pool.
    """
    tested = _tested(pairings, left_out)
    deltas = [delta_of(pairing) for pairing in pairings]
    if not any(tested):
        return [ClusteredTest(delta=delta) for delta in deltas]
    relations = len(pairings) - 1 if summed is None else summed
    spreads = _spreads(pairings, settings.alpha, range(relations, len(pairings) - 1))
    sources, outcomes = side_by_side(_each(pairings))
    one_run = outcomes.shape[1] == 2
    asked = Question(
        alpha=settings.alpha,
        tested=tested,
        widened=[spread.widened for spread in spreads],
        worse=[_exact(p, 1) for p in pairings] if one_run else None,
        better=[_exact(p, -1) for p in pairings] if one_run else None,
        seed=SEED,
        summed=summed,
    )
    if look:
        seen = Seen(looks_of(sources), tested_at_looks(pairings, left_out, look))
        family = family_at_look(outcomes, asked, seen)
    else:
        family = family_tests(outcomes, asked)
    return [
        ClusteredTest(
            delta=deltas[i],
            p_value=family.worse.single[i],
            p_adjusted=family.worse.adjusted[i],
            p_better=family.better.adjusted[i],
            threshold=family.pool_threshold if i == len(pairings) - 1 else family.threshold,
            final=family.final[i == len(pairings) - 1],
            added=spreads[i].added,
        )
        if tested[i]
        else ClusteredTest(delta=deltas[i])
        for i in range(len(pairings))
    ]


def _each(pairings: Sequence[Pairing]) -> Sequence[Pairing]:
    """Return the relations; of a family of one its pool, which is the same."""
    *each, pooled = pairings
    return [pooled] if len(each) == 1 and not each[0].clusters else each


def _tested(pairings: Sequence[Pairing], left_out: Set[int]) -> list[bool]:
    return [
        pairing.clusters >= MIN_CLUSTERS and i not in left_out for i, pairing in enumerate(pairings)
    ]


def looks_of(sources: Iterable[str]) -> NDArray[np.int64]:
    """Return the look at which each source comes."""
    return np.array([look_of(source) for source in sources], dtype=np.int64)


def tested_at_looks(pairings: Sequence[Pairing], left_out: Set[int], look: int) -> list[list[bool]]:
    """Return what was tested at each look up to this one: what had sources enough by then."""
    found = []
    of_each = [looks_of(pairing.sources) for pairing in pairings]
    for now in range(1, look + 1):
        enough = [int((at <= now).sum()) >= MIN_CLUSTERS for at in of_each]
        found.append([is_so and i not in left_out for i, is_so in enumerate(enough)])
    return found


def delta_of(pairing: Pairing) -> float:
    """Return the difference of the violation rates over the pairs, 0 without any."""
    return math.fsum(pairing.differences) / pairing.pairs if pairing.clusters else 0.0


def _exact(pairing: Pairing, side: int) -> float:
    """Return the p of one side by itself; where the difference is on the other, it is not small."""
    differences = side * pairing.differences
    return 1.0 if math.fsum(differences) < 0 else sign_flip_p(differences, seed=SEED)


class _Spread(NamedTuple):
    """How far a difference of two runs of one recipe spreads, as variances.

    ``exchanged`` is what sources explain of the candidate's rate less the mean of the baseline's,
    runs exchanged; ``added`` what such runs differ by beyond.
    """

    exchanged: float
    added: float = 0.0

    @property
    def widened(self) -> float:
        """How many times wider than by sources alone it spreads."""
        return math.sqrt(1 + self.added / self.exchanged) if self.exchanged else 1.0


class _Runs(NamedTuple):
    """How far the rates of a baseline's runs spread, as variances.

    ``beyond`` is what sources do not explain, and may be below 0; ``by_sources`` what they explain
    of one run.
    """

    beyond: float
    by_sources: float


def _spreads(pairings: Sequence[Pairing], alpha: float, slices: range) -> list[_Spread]:
    """Return how far each difference spreads.

    Runs of one recipe differ by more than sources explain: a retrained checkpoint is a little
    better or worse everywhere. What the baseline's runs show of that, over all relations or in one
    if it is more there, widens test and interval; as it is estimated from few runs, as much more as
    Student's t is wider than the normal distribution. One run shows nothing of it.
    """
    number = pairings[0].runs - 1
    if number == 1:
        return [_Spread(_exchanged(pairing)) for pairing in pairings]
    runs = [_runs_of(pairing) for pairing in pairings]
    # What is known of a slice is known of its relation already.
    known = [of for i, of in enumerate(runs) if of.by_sources and i not in slices]
    # Weighted by how well each is known: a variance is known to about its own size.
    weight = math.fsum(of.by_sources**-2 for of in known)
    shared = math.fsum(of.beyond * of.by_sources**-2 for of in known) / weight if weight else 0.0
    level = 1 - alpha / 2
    few = student_quantile(level, number - 1) / student_quantile(level, math.inf)
    # Of the baseline's runs alone: a candidate that loses makes nothing spread more.
    return [
        _Spread(_exchanged(pairing), (1 + 1 / number) * max(0.0, of.beyond, shared) * few**2)
        for pairing, of in zip(pairings, runs, strict=True)
    ]


def _runs_of(pairing: Pairing) -> _Runs:
    if not pairing.clusters:
        return _Runs(0.0, 0.0)
    runs, square = pairing.violations[:, 1:], pairing.pairs**2
    # Summed so that the order of sources shows in no digit.
    by_sources = math.fsum(runs.var(axis=1, ddof=1)) / square
    totals = [math.fsum(run) for run in runs.T]
    return _Runs(float(np.var(totals, ddof=1)) / square - by_sources, by_sources)


def _exchanged(pairing: Pairing) -> float:
    if not pairing.clusters:
        return 0.0
    number, violations = pairing.runs - 1, pairing.violations
    apart = violations - violations.mean(axis=1, keepdims=True)
    squares = math.fsum(np.square(apart).mean(axis=1).tolist())
    scale = (1 + 1 / number) / pairing.pairs
    return squares * scale * scale


def _empty(like: Pairing) -> Pairing:
    runs = like.runs
    return Pairing(sources=(), violations=np.zeros((0, runs)), weights=np.zeros(0))
