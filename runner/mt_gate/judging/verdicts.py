"""A run reduced to its verdicts: by relation, by source, by group id.

Nothing here reads a file or a clock, and rows give the same verdicts in whatever order they come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.chunks import chunks
from mt_gate.base.errors import CannotJudge
from mt_gate.base.mapped_arrays import let_go, mapped, one_after_the_other
from mt_gate.base.sorted_ids import (
    Mask,
    Positions,
    SortedIds,
    as_array,
    distinct,
    joined,
    union,
)
from mt_gate.domain import Verdict, is_silent
from mt_gate.judging.units import BySource, Floats, Margins, SourceOf, SourceVerdicts, by_code
from mt_gate.results.packed_rows import RowHead, heads
from mt_gate.results.result import GroupRow

_AT_ONCE = 1 << 13
_SETTLED = 1 << 16
"""Rows of a relation that are put into files together."""
_NOTHING = SortedIds()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdicts:
    """The verdicts of one run on one relation, by group id.

    ``not_applicable`` lists ids by reason. A run's own verdicts know the source
    of each group (``source_of``); those read from a baseline do not, and keep of
    a ``bound`` relation only ``sources``, the violated ids and ``silent_sources``, which
    are None where a baseline does not tell them. ``unstable`` are the
    units that numerical noise could turn: groups, or sources of a ``bound`` relation;
    None where the run did not keep which. ``margins`` are of units, too: how far each of its
    groups is from where its verdict turns, below 0 if violated; without those of which it is not
    known. ``slices`` are the groups in each slice of the suite, of a candidate's known answers.
    """

    id: str
    bound: bool = False
    violated: SortedIds = _NOTHING
    satisfied: SortedIds = _NOTHING
    not_applicable: Mapping[str, SortedIds] = field(default_factory=dict)
    source_of: SourceOf = field(default_factory=lambda: SourceOf.of({}))
    sources: BySource = field(default_factory=lambda: BySource.of({}))
    silent_sources: SortedIds | None = None
    unstable: SortedIds | None = _NOTHING
    margins: Margins = field(default_factory=lambda: Margins.of({}))
    slices: Mapping[str, SortedIds] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        id: str,  # noqa: A002 - as the field
        *,
        bound: bool = False,
        violated: Iterable[str] = (),
        satisfied: Iterable[str] = (),
        not_applicable: Mapping[str, Iterable[str]] = {},
        source_of: Mapping[str, str] = {},
        sources: Mapping[str, SourceVerdicts] = {},
        silent_sources: Iterable[str] | None = None,
        unstable: Iterable[str] | None = (),
        margins: Mapping[str, Sequence[float]] = {},
    ) -> RelationVerdicts:
        """Return verdicts from ids in any order and plain mappings."""
        return cls(
            id=id,
            bound=bound,
            violated=SortedIds(violated),
            satisfied=SortedIds(satisfied),
            not_applicable={why: SortedIds(ids) for why, ids in not_applicable.items()},
            source_of=SourceOf.of(source_of),
            sources=BySource.of(sources),
            silent_sources=None if silent_sources is None else SortedIds(silent_sources),
            unstable=None if unstable is None else SortedIds(unstable),
            margins=Margins.of(margins),
        )

    @property
    def applicable(self) -> SortedIds:
        """Ids of the groups with a verdict for or against."""
        return union((self.violated, self.satisfied))

    @property
    def groups(self) -> SortedIds:
        """Ids of all groups."""
        return union((self.violated, self.satisfied, *self.not_applicable.values()))

    def within(self, groups: SortedIds, name: str) -> RelationVerdicts:
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
    gathered: dict[str, _Gathered] = {}
    for some in chunks(heads(rows), _AT_ONCE):
        of_relation: defaultdict[str, list[RowHead | GroupRow]] = defaultdict(list)
        for row in some:
            of_relation[row.relation].append(row)
        for relation, of_it in of_relation.items():
            if relation not in gathered:
                # Relations mostly come one after the other: parts of one at a time are held.
                for other in gathered.values():
                    other.settle()
                gathered[relation] = _Gathered(relation, of_it[0].bound)
            gathered[relation].add(of_it)
    found: dict[str, RelationVerdicts] = {}
    names = _NOTHING
    for relation in one_after_the_other([*gathered]):
        # Each is let go as its verdicts are taken.
        found[relation] = gathered.pop(relation).verdicts(names)
        names = found[relation].source_of.sources
    return found


_SATISFIED, _VIOLATED = 0, 1
_JUDGED = {Verdict.SATISFIED: _SATISFIED, Verdict.VIOLATED: _VIOLATED}


class _Gathered:
    """The rows of one relation so far, as columns."""

    def __init__(self, relation: str, bound: bool) -> None:
        self._relation = relation
        self._bound = bound
        self._slices: defaultdict[str, list[str]] = defaultdict(list)
        self._reasons: dict[str, int] = {}
        """The code of each reason why groups are not applicable, beyond those of verdicts."""
        self._parts: list[_Columns] = []
        self._settled = self._waiting = 0
        """How many parts are in files, and how many rows are in the others."""

    def add(self, rows: Sequence[RowHead | GroupRow]) -> None:
        if any(row.bound is not self._bound for row in rows):
            raise CannotJudge(
                f"groups of the run: {self._relation} has some of the suite and some built at run "
                "time, expected one of the two; run the gate again"
            )
        for row in rows:
            for name in row.slices:
                self._slices[name].append(row.id)
        margins = [np.nan if row.margin is None else row.margin for row in rows]
        told = np.array(margins, np.float64)
        names = dict.fromkeys(row.cluster_key for row in rows)
        at = {name: place for place, name in enumerate(names)}
        self._parts.append(
            _Columns(
                as_array(row.id for row in rows),
                as_array(names),
                np.array([at[row.cluster_key] for row in rows], np.int32),
                np.array([self._code(row) for row in rows], np.int32),
                np.array([row.unstable for row in rows], np.bool_),
                # The answers of many systems have none: nothing is held of those.
                None if np.isnan(told).all() else told,
            )
        )
        self._waiting += len(rows)
        if self._waiting >= _SETTLED:
            self.settle()

    def _code(self, row: RowHead | GroupRow) -> int:
        if row.verdict is Verdict.NOT_APPLICABLE:
            return self._reasons.setdefault(row.reason, len(_JUDGED) + len(self._reasons))
        return _JUDGED[row.verdict]

    def settle(self) -> None:
        """Put the parts that wait into files, as one whose ids and sources are sorted."""
        if self._waiting:
            self._parts, waiting = self._parts[: self._settled], self._parts[self._settled :]
            self._parts.append(_Columns.joined(waiting))
            self._settled, self._waiting = len(self._parts), 0
            let_go()

    def verdicts(self, before: SortedIds) -> RelationVerdicts:
        """Return what they come to, and let them go.

        Args:
            before: the sources of another relation, held once where they are the same.
        """
        found, self._parts = _Columns.joined(self._parts), []
        self._check_once(found.ids)
        ids, codes = SortedIds.of_array(found.ids), found.codes
        names, source = SortedIds.of_array(found.names), found.sources
        if names == before:
            names = before
        judged = codes < len(_JUDGED)
        units, unit = (names, source) if self._bound else (ids, np.arange(len(ids)))
        # Reasons come from files, which may have one for each group.
        satisfied, violated, *others = by_code(codes, len(_JUDGED) + len(self._reasons))
        margins = Margins.of({})
        if found.margins is not None:
            known = judged & ~np.isnan(found.margins)
            sides = np.where(codes[known] == _VIOLATED, -1.0, 1.0)
            margins = Margins.of_units(units, unit[known], sides * found.margins[known])
        return RelationVerdicts(
            id=self._relation,
            bound=self._bound,
            violated=ids[violated].mapped(),
            satisfied=ids[satisfied].mapped(),
            not_applicable={
                why: ids[at].mapped() for why, at in zip(self._reasons, others, strict=True)
            },
            source_of=SourceOf(ids, names, source),
            sources=BySource(
                names,
                np.bincount(source[judged], minlength=len(names)),
                ids[violated].mapped(),
                source[violated],
            ),
            silent_sources=self._silent(names, source, codes) if self._bound else None,
            unstable=units[_among(len(units), unit[judged & found.unstable])],
            margins=margins,
            slices={name: SortedIds(groups) for name, groups in sorted(self._slices.items())},
        )

    def _check_once(self, ids: NDArray[Any]) -> None:
        twice = np.flatnonzero(ids[1:] == ids[:-1])
        if len(twice):
            again = SortedIds.of_array(ids)[int(twice[0])]
            raise CannotJudge(
                f"groups of the run: {again} of {self._relation} appears twice, "
                "expected every group once; run the gate again"
            )

    def _silent(self, names: SortedIds, source: Positions, codes: NDArray[np.int32]) -> SortedIds:
        """Return the sources of which no group has a verdict, or hangs on the answer."""
        silent = [code for reason, code in self._reasons.items() if is_silent(reason)]
        return names[~_among(len(names), source[~np.isin(codes, silent)])]


class _Columns(NamedTuple):
    """Columns of rows: of each the id, the place of its source among ``names``, and so on.

    ``margins`` is None where none is known.
    """

    ids: NDArray[Any]
    names: NDArray[Any]
    sources: NDArray[np.int32]
    codes: NDArray[np.int32]
    unstable: NDArray[np.bool_]
    margins: Floats | None

    @classmethod
    def joined(cls, parts: Sequence[_Columns]) -> _Columns:
        """Return the columns of all parts, in the order of ids, names rising; in files if long."""
        names = distinct(joined([part.names for part in parts])).mapped()
        sources = np.concatenate([names.places(part.names)[part.sources] for part in parts])
        ids = joined([part.ids for part in parts])
        order = np.argsort(ids, kind="stable").astype(np.int32)
        sizes = [len(part.ids) for part in parts]
        margins = _margins([part.margins for part in parts], sizes, order)
        return cls(
            mapped(ids[order]),
            names.held,
            mapped(sources[order]),
            mapped(np.concatenate([part.codes for part in parts])[order]),
            mapped(np.concatenate([part.unstable for part in parts])[order]),
            None if margins is None else mapped(margins),
        )


def _margins(
    parts: Sequence[Floats | None], sizes: Sequence[int], order: Positions
) -> Floats | None:
    """Return the margins of all parts, nan where a part has none."""
    if all(part is None for part in parts):
        return None
    filled = [
        np.full(size, np.nan) if part is None else part
        for part, size in zip(parts, sizes, strict=True)
    ]
    return np.concatenate(filled)[order]


def _among(size: int, positions: Positions) -> Mask:
    """Return a mask that has these positions alone."""
    mask = np.zeros(size, np.bool_)
    mask[positions] = True
    return mask


def unstable_in_any(runs: Iterable[RelationVerdicts]) -> SortedIds:
    """Return the units of one relation that noise could turn in any of the runs that say which."""
    return union(run.unstable or _NOTHING for run in runs)


def without_unstable(runs: Sequence[RelationVerdicts]) -> list[RelationVerdicts]:
    """Return the runs on one relation, each without the units that noise could turn in any.

    All sides alike: leaving out what is close to turning in one run alone takes away violations
    that noise gave to this run, and keeps those that it gave to the others.
    """
    unstable = unstable_in_any(runs)
    return [_without(run, unstable) for run in runs] if unstable else [*runs]


def _without(verdicts: RelationVerdicts, units: SortedIds) -> RelationVerdicts:
    if verdicts.bound:
        kept = verdicts.sources.kept(~verdicts.sources.ids.within(units))
        return replace(verdicts, sources=kept, unstable=_NOTHING)
    return replace(
        verdicts,
        violated=verdicts.violated - units,
        satisfied=verdicts.satisfied - units,
        unstable=_NOTHING,
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
    sources = verdicts.sources.kept(verdicts.sources.ids.within(to.sources.ids))
    units, groups = (sources.ids, sources.groups) if verdicts.bound else (to.groups, to.groups)
    reasons = {why: ids & groups for why, ids in verdicts.not_applicable.items()}
    silent = verdicts.silent_sources
    return replace(
        verdicts,
        violated=verdicts.violated & groups,
        satisfied=verdicts.satisfied & groups,
        not_applicable={why: ids for why, ids in reasons.items() if ids},
        sources=sources,
        silent_sources=None if silent is None else silent & sources.ids,
        unstable=None if verdicts.unstable is None else verdicts.unstable & units,
    )


def looked_at(verdicts: RelationVerdicts, bound: bool) -> SortedIds:
    """Return the units of a run: groups, or sources where the relation is bound."""
    return verdicts.sources.ids if bound else verdicts.groups


def applicable_units(verdicts: RelationVerdicts, bound: bool) -> SortedIds:
    """Return the units that could be judged: groups, or sources that bind one."""
    return verdicts.sources.judged if bound else verdicts.applicable


def silent(verdicts: RelationVerdicts, bound: bool) -> SortedIds | None:
    """Return the units not applicable by silence; None where a baseline does not tell."""
    if bound:
        return verdicts.silent_sources
    return union(ids for reason, ids in verdicts.not_applicable.items() if is_silent(reason))
