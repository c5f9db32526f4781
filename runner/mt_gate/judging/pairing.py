"""Two runs paired: the groups, or sources, that both have a verdict on, and how they moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.verdicts import RelationVerdicts, unstable_in_any
from mt_gate.results.result import Change

Floats = NDArray[np.float64]

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding alone never turns so many: more are the checkpoint's doing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """One relation's groups applicable in all runs, added up by source.

    ``violations`` has a row per source and a column per run, the candidate first; ``weights`` the
    pairs of each source. Where the relation is bound the one are rates and the other 1. Groups are
    ``new`` that are violated now and satisfied before, ``fixed`` the reverse, ``still`` violated in
    both. ``unstable`` counts the pairs that noise could turn in a run, of those that say it;
    ``unstable_known`` where all do.
    """

    sources: tuple[str, ...]
    violations: Floats
    weights: Floats
    new: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    unstable: int = 0
    unstable_known: bool = True

    @property
    def runs(self) -> int:
        """Number of paired runs, with the candidate's."""
        return int(self.violations.shape[1])

    @property
    def pairs(self) -> float:
        """Number of all pairs."""
        return float(self.weights.sum())

    @property
    def clusters(self) -> int:
        """Number of sources."""
        return len(self.sources)

    @property
    def differences(self) -> Floats:
        """The candidate's violations less the mean of the baseline's runs, by source."""
        # Rounded, so that no sum of fractions depends on the order of relations or runs.
        mean = self.violations[:, 1:].mean(axis=1)
        return np.asarray(np.round(self.violations[:, 0] - mean, 12), dtype=np.float64)

    @property
    def excusable(self) -> bool:
        """Whether some pairs are unstable, and so few that a rise may be looked at without them.

        Where one run does not say which of its own are, none are left out: see
        ``verdicts.without_unstable``.
        """
        return self.unstable_known and 0 < self.unstable <= max(1.0, MOST_EXCUSED * self.pairs)


def pair(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair a run with those of a baseline on one relation.

    Groups of the suite are paired by id. Those bound at run time depend on what the system
    predicted, so they seldom match: there the pair is a source with an applicable group in every
    run, and the difference is of its rates. A group is new where most runs of the baseline hold
    it, and fixed where most violate it; where as many do the one as the other, it has not moved.
    """
    runs = (candidate, *baselines)
    if any(run.bound for run in runs):
        judged = [{source for source, of in run.sources.items() if of.applicable} for run in runs]
        sources = sorted(set.intersection(*judged))
        by_run = [[run.sources[source] for source in sources] for run in runs]
        violated = [frozenset[str]().union(*(of.violated for of in of_run)) for of_run in by_run]
        violations: list[list[float]] = [[of.rate for of in of_run] for of_run in by_run]
        weights = [1] * len(sources)
        paired = frozenset(sources)
    else:
        paired = frozenset[str].intersection(*(run.applicable for run in runs))
        # A baseline knows no sources; against another baseline each group is its own.
        source_of = candidate.source_of or {group: group for group in paired}
        violated = [run.violated & paired for run in runs]
        sizes = dict(sorted(Counter(map(source_of.__getitem__, paired)).items()))
        sources, weights = [*sizes], [*sizes.values()]
        counts = [Counter(map(source_of.__getitem__, of_run)) for of_run in violated]
        violations = [[of_run[source] for source in sources] for of_run in counts]
    now, *before = violated
    times = Counter(group for run in before for group in run)
    mostly = frozenset(group for group, number in times.items() if 2 * number > len(before))
    not_mostly_satisfied = frozenset(
        group for group, number in times.items() if 2 * number >= len(before)
    )
    return Pairing(
        sources=tuple(sources),
        violations=np.array(violations, dtype=np.float64).T,
        weights=np.array(weights, dtype=np.float64),
        new=now - not_mostly_satisfied,
        fixed=mostly - now,
        still=now & not_mostly_satisfied,
        unstable=len(unstable_in_any(runs) & paired),
        unstable_known=all(run.unstable is not None for run in runs),
    )


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: all of a source's groups are one cluster."""
    index = _index_of(pairing.sources for pairing in pairings)
    runs = pairings[0].runs if pairings else 2
    violations, weights = np.zeros((len(index), runs)), np.zeros(len(index))
    for pairing in pairings:
        at = [index[source] for source in pairing.sources]
        violations[at] += pairing.violations
        weights[at] += pairing.weights
    nothing = frozenset[str]()
    return Pairing(
        sources=tuple(index),
        violations=violations,
        weights=weights,
        new=nothing.union(*(pairing.new for pairing in pairings)),
        fixed=nothing.union(*(pairing.fixed for pairing in pairings)),
        still=nothing.union(*(pairing.still for pairing in pairings)),
        unstable=sum(pairing.unstable for pairing in pairings),
        unstable_known=all(pairing.unstable_known for pairing in pairings),
    )


def _index_of(sources: Iterable[Iterable[str]]) -> dict[str, int]:
    every = sorted({source for some in sources for source in some})
    return {source: at for at, source in enumerate(every)}


class SideBySide(NamedTuple):
    """Violations of every relation, shape (sources, runs, relations), and whose they are."""

    sources: tuple[str, ...]
    outcomes: Floats


def side_by_side(pairings: Sequence[Pairing]) -> SideBySide:
    """Return the violations of every relation for the sources that say something.

    Sources for which no run differs say nothing and are left out: they are most of a large suite;
    where none differs in one relation, 0 is there for each. The others come by id, so that
    nothing drawn at random depends on the order of the rows.
    """
    differing = [
        np.asarray((pairing.violations != pairing.violations[:, :1]).any(axis=1))
        for pairing in pairings
    ]
    named = [
        tuple(compress(pairing.sources, of_it))
        for pairing, of_it in zip(pairings, differing, strict=True)
    ]
    index = _index_of(named)
    runs = pairings[0].runs if pairings else 2
    outcomes = np.zeros((len(index), runs, len(pairings)))
    for i, (pairing, of_it, names) in enumerate(zip(pairings, differing, named, strict=True)):
        outcomes[[index[name] for name in names], :, i] = pairing.violations[of_it]
    return SideBySide(tuple(index), outcomes)


def changes(
    new: RelationVerdicts, runs: Sequence[RelationVerdicts], pairing: Pairing
) -> Mapping[str, Change]:
    """Return how each group of the candidate that is paired has moved."""
    if new.bound or any(run.bound for run in runs):
        sources = frozenset(pairing.sources)
        paired = frozenset(group for group in new.satisfied if new.source_of[group] in sources)
    else:
        paired = new.satisfied.intersection(*(run.applicable for run in runs))
    return {
        **dict.fromkeys(paired, Change.OK),
        **dict.fromkeys(pairing.fixed & new.satisfied, Change.FIXED),
        **dict.fromkeys(pairing.still, Change.STILL),
        **dict.fromkeys(pairing.new, Change.NEW),
    }
