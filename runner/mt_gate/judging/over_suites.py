"""Runs of one checkpoint on several suites, held as what their tests rest on, and judged as one.

A loss that each suite has a little of, and none shows, is seen in all of them together. Of a run
only the sources that differ from the baseline are held one by one; the others are added up
(``pairing.reduced``). So no groups need to be held, and of many large runs little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from mt_gate.domain import metamorphic
from mt_gate.judging.measuring import PairedSlice, pair_stable
from mt_gate.judging.pairing import Pairing, pair, pool, reduced
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.results.result import Applicability


@dataclass(frozen=True, slots=True)
class OverSuites:
    """Relations of one run or more, paired; sources that have one name are one.

    ``without`` are the same without what noise turns, ``whole`` those that are judged
    together as one, ``blocking`` which these are.
    """

    pairings: Mapping[str, Pairing]
    without: Mapping[str, Pairing]
    whole: Pairing
    blocking: Set[str]

    def some(self, names: Sequence[str]) -> OverSuites:
        """Return some of them, see ``measuring.Relations``."""
        pairings = {name: self.pairings[name] for name in names}
        without = {name: self.without[name] for name in names}
        # What is added up of relations is not of sources: of a pool it has to be known before.
        blocks = self.blocking == pairings.keys()
        whole = self.whole if blocks else pool([*pairings.values()])
        return OverSuites(pairings, without, whole, self.blocking)

    def pooled(self) -> Pairing:
        """Return all of them as one."""
        return self.whole

    def slices(self) -> Mapping[tuple[str, str], PairedSlice]:
        """Return nothing: each run is judged by its slices for itself."""
        return {}

    def stable(self) -> Mapping[str, Pairing]:
        """Return them without what noise turns; one with too much of it keeps all."""
        return {
            name: self.without[name] if of.excusable else of for name, of in self.pairings.items()
        }

    def applicability(self, spent: float) -> Sequence[Applicability | None]:  # noqa: ARG002
        """Return nothing: each run is judged by that for itself."""
        return [None] * (len(self.pairings) + 1)


def of_run(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    relations: Sequence[str],
    blocking: Set[str],
) -> OverSuites:
    """Return a run against its baseline.

    Args:
        candidate: its verdicts, which know the source of each group.
        baselines: those of the runs of its baseline.
        relations: all of the run.
        blocking: those of them that block.
    """
    pairings, without = {}, {}
    for relation in relations:
        nothing = RelationVerdicts(id=relation)
        new, old = candidate.get(relation, nothing), [of.get(relation, nothing) for of in baselines]
        pairings[relation] = paired = pair(new, old)
        without[relation] = pair_stable(new, old) if paired.unstable else paired
    pooled = metamorphic(relation for relation in pairings if relation in blocking)
    whole = pool([pairings[relation] for relation in pooled])
    *each, whole = reduced([*pairings.values(), whole])
    return OverSuites(
        dict(zip(pairings, each, strict=True)),
        dict(zip(without, reduced([*without.values()]), strict=True)),
        whole,
        frozenset(pooled),
    )


def together(runs: Sequence[OverSuites]) -> OverSuites:
    """Return runs on several suites as one; a relation may be in some of them only."""
    return OverSuites(
        _pooled([run.pairings for run in runs]),
        _pooled([run.without for run in runs]),
        _over([run.whole for run in runs]),
        frozenset[str]().union(*(run.blocking for run in runs)),
    )


def _pooled(runs: Sequence[Mapping[str, Pairing]]) -> dict[str, Pairing]:
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: _over([run[name] for run in runs if name in run]) for name in names}


def _over(pairings: Sequence[Pairing]) -> Pairing:
    """Return a relation over suites: sources of one name are one, groups are counted by suite."""
    # A suite of which nothing is paired does not know how many runs its baseline has.
    found = pool([of for of in pairings if of.clusters] or pairings[:1])
    new, fixed = (
        frozenset(f"{number} {group}" for number, of in enumerate(moved) for group in of)
        for moved in ([of.new for of in pairings], [of.fixed for of in pairings])
    )
    return replace(found, new=new, fixed=fixed)
