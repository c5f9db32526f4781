"""Two runs paired: the groups, or sources, that both have a verdict on, and how they moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.judging.verdicts import RelationVerdicts, SourceVerdicts, unstable_in_any
from mt_gate.results.result import Change

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding alone never turns so many: more are the checkpoint's doing."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """One relation's groups applicable in all runs, added up by source.

    ``violations`` has a row per source and a column per run, the candidate first; ``weights`` the
    pairs of each source. Where the relation is bound the one are rates and the other 1.
    ``unstable`` counts the pairs that noise could turn in a run, of those that say it;
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
    def pairs(self) -> float:
        """How many pairs there are in all."""
        return float(self.weights.sum())

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

    Groups of the suite are paired by id. Those bound at run time depend on
    what the system answered, so they seldom match: there the pair is a source
    with an applicable group in every run, and the difference is of its rates.
    A group is new where most runs of the baseline hold it, and fixed where most violate it.
    """
    runs = (candidate, *baselines)
    return (_pair_sources if any(run.bound for run in runs) else _pair_groups)(runs)


def _pair_groups(runs: Sequence[RelationVerdicts]) -> Pairing:
    candidate, *baselines = runs
    paired = frozenset[str].intersection(*(run.applicable for run in runs))
    # A baseline knows no sources; against another baseline each group is its own.
    source_of = candidate.source_of or {group: group for group in paired}
    weights = dict(sorted(Counter(map(source_of.__getitem__, paired)).items()))
    violated = [Counter(map(source_of.__getitem__, run.violated & paired)) for run in runs]
    moved = _moved(candidate.violated & paired, [run.violated & paired for run in baselines])
    return Pairing(
        sources=tuple(weights),
        violations=_columns([[counts[source] for source in weights] for counts in violated]),
        weights=np.array(list(weights.values()), dtype=np.float64),
        new=moved.new,
        fixed=moved.fixed,
        still=moved.still,
        unstable=len(unstable_in_any(runs) & paired),
        unstable_known=_known(runs),
    )


def _pair_sources(runs: Sequence[RelationVerdicts]) -> Pairing:
    """Pair by source; a violated group is new where the baseline has no such one."""
    candidate, *baselines = runs
    nothing = SourceVerdicts()
    every = (
        (source, (verdicts, *(run.sources.get(source, nothing) for run in baselines)))
        for source, verdicts in sorted(candidate.sources.items(), key=itemgetter(0))
    )
    paired = {source: of_runs for source, of_runs in every if all(v.applicable for v in of_runs)}
    by_run = list(zip(*paired.values(), strict=True)) or [()] * len(runs)
    violated = [frozenset[str]().union(*(v.violated for v in of_run)) for of_run in by_run]
    moved = _moved(violated[0], violated[1:])
    return Pairing(
        sources=tuple(paired),
        violations=_columns([[v.rate for v in of_run] for of_run in by_run]),
        weights=np.ones(len(paired)),
        new=moved.new,
        fixed=moved.fixed,
        still=moved.still,
        unstable=len(unstable_in_any(runs) & paired.keys()),
        unstable_known=_known(runs),
    )


def _known(runs: Sequence[RelationVerdicts]) -> bool:
    """Whether every run says which of its units noise could turn."""
    return all(run.unstable is not None for run in runs)


class _Moved(NamedTuple):
    """Groups that are violated now and held before, the reverse, and those violated in both."""

    new: frozenset[str]
    fixed: frozenset[str]
    still: frozenset[str]


def _moved(now: frozenset[str], before: Sequence[frozenset[str]]) -> _Moved:
    """Return how groups moved; where as many runs of a baseline violate one as hold it, none did.

    Args:
        now: what the candidate violates.
        before: what each run of the baseline does.
    """
    if len(before) == 1:
        violated = not_held = before[0]
    else:
        counts = Counter(group for run in before for group in run)
        violated = frozenset(g for g, count in counts.items() if 2 * count > len(before))
        not_held = frozenset(g for g, count in counts.items() if 2 * count >= len(before))
    return _Moved(now - not_held, violated - now, now & not_held)


def _columns(runs: Iterable[Sequence[float]]) -> Floats:
    """Return a column per run."""
    return np.array(list(runs), dtype=np.float64).T


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: a source's groups in all of them are one cluster."""
    index = {source: i for i, source in enumerate(_all_sources(pairings))}
    runs = pairings[0].violations.shape[1] if pairings else 2
    violations, weights = np.zeros((len(index), runs)), np.zeros(len(index))
    for pairing in pairings:
        at = [index[source] for source in pairing.sources]
        violations[at] += pairing.violations
        weights[at] += pairing.weights
    return Pairing(
        sources=tuple(index),
        violations=violations,
        weights=weights,
        new=frozenset[str]().union(*(pairing.new for pairing in pairings)),
        fixed=frozenset[str]().union(*(pairing.fixed for pairing in pairings)),
        still=frozenset[str]().union(*(pairing.still for pairing in pairings)),
        unstable=sum(pairing.unstable for pairing in pairings),
        unstable_known=all(pairing.unstable_known for pairing in pairings),
    )


class SideBySide(NamedTuple):
    """Violations of every relation, shape (sources, runs, relations), and whose they are."""

    sources: tuple[str, ...]
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
    sources = sorted({source for of_it in differing for source, _ in of_it})
    index = {source: i for i, source in enumerate(sources)}
    runs = pairings[0].violations.shape[1] if pairings else 2
    found = np.zeros((len(sources), runs, len(pairings)))
    for i, (pairing, of_it) in enumerate(zip(pairings, differing, strict=True)):
        at = [index[source] for source, _ in of_it]
        found[at, :, i] = pairing.violations[[row for _, row in of_it]]
    return SideBySide(tuple(sources), found)


def _differing(pairing: Pairing) -> list[tuple[str, int]]:
    """Return the sources, each with its row, for which the runs differ."""
    differs = (pairing.violations != pairing.violations[:, :1]).any(axis=1)
    return [(pairing.sources[row], row) for row in np.flatnonzero(differs).tolist()]


def _all_sources(pairings: Sequence[Pairing]) -> Mapping[str, None]:
    return dict.fromkeys(sorted({source for pairing in pairings for source in pairing.sources}))


def changes(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
) -> dict[str, Change]:
    """Return how each group of the candidate that is paired has moved."""
    changes: dict[str, Change] = {}
    for new, runs, pairing in zip(now, before, pairings, strict=True):
        if new.bound or any(run.bound for run in runs):
            sources = frozenset(pairing.sources)
            paired = frozenset(g for g in new.satisfied if new.source_of[g] in sources)
        else:
            paired = new.satisfied.intersection(*(run.applicable for run in runs))
        changes.update(dict.fromkeys(paired, Change.OK))
        changes.update(dict.fromkeys(pairing.fixed & new.satisfied, Change.FIXED))
        changes.update(dict.fromkeys(pairing.still, Change.STILL))
        changes.update(dict.fromkeys(pairing.new, Change.NEW))
    return changes
