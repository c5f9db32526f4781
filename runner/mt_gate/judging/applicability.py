"""What two runs could judge, compared: has the system stopped answering, or does it say other?

A unit is a group, or a source of a relation that is bound at run time. It is applicable where it
has a verdict, and answered unless it is not applicable by silence (``domain.is_silent``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import msgspec

from mt_gate.domain import metamorphic
from mt_gate.judging import statistics
from mt_gate.judging.statistics import SEED
from mt_gate.judging.verdicts import RelationVerdicts, applicable_units, looked_at, silent
from mt_gate.results.result import Applicability, Share


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
