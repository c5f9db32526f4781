"""All tests of a run as one family, at one look of several: what ``family`` is at the end alone.

A permutation exchanges the runs of each source once, and is followed from look to look as the run
is. At each look the run, and every permutation, is as far out as the rarer of its pool and of
its largest relation. The permutations that are furthest out are taken away, as many as that look
may spend; a run that is as far out as these is worse beyond chance. So of runs in which nothing
changed, at most a part alpha is ever called worse, at whatever look: what a look may spend, and how
far out it is, depend on the sources seen so far, and on no order of their runs.

References:
    Lan and DeMets 1983, Biometrika 70:659.
    Westfall and Young 1993, Resampling-Based Multiple Testing, algorithm 2.8 (single-step max-T).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.domain import shard_index
from mt_gate.judging.family import (
    ROUNDING,
    Family,
    FamilyOptions,
    Floats,
    Tests,
    able,
    centred,
    draws_for,
    permuted_sums,
    rarity,
    scale_of,
    singly,
    thresholds,
    with_pool,
)
from mt_gate.judging.statistics import SEED

LOOKS = 10
"""How often a run is judged that may stop early; the last time all of it is predicted.

Fifteen looks, ten of them in the first half, save as much of a loss on average, and find a little
less of the smallest (benchmarks/calibration.py).
"""
_POWER = 1.5
_COLLAPSE_AT_END = 0.5


def look_of(cluster: str) -> int:
    """Return at which look, from 1 to ``LOOKS``, a cluster of sources is predicted."""
    return shard_index(f"{SEED}\0{cluster}", LOOKS)


def share_predicted(look: int) -> float:
    """Return the part of a suite that is predicted at a look, in (0, 1]."""
    return look / LOOKS


def spent(alpha: float, look: int) -> float:
    """Return how much of alpha all looks up to this one may use, in (0, alpha]."""
    return float(alpha * share_predicted(look) ** _POWER)


def of_collapse(look: int) -> float:
    """Return the part of alpha for whether a checkpoint stopped answering: half is for the end.

    A fall that counts is far beyond chance, so that equal parts for the other looks do.
    """
    return _COLLAPSE_AT_END if look == LOOKS else (1 - _COLLAPSE_AT_END) / (LOOKS - 1)


class Seen(NamedTuple):
    """The results of the interim analyses so far."""

    at: NDArray[np.int64]
    tested: Sequence[Sequence[bool]]


class _Look(NamedTuple):
    """One look: what permutations and the run itself come to, in standard deviations."""

    draws: Floats
    seen: NDArray[np.bool_]
    deviations: Floats
    tested: Sequence[bool]
    spent: float


def family_at_look(outcomes: Floats, options: FamilyOptions, seen: Seen) -> Family:
    """Test every relation and their pool at the last of the looks so far."""
    *_, last = families_by_look(outcomes, options, seen)
    return last()


def families_by_look(
    outcomes: Floats, options: FamilyOptions, seen: Seen
) -> Iterator[Callable[..., Family]]:
    """Yield for each look so far what makes the tests that were made at it.

    It may be called with the outcomes of the same sources in another order of their runs, which
    have the same permutations; it must be used before the next look.

    An adjusted p is below alpha where the test may reject at that look; it is no p of a run that is
    to be looked at once. ``Family.final`` is what the end of the run will need.
    """
    sides = (_Side(1.0), _Side(-1.0))
    for look in _looks(outcomes, options, seen):
        for side in sides:
            side.look(look)
        now = options._replace(tested=look.tested)
        yield partial(_family, look, *sides, now, thresholds(look.draws, look.deviations, now))


def _family(
    look: _Look,
    worse: _Side,
    better: _Side,
    options: FamilyOptions,
    final: tuple[float, float],
    outcomes: Floats | None = None,
) -> Family:
    deviations = look.deviations
    if outcomes is not None:
        deviations = with_pool(centred(outcomes[look.seen]), options.summed)
    values = (
        deviations[:, 0, :].sum(axis=0) / scale_of(look.deviations) / np.asarray(options.widened)
    )
    threshold, pool_threshold = worse.thresholds(look.spent) if math.isfinite(final[0]) else final
    return Family(
        worse=worse.tests(values, options, look.spent, options.worse),
        better=better.tests(-values, options, look.spent, options.better),
        threshold=threshold,
        pool_threshold=pool_threshold,
        final=final,
    )


def _looks(outcomes: Floats, options: FamilyOptions, seen: Seen) -> Iterator[_Look]:
    deviations = with_pool(centred(outcomes), options.summed)
    number = draws_for(options.alpha)
    sums = np.zeros((number, outcomes.shape[2]))
    for look, tested in enumerate(seen.tested, 1):
        new = deviations[seen.at == look, :, :-1]
        sums = sums + permuted_sums(new, options.seed + look, number)
        by_now = seen.at <= look
        so_far = deviations[by_now]
        draws = with_pool(sums, options.summed) / scale_of(so_far)
        yield _Look(draws, by_now, so_far, tested, spent(options.alpha, look))


class _Side:
    """One side of the tests, from look to look: the permutations that no look has taken away."""

    def __init__(self, sign: float) -> None:
        self._sign = sign
        self._relations: list[int] = []
        self._largest: Floats | None = None
        self._pool: Floats | None = None
        self._draws = self._rare = np.ones(0)
        self._left = np.ones(0, dtype=np.bool_)
        self._cut = 0.0

    def look(self, look: _Look) -> None:
        """Take the permutations away that the look before found, and see how far out they are."""
        draws = self._draws = self._sign * look.draws
        if len(self._left):
            self._left &= self._rare >= self._cut
        else:
            self._left = np.ones(len(draws), dtype=np.bool_)
        self._relations, pool = able(self._sign * look.deviations, look.tested, look.spent)
        self._largest = draws[:, self._relations].max(axis=1) if self._relations else None
        self._pool = draws[:, -1] if pool else None
        self._rare = np.ones(len(draws))
        for drawn in (self._largest, self._pool):
            if drawn is not None:
                self._rare = np.minimum(self._rare, rarity(drawn))
        self._cut = self._rarest(look.spent)

    def _rarest(self, spent: float) -> float:
        left = np.sort(self._rare[self._left])
        more = math.floor(spent * len(self._rare)) - (len(self._rare) - len(left))
        if more <= 0:
            return 0.0
        return float(left[more]) if more < len(left) else math.inf

    def thresholds(self, spent: float) -> tuple[float, float]:
        """Return how far out a relation, and the pool, must be to be found at this look."""
        level = min(spent, self._cut) or spent
        normal = NormalDist().inv_cdf(1 - level)
        of_each = (self._largest, self._pool)
        of_relation, of_pool = (
            normal if drawn is None else max(normal, float(np.quantile(drawn, 1 - level)))
            for drawn in of_each
        )
        return of_relation, of_pool

    def tests(
        self, values: Floats, options: FamilyOptions, spent: float, exact: Sequence[float] | None
    ) -> Tests:
        """Return the p-values of a run's standardised differences, the pool's last."""
        single = singly(values, self._draws) if exact is None else exact
        adjusted = [
            max(single[i], self._share(drawn, values[i]) * options.alpha / spent)
            if drawn is not None
            else 1.0
            for i, drawn in enumerate(self._drawn(len(values)))
        ]
        return Tests(
            single=tuple(
                float(p) if tested else 1.0
                for p, tested in zip(single, options.tested, strict=True)
            ),
            adjusted=tuple(min(1.0, p) for p in adjusted),
        )

    def _drawn(self, number: int) -> list[Floats | None]:
        each = [self._largest if i in self._relations else None for i in range(number - 1)]
        return [*each, self._pool]

    def _share(self, drawn: Floats, value: float) -> float:
        rare = float((drawn >= value - ROUNDING).mean())
        as_rare = int((self._rare[self._left] <= rare + ROUNDING).sum())
        taken = len(self._left) - int(self._left.sum())
        return (1 + taken + as_rare) / (1 + len(self._left))
