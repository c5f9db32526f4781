"""What a baseline holds, and what of it the comparison takes.

It has the verdict of every group in each of its runs, so that a later run can be paired with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from mt_gate.base.sorted_ids import SortedIds, union
from mt_gate.baselines.listed import NO_IDS, NO_MARGINS, ListedIds, ListedMargins
from mt_gate.judging.units import BySource, Margins
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    RunVerdicts,
    applicable_units,
)
from mt_gate.results.result import (
    BaselineHead,
    CheckpointHead,
    Count,
    Counts,
    Identifier,
    LabelledAnswers,
    Name,
    Profile,
    RunSettings,
    SuiteHead,
    Text,
    Tool,
)
from mt_gate.settings.record import MOST_RELATIONS

FORMAT = 1
MOST_RUNS = 5
RECORD = "record a new baseline with mt-gate baseline record"
"""What to do about a baseline that cannot be used, at the end of a message."""

DIGEST = r"\A([0-9a-f]{64})?\Z"
_RUN_ID = r"\A([0-9a-f]{32})?\Z"


class BaselineRelation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verdicts of one relation in one run.

    Groups of the suite are listed by id: ``violated_groups``,
    ``satisfied_groups``, and ``not_applicable_groups`` by reason. A ``bound``
    relation has instead, for each source, how many of its groups were
    applicable and the ids of those violated. ``unstable_groups`` are those that numerical
    noise could turn, of a bound relation sources; None where the run did not keep which.
    ``silent_sources`` are the sources of a bound relation that are not applicable by silence.
    ``margins`` are how far each applicable unit's groups are from where their verdict turns, below
    0 if violated, in the order of the units' ids; empty where none is known.
    """

    id: Identifier
    bound: bool
    groups: Count
    applicable: Count
    violated: Count
    not_applicable: Counts
    violated_groups: ListedIds = NO_IDS
    satisfied_groups: ListedIds = NO_IDS
    not_applicable_groups: Mapping[Name, ListedIds] = {}
    sources: Mapping[Identifier, tuple[Count, tuple[Identifier, ...]]] = {}
    unstable_groups: ListedIds | None = None
    silent_sources: ListedIds | None = None
    margins: ListedMargins = NO_MARGINS

    @property
    def rate(self) -> float | None:
        """Violation rate in [0, 1]; None where nothing was applicable."""
        return self.violated / self.applicable if self.applicable else None


class BaselineRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of a baseline: who answered, what in general, and the verdict of every group.

    ``id`` is the run's own (``RunMark``); it is empty where that is not known. ``labelled`` is what
    the run was asked beside the suite, if anything.
    """

    id: Annotated[str, msgspec.Meta(pattern=_RUN_ID)] = ""
    created: Name
    checkpoint: CheckpointHead
    profile: Profile
    labelled: LabelledAnswers | None = None
    relations: Annotated[tuple[BaselineRelation, ...], msgspec.Meta(max_length=MOST_RELATIONS)]

    def verdicts(self) -> RunVerdicts:
        """Return the run's verdicts by relation."""
        return {relation.id: verdicts_of(relation) for relation in self.relations}


BaselineRuns = Annotated[tuple[BaselineRun, ...], msgspec.Meta(min_length=1, max_length=MOST_RUNS)]


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An older baseline of the same suite, kept while the baseline is recorded again and again.

    What each of many baselines passed may add up to a loss; against the anchor it shows.
    """

    name: Identifier
    recorded: Name
    runs: BaselineRuns

    def verdicts(self) -> tuple[RunVerdicts, ...]:
        """Return the verdicts of each run."""
        return tuple(run.verdicts() for run in self.runs)


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Recorded runs of one suite that later runs are held against.

    ``format`` is that of the file. ``recorded`` is UTC in ISO 8601, the time of the newest run;
    ``accept`` says why runs that regressed, or were not whole, were recorded all the same.
    ``settings`` are those of every run, their ``noise`` that of the noisiest. ``answers_sha256``
    is of the text in the file of answers beside it, those of the first run, empty where there is
    none. ``sha256`` is of all the rest, on disk; empty in memory.
    """

    format: int
    sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    tool: Tool
    name: Identifier
    recorded: Name
    accept: Text | None = None
    suite: SuiteHead
    settings: RunSettings
    answers_sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    runs: BaselineRuns
    anchor: Anchor | None = None

    @property
    def first(self) -> BaselineRun:
        """The run that stands where one is shown, and whose answers are kept."""
        return self.runs[0]

    def head(
        self,
        path: str | Path,
        commit: str = "",
        notes: tuple[str, ...] = (),
        against: str = "",
    ) -> BaselineHead:
        """Return what a result says of the baseline it was held against, and of its origin."""
        return BaselineHead(
            path=str(path),
            name=self.name,
            recorded=self.recorded,
            suite_sha256=self.suite.sha256,
            checkpoint_fingerprint=self.first.checkpoint.fingerprint,
            runs=len(self.runs),
            commit=commit,
            notes=notes,
            against=against,
            runtime=self.first.checkpoint.runtime if against else None,
        )

    def verdicts(self) -> tuple[RunVerdicts, ...]:
        """Return the verdicts of each run by relation, as ``comparison.compare`` takes them."""
        return tuple(run.verdicts() for run in self.runs)


def relation_of(verdicts: RelationVerdicts) -> BaselineRelation:
    """Reduce a run's verdicts on one relation to what a baseline keeps."""
    counts = BaselineRelation(
        id=verdicts.id,
        bound=verdicts.bound,
        groups=len(verdicts.groups),
        applicable=len(verdicts.applicable),
        violated=len(verdicts.violated),
        not_applicable={reason: len(ids) for reason, ids in verdicts.not_applicable.items()},
        unstable_groups=None if verdicts.unstable is None else ListedIds(verdicts.unstable),
    )
    counts = msgspec.structs.replace(counts, margins=_margins(verdicts))
    if verdicts.bound:
        silent = verdicts.silent_sources
        return msgspec.structs.replace(
            counts,
            silent_sources=None if silent is None else ListedIds(silent),
            sources={
                source: (applicable, tuple(violated))
                for source, applicable, violated in verdicts.sources.each()
            },
        )
    return msgspec.structs.replace(
        counts,
        violated_groups=ListedIds(verdicts.violated),
        satisfied_groups=ListedIds(verdicts.satisfied),
        not_applicable_groups={
            reason: ListedIds(ids) for reason, ids in verdicts.not_applicable.items()
        },
    )


def _margins(verdicts: RelationVerdicts) -> ListedMargins:
    if not verdicts.margins:
        return NO_MARGINS
    units = applicable_units(verdicts, verdicts.bound)
    sizes = np.zeros(len(units), np.int64)
    sizes[units.positions(verdicts.margins.ids)] = verdicts.margins.sizes
    return ListedMargins.of_units(sizes, verdicts.margins.flat)


def units_with_margins(relation: BaselineRelation) -> SortedIds:
    """Return the units that margins are of, in their order: groups, or sources that bind one."""
    if relation.bound:
        return SortedIds(source for source, (number, _) in relation.sources.items() if number)
    return union((relation.violated_groups.distinct(), relation.satisfied_groups.distinct()))


def verdicts_of(relation: BaselineRelation) -> RelationVerdicts:
    """Return what the comparison takes; of bound groups only the violated are known."""
    sources = BySource.of(relation.sources)
    return RelationVerdicts(
        id=relation.id,
        bound=relation.bound,
        violated=union((relation.violated_groups.distinct(), sources.groups)),
        satisfied=relation.satisfied_groups.distinct(),
        not_applicable={
            reason: ids.distinct() for reason, ids in relation.not_applicable_groups.items()
        },
        sources=sources,
        unstable=_ids(relation.unstable_groups),
        silent_sources=_ids(relation.silent_sources),
        margins=_margins_of(relation),
    )


def _ids(listed: ListedIds | None) -> SortedIds | None:
    return None if listed is None else listed.distinct()


def _margins_of(relation: BaselineRelation) -> Margins:
    if not relation.margins:
        return Margins.of({})
    sizes = relation.margins.sizes
    return Margins(units_with_margins(relation)[sizes > 0], sizes[sizes > 0], relation.margins.flat)
