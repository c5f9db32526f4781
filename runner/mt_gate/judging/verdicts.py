"""A run reduced to its verdicts: by relation, by source, by group id.

Nothing here reads a file or a clock, and rows give the same verdicts in whatever order they come.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Verdict, is_silent
from mt_gate.results.result import GroupRow
from mt_gate.results.rows import RowHead, heads


@dataclass(frozen=True, slots=True)
class SourceVerdicts:
    """What the groups of one relation say of one source."""

    applicable: int = 0
    violated: frozenset[str] = frozenset()

    @property
    def rate(self) -> float:
        """Violated share of the applicable groups, of which there must be one."""
        return len(self.violated) / self.applicable


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdicts:
    """The verdicts of one run on one relation, by group id.

    ``not_applicable`` lists ids by reason. A run's own verdicts know the source
    of each group (``source_of``); those read from a baseline do not, and keep of
    a ``bound`` relation only ``sources``, the violated ids and ``silent_sources``, which
    are None where a baseline does not tell them. ``unstable`` are the
    units that numerical noise could turn: groups, or sources of a ``bound`` relation;
    None where the run did not keep which. ``slices`` are the groups in each slice of the suite, of
    a candidate's known answers.
    """

    id: str
    bound: bool = False
    violated: frozenset[str] = frozenset()
    satisfied: frozenset[str] = frozenset()
    not_applicable: Mapping[str, frozenset[str]] = field(default_factory=dict)
    source_of: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, SourceVerdicts] = field(default_factory=dict)
    silent_sources: frozenset[str] | None = None
    unstable: frozenset[str] | None = frozenset()
    slices: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def applicable(self) -> frozenset[str]:
        """Ids of the groups with a verdict for or against."""
        return self.violated | self.satisfied

    @property
    def groups(self) -> frozenset[str]:
        """Ids of all groups."""
        return self.applicable.union(*self.not_applicable.values())

    def within(self, groups: Set[str], name: str) -> RelationVerdicts:
        """Return the verdicts on some of the groups, of a relation that is not bound."""
        return RelationVerdicts(
            id=name,
            violated=self.violated & groups,
            satisfied=self.satisfied & groups,
            source_of=self.source_of,
            unstable=None if self.unstable is None else self.unstable & groups,
        )


RunVerdicts = Mapping[str, RelationVerdicts]
"""The verdicts of a run by relation id, in the order of the run."""


def verdicts_from_rows(rows: Iterable[RowHead | GroupRow]) -> dict[str, RelationVerdicts]:
    """Reduce the rows of a run to its verdicts, one pass, relation by relation.

    Raises:
        CannotJudge: a group id appears twice, or a relation's groups are of two kinds.
    """
    gathered: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    for row in heads(rows):
        gathered[row.relation].add(row)
    return {relation: gathered[relation].verdicts(relation) for relation in gathered}


class _Gathered:
    """The rows of one relation so far."""

    def __init__(self) -> None:
        self.bound = False
        self.source_of: dict[str, str] = {}
        self._clusters: dict[str, str] = {}
        self.unstable: set[str] = set()
        self._slices: defaultdict[str, list[str]] = defaultdict(list)
        self.ids: dict[tuple[Verdict, str], list[str]] = defaultdict(list)

    def add(self, row: RowHead | GroupRow) -> None:
        if row.id in self.source_of:
            raise CannotJudge(
                f"groups of the run: {row.id} of {row.relation} appears twice, "
                "expected every group once; run the gate again"
            )
        if self.source_of and row.bound != self.bound:
            raise CannotJudge(
                f"groups of the run: {row.relation} has some of the suite and some built at run "
                "time, expected one of the two; run the gate again"
            )
        cluster = row.cluster_key
        # Each row that is unpacked has a text of its own: one is kept for all of a cluster.
        self.source_of[row.id] = self._clusters.setdefault(cluster, cluster)
        self.bound = row.bound
        reason = row.reason if row.verdict is Verdict.NOT_APPLICABLE else ""
        self.ids[row.verdict, reason].append(row.id)
        for name in row.slices:
            self._slices[name].append(row.id)
        if row.verdict is Verdict.NOT_APPLICABLE:
            return
        unit = row.cluster_key if row.bound else row.id
        if row.unstable:
            self.unstable.add(unit)

    def verdicts(self, relation: str) -> RelationVerdicts:
        not_applicable = {
            reason: frozenset(ids)
            for (verdict, reason), ids in self.ids.items()
            if verdict is Verdict.NOT_APPLICABLE
        }
        return _with_sources(
            RelationVerdicts(
                id=relation,
                bound=self.bound,
                violated=frozenset(self.ids[Verdict.VIOLATED, ""]),
                satisfied=frozenset(self.ids[Verdict.SATISFIED, ""]),
                not_applicable=not_applicable,
                source_of=self.source_of,
                silent_sources=self._silent_sources() if self.bound else None,
                unstable=frozenset(self.unstable),
                slices={name: frozenset(ids) for name, ids in sorted(self._slices.items())},
            )
        )

    def _silent_sources(self) -> frozenset[str]:
        """Return the sources without a group that has an outcome or depends on the prediction."""
        answered = {
            self.source_of[group]
            for (verdict, reason), ids in self.ids.items()
            if verdict is not Verdict.NOT_APPLICABLE or not is_silent(reason)
            for group in ids
        }
        return frozenset(self.source_of.values()) - answered


def _with_sources(verdicts: RelationVerdicts) -> RelationVerdicts:
    """Fill ``sources`` from the groups; a source with none applicable counts 0."""
    source_of = verdicts.source_of
    applicable = Counter(map(source_of.__getitem__, verdicts.applicable))
    violated: defaultdict[str, list[str]] = defaultdict(list)
    for group in verdicts.violated:
        violated[source_of[group]].append(group)
    sources = {}
    for source in source_of.values():
        if source not in sources:
            some = violated.get(source)
            number = applicable[source]
            sources[source] = (
                SourceVerdicts(number, frozenset(some)) if some else _without_violation(number)
            )
    return replace(verdicts, sources=sources)


@cache
def _without_violation(applicable: int) -> SourceVerdicts:
    """Return what is said of a source without a violation: one for all that are alike."""
    return SourceVerdicts(applicable)


def unstable_in_any(runs: Iterable[RelationVerdicts]) -> frozenset[str]:
    """Return the units of one relation that noise could turn in any of the runs that say which."""
    return frozenset[str]().union(*(run.unstable or () for run in runs))


def without_unstable(runs: Sequence[RelationVerdicts]) -> list[RelationVerdicts]:
    """Return the runs on one relation, each without the units that noise could turn in any.

    All sides alike: leaving out what is close to turning in one run alone takes away violations
    that noise gave to this run, and keeps those that it gave to the others.
    """
    unstable = unstable_in_any(runs)
    return [_without(run, unstable) for run in runs] if unstable else [*runs]


def _without(verdicts: RelationVerdicts, units: Set[str]) -> RelationVerdicts:
    if verdicts.bound:
        kept = {source: of for source, of in verdicts.sources.items() if source not in units}
        return replace(verdicts, sources=kept, unstable=frozenset())
    return replace(
        verdicts,
        violated=verdicts.violated - units,
        satisfied=verdicts.satisfied - units,
        unstable=frozenset(),
    )


def narrowed(runs: Iterable[RunVerdicts], to: RunVerdicts) -> tuple[RunVerdicts, ...]:
    """Return runs of a baseline without what a run that stopped early did not look at.

    Args:
        runs: of the baseline.
        to: the verdicts of the run.
    """
    nothing = RelationVerdicts(id="")
    return tuple(
        {name: _narrowed(verdicts, to.get(name, nothing)) for name, verdicts in run.items()}
        for run in runs
    )


def _narrowed(verdicts: RelationVerdicts, to: RelationVerdicts) -> RelationVerdicts:
    sources = {source: of for source, of in verdicts.sources.items() if source in to.sources}
    if verdicts.bound:
        units: Set[str] = sources.keys()
        groups: Set[str] = frozenset[str]().union(*(of.violated for of in sources.values()))
    else:
        units = groups = to.groups
    reasons = {why: ids & groups for why, ids in verdicts.not_applicable.items()}
    silent = verdicts.silent_sources
    return replace(
        verdicts,
        violated=verdicts.violated & groups,
        satisfied=verdicts.satisfied & groups,
        not_applicable={why: ids for why, ids in reasons.items() if ids},
        sources=sources,
        silent_sources=None if silent is None else silent & sources.keys(),
        unstable=None if verdicts.unstable is None else verdicts.unstable & units,
    )


def looked_at(verdicts: RelationVerdicts, bound: bool) -> Set[str]:
    """Return the units of a run: groups, or sources where the relation is bound."""
    return verdicts.sources.keys() if bound else verdicts.groups


def applicable_units(verdicts: RelationVerdicts, bound: bool) -> frozenset[str]:
    """Return the units that could be judged: groups, or sources that bind one."""
    if not bound:
        return verdicts.applicable
    return frozenset(source for source, of in verdicts.sources.items() if of.applicable)


def silent(verdicts: RelationVerdicts, bound: bool) -> frozenset[str] | None:
    """Return the units not applicable by silence; None where a baseline does not tell."""
    if bound:
        return verdicts.silent_sources
    by_silence = (ids for reason, ids in verdicts.not_applicable.items() if is_silent(reason))
    return frozenset[str]().union(*by_silence)
