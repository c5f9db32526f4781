"""Two runs paired: the groups, or sources, that both have a verdict on, and how they moved."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mt_gate.judging.verdicts import RelationVerdicts, unstable_in_any
from mt_gate.results.result import Change

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding alone never turns so many: more are the checkpoint's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One relation's groups applicable in both runs, added up by source.

    ``differences`` holds candidate's violations minus baseline's, ``weights``
    the pairs, both by source, in the same order. ``baseline_violations`` is their sum over the
    baseline, of rates where the relation is bound. ``unstable`` counts the pairs that noise could
    turn in a run, of those that say it; ``unstable_known`` where all do.
    """

    differences: Mapping[str, float]
    weights: Mapping[str, float]
    baseline_violations: float
    new: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    unstable: int = 0
    unstable_known: bool = True

    @property
    def excusable(self) -> bool:
        """Whether some pairs are unstable, and so few that a rise may be looked at without them.

        Where one run does not say which of its own are, none are left out: see
        ``verdicts.without_unstable``.
        """
        pairs = math.fsum(self.weights.values())
        return self.unstable_known and 0 < self.unstable <= max(1.0, MOST_EXCUSED * pairs)


def pair(candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]) -> Pairing:
    """Pair a run with those of a baseline on one relation.

    Groups of the suite are paired by id. Those bound at run time depend on
    what the system answered, so they seldom match: there the pair is a source
    with an applicable group in both runs, and the difference is of its rates.
    """
    baseline = baselines[0]
    bound = candidate.bound or baseline.bound
    pairing = (_pair_sources if bound else _pair_groups)(candidate, baseline)
    return _with_unstable(pairing, candidate, baselines)


def _with_unstable(
    pairing: Pairing, candidate: RelationVerdicts, baselines: Sequence[RelationVerdicts]
) -> Pairing:
    """Count the pairs that noise could turn in any of the runs."""
    runs = [candidate, *baselines]
    unstable = unstable_in_any(runs)
    if unstable and any(run.bound for run in runs):
        unstable &= pairing.weights.keys()
    elif unstable:
        unstable = unstable.intersection(*(run.applicable for run in runs))
    known = all(run.unstable is not None for run in runs)
    return replace(pairing, unstable=len(unstable), unstable_known=known)


def _pair_groups(candidate: RelationVerdicts, baseline: RelationVerdicts) -> Pairing:
    both = candidate.applicable & baseline.applicable
    new = candidate.violated & baseline.satisfied
    fixed = candidate.satisfied & baseline.violated
    # A baseline knows no sources; against another baseline each group is its own.
    source_of = candidate.source_of or {group: group for group in both}
    weights = Counter(map(source_of.__getitem__, both))
    differences = Counter(map(source_of.__getitem__, new))
    differences.subtract(map(source_of.__getitem__, fixed))
    return Pairing(
        differences={source: float(differences[source]) for source in weights},
        weights={source: float(weight) for source, weight in weights.items()},
        baseline_violations=float(len(both & baseline.violated)),
        new=new,
        fixed=fixed,
        still=candidate.violated & baseline.violated,
    )


def _pair_sources(candidate: RelationVerdicts, baseline: RelationVerdicts) -> Pairing:
    """Pair by source; a violated group is new where the baseline has no such one."""
    paired = {
        source: (verdicts, baseline.sources[source])
        for source, verdicts in candidate.sources.items()
        if verdicts.applicable
        and source in baseline.sources
        and baseline.sources[source].applicable
    }
    now = frozenset[str]().union(*(verdicts.violated for verdicts, _ in paired.values()))
    before = frozenset[str]().union(*(verdicts.violated for _, verdicts in paired.values()))
    return Pairing(
        differences={source: new.rate - old.rate for source, (new, old) in paired.items()},
        weights=dict.fromkeys(paired, 1.0),
        baseline_violations=math.fsum(old.rate for _, old in paired.values()),
        new=now - before,
        fixed=before - now,
        still=now & before,
    )


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: a source's groups in all of them are one cluster."""
    differences: defaultdict[str, float] = defaultdict(float)
    weights: defaultdict[str, float] = defaultdict(float)
    for pairing in pairings:
        for source, difference in pairing.differences.items():
            differences[source] += difference
            weights[source] += pairing.weights[source]
    return Pairing(
        # Rounded, so that no sum of fractions depends on the order of the relations.
        differences={source: round(total, 12) for source, total in differences.items()},
        weights=weights,
        baseline_violations=math.fsum(pairing.baseline_violations for pairing in pairings),
        new=frozenset[str]().union(*(pairing.new for pairing in pairings)),
        fixed=frozenset[str]().union(*(pairing.fixed for pairing in pairings)),
        still=frozenset[str]().union(*(pairing.still for pairing in pairings)),
        unstable=sum(pairing.unstable for pairing in pairings),
        unstable_known=all(pairing.unstable_known for pairing in pairings),
    )


def changes(
    now: Sequence[RelationVerdicts],
    before: Sequence[Sequence[RelationVerdicts]],
    pairings: Sequence[Pairing],
) -> dict[str, Change]:
    """Return how each group of the candidate that is paired has moved."""
    changes: dict[str, Change] = {}
    for new, (old, *_), pairing in zip(now, before, pairings, strict=True):
        if new.bound or old.bound:
            paired = (g for g in new.satisfied if new.source_of[g] in pairing.weights)
            changes.update(dict.fromkeys(paired, Change.OK))
        else:
            changes.update(dict.fromkeys(new.satisfied & old.satisfied, Change.OK))
        changes.update(dict.fromkeys(pairing.fixed & new.satisfied, Change.FIXED))
        changes.update(dict.fromkeys(pairing.still, Change.STILL))
        changes.update(dict.fromkeys(pairing.new, Change.NEW))
    return changes
