"""Two runs paired: the groups, or sources, that both have a verdict on, and how they moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.sorted_ids import Mask, SortedIds, intersection, union
from mt_gate.judging.units import Changes, Floats
from mt_gate.judging.verdicts import RelationVerdicts, unstable_in_any
from mt_gate.results.result import Change

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding alone never turns so many: more are the checkpoint's doing."""
_NONE = SortedIds()


class Moved(NamedTuple):
    """Groups that are violated now and held before, the reverse, and those violated in both."""

    new: SortedIds = _NONE
    fixed: SortedIds = _NONE
    still: SortedIds = _NONE


class Pairing:
    """One relation's groups applicable in all runs, added up by source.

    ``violations`` has a row per source and a column per run, the candidate first; ``weights`` the
    pairs of each source. Where the relation is bound the one are rates and the other 1. ``new``,
    ``fixed`` and ``still`` are groups, see ``Moved``.
    ``unstable`` counts the pairs that noise could turn in a run, of those that say it;
    ``unstable_known`` where all do.
    """

    __slots__ = (
        "_violations",
        "_weights",
        "fixed",
        "new",
        "sources",
        "still",
        "unstable",
        "unstable_known",
    )

    def __init__(
        self,
        *,
        sources: SortedIds,
        violations: Floats,
        weights: Floats,
        moved: Moved = Moved(),  # noqa: B008 - immutable
        unstable: int = 0,
        unstable_known: bool = True,
    ) -> None:
        """Take what is told of the class, and hold it in as few bytes as it needs."""
        self.sources = sources
        self._violations = _in_bytes(violations)
        self._weights = _in_bytes(weights)
        self.new, self.fixed, self.still = moved
        self.unstable = unstable
        self.unstable_known = unstable_known

    @property
    def violations(self) -> Floats:
        """Violations by source and run."""
        return self._violations.astype(np.float64)

    @property
    def weights(self) -> Floats:
        """Pairs by source."""
        return self._weights.astype(np.float64)

    @property
    def runs(self) -> int:
        """How many runs are paired, the candidate's among them."""
        return int(self._violations.shape[1])

    @property
    def pairs(self) -> float:
        """How many pairs there are in all."""
        return float(self.weights.sum())

    @property
    def clusters(self) -> int:
        """How many sources there are."""
        return len(self.sources)

    @property
    def differences(self) -> Floats:
        """The candidate's violations less the mean of the baseline's runs, by source."""
        # Rounded, so that no sum of fractions depends on the order of relations or runs.
        violations = self.violations
        mean = violations[:, 1:].mean(axis=1)
        return np.asarray(np.round(violations[:, 0] - mean, 12), dtype=np.float64)

    @property
    def excusable(self) -> bool:
        """Whether some pairs are unstable, and so few that a rise may be looked at without them.

        Where one run does not say which of its own are, none are left out: see
        ``verdicts.without_unstable``.
        """
        return self.unstable_known and 0 < self.unstable <= max(1.0, MOST_EXCUSED * self.pairs)


def pair(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair a run with those of a baseline on one relation.

    Groups of the suite are paired by id. Those bound at run time depend on
    what the system answered, so they seldom match: there the pair is a source
    with an applicable group in every run, and the difference is of its rates.
    A group is new where most runs of the baseline hold it, and fixed where most violate it.
    """
    runs = (candidate, *baselines)
    return (_pair_sources if any(run.bound for run in runs) else _pair_groups)(runs)


def _pair_groups(runs: Sequence[RelationVerdicts]) -> Pairing:
    candidate = runs[0]
    paired = intersection(run.applicable for run in runs)
    if candidate.source_of:
        sources, at = candidate.source_of.by_source(paired)
    else:  # a baseline knows no sources; against another baseline each group is its own
        sources, at = paired, np.arange(len(paired))
    violated = [paired.within(run.violated) for run in runs]
    moved = _moved(paired, violated)
    return Pairing(
        sources=sources,
        violations=_columns([np.bincount(at[lost], minlength=len(sources)) for lost in violated]),
        weights=np.bincount(at, minlength=len(sources)).astype(np.float64),
        moved=moved,
        unstable=len(unstable_in_any(runs) & paired),
        unstable_known=_known(runs),
    )


def _pair_sources(runs: Sequence[RelationVerdicts]) -> Pairing:
    """Pair by source; a violated group is new where the baseline has no such one."""
    paired = intersection(run.sources.judged for run in runs)
    lost = [run.sources.violated_of(paired) for run in runs]
    every = union(lost)
    moved = _moved(every, [every.within(of_run) for of_run in lost])
    return Pairing(
        sources=paired,
        violations=_columns([run.sources.rates[run.sources.ids.positions(paired)] for run in runs]),
        weights=np.ones(len(paired)),
        moved=moved,
        unstable=len(unstable_in_any(runs) & paired),
        unstable_known=_known(runs),
    )


def _known(runs: Sequence[RelationVerdicts]) -> bool:
    """Whether every run says which of its units noise could turn."""
    return all(run.unstable is not None for run in runs)


def _moved(groups: SortedIds, violated: Sequence[Mask]) -> Moved:
    """Return how groups moved; where as many runs of a baseline violate one as hold it, none did.

    Args:
        groups: of which each run's own are violated, or hold.
        violated: of each, for each run, the candidate's first.
    """
    now, *before = violated
    times = np.sum(before, axis=0)
    mostly, not_held = 2 * times > len(before), 2 * times >= len(before)
    return Moved(groups[now & ~not_held], groups[mostly & ~now], groups[now & not_held])


def _in_bytes(values: Floats) -> NDArray[Any]:
    """Return numbers in a byte each where that says all, as it does of most."""
    most = np.iinfo(np.uint8).max
    if values.size and not (values.min() >= 0 and values.max() <= most):
        return values
    small = values.astype(np.uint8)
    return small if np.array_equal(small, values) else values


def _columns(runs: Sequence[NDArray[Any]]) -> Floats:
    """Return a column per run."""
    return np.array(runs, dtype=np.float64).T


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: all of a source's groups are one cluster."""
    sources = union(pairing.sources for pairing in pairings)
    runs = pairings[0].runs if pairings else 2
    violations, weights = np.zeros((len(sources), runs)), np.zeros(len(sources))
    for pairing in pairings:
        at = sources.positions(pairing.sources)
        violations[at] += pairing.violations
        weights[at] += pairing.weights
    return Pairing(
        sources=sources,
        violations=violations,
        weights=weights,
        moved=Moved(
            union(pairing.new for pairing in pairings),
            union(pairing.fixed for pairing in pairings),
            union(pairing.still for pairing in pairings),
        ),
        unstable=sum(pairing.unstable for pairing in pairings),
        unstable_known=all(pairing.unstable_known for pairing in pairings),
    )


class SideBySide(NamedTuple):
    """Violations of every relation, shape (sources, runs, relations), and whose they are."""

    sources: SortedIds
    outcomes: Floats


def side_by_side(pairings: Sequence[Pairing]) -> SideBySide:
    """Return the violations of every relation for the sources that say something.

    Sources for which no run differs say nothing and are left out: they are most of a large suite;
    where none differs in one relation, 0 stands there for each. The others come by id, so that
    nothing drawn at random depends on the order of the rows.

    Args:
        pairings: of the relations.
    """
    differing = [_differing(pairing) for pairing in pairings]
    sources = union(
        pairing.sources[of_it] for pairing, of_it in zip(pairings, differing, strict=True)
    )
    runs = pairings[0].runs if pairings else 2
    found = np.zeros((len(sources), runs, len(pairings)))
    for i, (pairing, of_it) in enumerate(zip(pairings, differing, strict=True)):
        found[sources.positions(pairing.sources[of_it]), :, i] = pairing.violations[of_it]
    return SideBySide(sources, found)


def _differing(pairing: Pairing) -> Mask:
    """Return the sources for which the runs differ."""
    violations = pairing.violations
    return np.asarray((violations != violations[:, :1]).any(axis=1))


def changes(new: RelationVerdicts, runs: Sequence[RelationVerdicts], pairing: Pairing) -> Changes:
    """Return how each group of the candidate that is paired has moved."""
    if new.bound or any(run.bound for run in runs):
        paired = new.satisfied & new.source_of.groups_of(pairing.sources)
    else:
        paired = intersection([new.satisfied, *(run.applicable for run in runs)])
    return Changes.of(
        (
            (paired, Change.OK),
            (pairing.fixed & new.satisfied, Change.FIXED),
            (pairing.still, Change.STILL),
            (pairing.new, Change.NEW),
        ),
        new.source_of.ids,
    )
