"""Reduce a run to its verdicts: by relation, by source, by group id.

The result does not depend on the order of the rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import PREDICTED, Verdict
from mt_gate.results.result import GroupRow
from mt_gate.results.store import RowHead, heads


@dataclass(frozen=True, slots=True)
class SourceVerdicts:
    """The verdicts of one relation's cases of one source."""

    applicable: int = 0
    violated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdicts:
    """The verdicts of one run on one relation, by group id.

    ``not_applicable`` lists ids by reason. A run's own verdicts have the source of each group
    (``source_of``); verdicts read from a baseline do not. For a ``bound`` relation, a baseline has
    only ``sources``, the violated ids, and ``silent_sources`` (None if it does not list them).
    ``unstable`` are the units that numerical noise could flip: groups, or sources of a ``bound``
    relation; None if the run does not list them. ``slices`` are a candidate's groups with known
    answers in each slice of the suite. ``others`` are a candidate's trainings with other seeds.
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
    others: tuple[RelationVerdicts, ...] = ()

    @property
    def applicable(self) -> frozenset[str]:
        """Ids of the groups that are violated or satisfied."""
        return self.violated | self.satisfied

    @property
    def groups(self) -> frozenset[str]:
        """Ids of all groups."""
        return self.applicable.union(*self.not_applicable.values())

    def within(self, groups: Set[str], name: str) -> RelationVerdicts:
        """Return the verdicts on some of the groups; for a relation that is not bound."""
        return RelationVerdicts(
            id=name,
            violated=self.violated & groups,
            satisfied=self.satisfied & groups,
            source_of=self.source_of,
            unstable=None if self.unstable is None else self.unstable & groups,
            others=tuple(other.within(groups, name) for other in self.others),
        )


RunVerdicts = Mapping[str, RelationVerdicts]
"""The verdicts of a run by relation id, in the order of the run."""


def verdicts_from_rows(rows: Iterable[RowHead | GroupRow]) -> dict[str, RelationVerdicts]:
    """Reduce rows to verdicts by relation; CannotJudge for a duplicate id or mixed groups."""
    collected: defaultdict[str, _RowsOfRelation] = defaultdict(_RowsOfRelation)
    for row in heads(rows):
        gathered = collected[row.relation]
        if row.id in gathered.source_of:
            raise CannotJudge(
                f"Case {row.id} of {row.relation} appears twice in the run. Run the gate again."
            )
        if gathered.source_of and row.bound != gathered.bound:
            raise CannotJudge(
                f"{row.relation} mixes cases of the suite with cases built at run time. A relation "
                "has one kind. Run the gate again."
            )
        gathered.bound = row.bound
        gathered.source_of[row.id] = row.cluster_key
        judged = row.verdict is not Verdict.NOT_APPLICABLE
        gathered.ids[row.verdict, "" if judged else row.reason].append(row.id)
        for name in row.slices:
            gathered.slices[name].append(row.id)
        if judged and row.unstable:
            gathered.unstable.add(row.cluster_key if row.bound else row.id)
    results = {}
    for relation, gathered in collected.items():
        source_of = gathered.source_of
        violated, satisfied = (
            gathered.ids.pop((verdict, ""), []) for verdict in (Verdict.VIOLATED, Verdict.SATISFIED)
        )
        applicable = Counter(source_of[group] for group in (*violated, *satisfied))
        violated_of: defaultdict[str, list[str]] = defaultdict(list)
        for group in violated:
            violated_of[source_of[group]].append(group)
        # A case that is skipped because of another label still has a prediction.
        predicted = {
            source_of[group]
            for (_, reason), ids in gathered.ids.items()
            if reason in PREDICTED
            for group in ids
        }
        every = dict.fromkeys(source_of.values())
        silent = frozenset(every).difference(predicted, applicable)
        results[relation] = RelationVerdicts(
            id=relation,
            bound=gathered.bound,
            violated=frozenset(violated),
            satisfied=frozenset(satisfied),
            not_applicable={reason: frozenset(ids) for (_, reason), ids in gathered.ids.items()},
            source_of=source_of,
            sources={
                source: SourceVerdicts(applicable[source], frozenset(violated_of.get(source, ())))
                for source in every
            },
            silent_sources=silent if gathered.bound else None,
            unstable=frozenset(gathered.unstable),
            slices={name: frozenset(ids) for name, ids in sorted(gathered.slices.items())},
        )
    return results


def with_others(
    verdicts: RunVerdicts, others: Sequence[RunVerdicts]
) -> dict[str, RelationVerdicts]:
    """Add trainings with other seeds to a candidate's verdicts."""
    nothing = RelationVerdicts(id="")
    return {
        name: replace(of, others=tuple(other.get(name, nothing) for other in others))
        for name, of in verdicts.items()
    }


@dataclass(slots=True)
class _RowsOfRelation:
    bound: bool = False
    source_of: dict[str, str] = field(default_factory=dict)
    unstable: set[str] = field(default_factory=set)
    slices: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    ids: defaultdict[tuple[Verdict, str], list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )


def unstable_in_any(runs: Iterable[RelationVerdicts]) -> frozenset[str]:
    """Return the units of one relation that noise could flip in any run that lists them."""
    return frozenset[str]().union(*(run.unstable or () for run in runs))


def without_unstable(runs: Sequence[RelationVerdicts]) -> list[RelationVerdicts]:
    """Return the runs on one relation, each without the units that noise could flip in any run.

    Units are excluded from all runs alike. Excluding the unstable units of one run from that run
    only would remove violations due to noise there, and keep them in the others.
    """
    units = unstable_in_any(runs)
    if not units:
        return [*runs]
    return [
        replace(
            run,
            violated=run.violated if run.bound else run.violated - units,
            satisfied=run.satisfied if run.bound else run.satisfied - units,
            sources={
                source: counts for source, counts in run.sources.items() if source not in units
            }
            if run.bound
            else run.sources,
            unstable=frozenset(),
        )
        for run in runs
    ]


def restrict_to(runs: Iterable[RunVerdicts], to: RunVerdicts) -> tuple[RunVerdicts, ...]:
    """Return runs of a baseline without the units that an early-stopped run did not cover."""
    nothing = RelationVerdicts(id="")
    return tuple(
        {
            name: _restrict_relation(verdicts, to.get(name, nothing))
            for name, verdicts in run.items()
        }
        for run in runs
    )


def _restrict_relation(verdicts: RelationVerdicts, to: RelationVerdicts) -> RelationVerdicts:
    sources = {
        source: counts for source, counts in verdicts.sources.items() if source in to.sources
    }
    if verdicts.bound:
        units: Set[str] = sources.keys()
        groups: Set[str] = frozenset[str]().union(*(counts.violated for counts in sources.values()))
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


def observed_units(verdicts: RelationVerdicts, bound: bool) -> Set[str]:
    """Return the units of a run: groups, or sources if the relation is bound."""
    return verdicts.sources.keys() if bound else verdicts.groups


def applicable_units(verdicts: RelationVerdicts, bound: bool) -> frozenset[str]:
    """Return the testable units: groups, or sources with an applicable group."""
    if not bound:
        return verdicts.applicable
    return frozenset(source for source, counts in verdicts.sources.items() if counts.applicable)
