"""What is said of each unit of a run, a group or a source, in arrays beside its id.

Each is a mapping that reads like a dictionary of texts, and takes some bytes a unit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.mapped_arrays import mapped
from mt_gate.base.sorted_ids import (
    Mask,
    Positions,
    SortedIds,
    as_array,
    texts_of,
    union,
    with_codes,
)
from mt_gate.results.result import Change

T = TypeVar("T")
Counts = NDArray[np.int64]
Small = NDArray[np.int32]
Floats = NDArray[np.float64]


def by_code(codes: Positions, number: int) -> list[Positions]:
    """Return where each code below a number stands, rising; in one pass over them.

    Args:
        codes: below the number; those below 0 are left out.
        number: of codes there may be.
    """
    order = np.argsort(codes, kind="stable")
    starts = codes[order].searchsorted(np.arange(number + 1))
    return [order[start:end] for start, end in pairwise(starts.tolist())]


class _ById(Mapping[str, T]):
    """A mapping whose keys are sorted ids."""

    __slots__ = ("ids",)

    def __init__(self, ids: SortedIds) -> None:
        self.ids = ids

    def __len__(self) -> int:
        """Return of how many ids something is said."""
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        """Yield the ids, rising."""
        return iter(self.ids)

    def __contains__(self, one: object) -> bool:
        """Say whether something is said of an id."""
        return one in self.ids

    def __getitem__(self, one: str) -> T:
        """Return what is said of an id; KeyError where nothing is."""
        at = self.ids.position(one)
        if at is None:
            raise KeyError(one)
        return self._value(at)

    @abstractmethod
    def _value(self, at: int) -> T:
        """Return what is said of the id at a position."""


class SourceOf(_ById[str]):
    """The source that each group is counted under.

    ``codes`` has for each of ``ids`` where its source is in ``sources``.
    """

    __slots__ = ("codes", "sources")

    def __init__(self, ids: SortedIds, sources: SortedIds, codes: Positions) -> None:
        """Take groups, sources, each of which has a group, and which group is of which."""
        super().__init__(ids)
        self.sources = sources
        self.codes = mapped(codes.astype(np.int32, copy=False))

    @classmethod
    def of(cls, mapping: Mapping[str, str]) -> SourceOf:
        """Return a mapping from group to source in this form."""
        if isinstance(mapping, cls):
            return mapping
        ids = SortedIds(mapping)
        return cls(ids, *with_codes(as_array(mapping[one] for one in ids)))

    def _value(self, at: int) -> str:
        return self.sources[int(self.codes[at])]

    def by_source(self, groups: SortedIds) -> tuple[SortedIds, Positions]:
        """Return the sources of some groups, each once, and where that of each group is."""
        return _present(self.sources, self.codes[self.ids.positions(groups)])

    def groups_of(self, sources: SortedIds) -> SortedIds:
        """Return the groups of some sources."""
        return self.ids[self.sources.within(sources)[self.codes]]

    def kept(self, groups: Mask) -> SourceOf:
        """Return it without some groups, and without sources that have no group left."""
        return SourceOf(self.ids[groups], *_present(self.sources, self.codes[groups]))


def _present(sources: SortedIds, codes: Positions) -> tuple[SortedIds, Positions]:
    """Return the sources that have a code, and each code's place among these."""
    there = np.zeros(len(sources), np.bool_)
    there[codes] = True
    place = np.cumsum(there, dtype=np.int32) - 1
    return sources[there], place[codes]


class SourceVerdicts(NamedTuple):
    """What the groups of one relation say of a source: how many are applicable, which violated."""

    applicable: int = 0
    violated: Set[str] = frozenset()


class BySource(_ById[SourceVerdicts]):
    """What the groups of one relation say of each source.

    ``applicable`` and ``violated`` are the counts of each of ``ids``; ``groups`` are those
    violated, ``codes`` where the source of each is in ``ids``.
    """

    __slots__ = ("applicable", "codes", "groups")

    def __init__(
        self, ids: SortedIds, applicable: Iterable[int], groups: SortedIds, codes: Positions
    ) -> None:
        """Take sources, how many groups of each are applicable, and those that are violated."""
        super().__init__(ids)
        self.applicable: Small = mapped(np.asarray(applicable, dtype=np.int32))
        self.groups = groups
        self.codes = codes.astype(np.int32)

    @property
    def violated(self) -> Small:
        """How many groups of each source are violated: of most none, so that it is not held."""
        return np.bincount(self.codes, minlength=len(self.ids)).astype(np.int32)

    @classmethod
    def of(cls, mapping: Mapping[str, tuple[int, Iterable[str]]]) -> BySource:
        """Return a mapping from source to verdicts, as in ``SourceVerdicts``, in this form."""
        if isinstance(mapping, cls):
            return mapping
        ids = SortedIds(mapping)
        groups = SourceOf.of({group: one for one, (_, lost) in mapping.items() for group in lost})
        codes = ids.positions(groups.sources)[groups.codes]
        return cls(ids, [mapping[one][0] for one in ids], groups.ids, codes)

    def _value(self, at: int) -> SourceVerdicts:
        groups = self.groups[self.codes == at]
        return SourceVerdicts(int(self.applicable[at]), frozenset(groups))

    def each(self) -> Iterator[tuple[str, int, list[str]]]:
        """Yield each source, how many of its groups are applicable, and which are violated."""
        order = np.argsort(self.codes, kind="stable")
        lost = texts_of(self.groups.held[order])
        end = 0
        counts = zip(self.applicable.tolist(), self.violated.tolist(), strict=True)
        for one, (applicable, violated) in zip(self.ids, counts, strict=True):
            start, end = end, end + violated
            yield one, applicable, lost[start:end]

    @property
    def rates(self) -> Floats:
        """The violated share of the applicable groups of each source; nan without any."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.violated / self.applicable, dtype=np.float64)

    @property
    def judged(self) -> SortedIds:
        """The sources with an applicable group."""
        return self.ids[self.applicable > 0]

    def violated_of(self, sources: SortedIds) -> SortedIds:
        """Return the violated groups of some sources."""
        return self.groups[self.ids.within(sources)[self.codes]]

    def kept(self, sources: Mask) -> BySource:
        """Return it without some sources."""
        groups = sources[self.codes]
        place = np.cumsum(sources) - 1
        return BySource(
            self.ids[sources],
            self.applicable[sources],
            self.groups[groups],
            place[self.codes[groups]],
        )


class Margins(_ById[tuple[float, ...]]):
    """Signed margins by unit: of a group one, of a source those of its groups, rising.

    Those of ``ids[i]`` are ``flat[starts[i] : starts[i + 1]]``; each unit has one at least.
    """

    __slots__ = ("flat", "starts")

    def __init__(self, ids: SortedIds, sizes: Iterable[int], values: Iterable[float]) -> None:
        """Take units, how many margins each has, and these, one unit's after the other's."""
        super().__init__(ids)
        sizes = np.asarray(sizes, dtype=np.int64)
        self.starts = mapped(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]))
        self.flat: Floats = mapped(np.asarray(values, dtype=np.float64))

    @classmethod
    def of(cls, mapping: Mapping[str, Sequence[float]]) -> Margins:
        """Return a mapping from unit to margins in this form; without units that have none."""
        if isinstance(mapping, cls):
            return mapping
        filled = {unit: sorted(some) for unit, some in mapping.items() if len(some)}
        ids = SortedIds(filled)
        each = [filled[one] for one in ids]
        return cls(ids, [len(some) for some in each], [one for some in each for one in some])

    @classmethod
    def of_units(cls, units: SortedIds, codes: Positions, values: Floats) -> Margins:
        """Return margins of units.

        Args:
            units: some of which have none.
            codes: of each margin, where its unit is.
            values: the margins.
        """
        order = np.lexsort((values, codes))
        sizes = np.bincount(codes, minlength=len(units))
        return cls(units[sizes > 0], sizes[sizes > 0], values[order])

    def _value(self, at: int) -> tuple[float, ...]:
        return tuple(self.flat[self.starts[at] : self.starts[at + 1]].tolist())

    @property
    def sizes(self) -> Counts:
        """How many margins each unit has."""
        return np.diff(self.starts)

    def kept(self, units: Mask) -> Margins:
        """Return it without some units."""
        sizes = self.sizes
        return Margins(self.ids[units], sizes[units], self.flat[np.repeat(units, sizes)])


_CHANGES = tuple(Change)
_CODES = {change: code for code, change in enumerate(_CHANGES)}


class Changes(_ById[Change]):
    """How each group has moved."""

    __slots__ = ("codes",)

    def __init__(self, ids: SortedIds, codes: NDArray[np.uint8]) -> None:
        """Take groups, and of each the position of its change among all there are."""
        super().__init__(ids)
        self.codes = mapped(codes)

    @classmethod
    def of(
        cls,
        moved: Iterable[tuple[SortedIds, Change]],
        among: SortedIds = SortedIds(),  # noqa: B008 - immutable
    ) -> Changes:
        """Return changes of groups; of one that comes twice the last.

        Args:
            moved: groups by change.
            among: all groups that there are: held once where they are the same.
        """
        moves = [(ids, _CODES[change]) for ids, change in moved if len(ids)]
        every = union(ids for ids, _ in moves)
        if every == among:
            every = among
        codes = np.zeros(len(every), np.uint8)
        for ids, code in moves:
            codes[every.positions(ids)] = code
        return cls(every, codes)

    def _value(self, at: int) -> Change:
        return _CHANGES[int(self.codes[at])]

    def having(self, change: Change) -> SortedIds:
        """Return the groups that moved in one way."""
        having: Mask = self.codes == _CODES[change]
        return self.ids[having]

    def each(self, groups: Iterable[str]) -> list[Change | None]:
        """Return how each of some groups moved, in their order; None of those not compared."""
        at = self.ids.found(groups)
        codes = self.codes[at].tolist() if len(self) else [0] * len(at)
        found = zip(at.tolist(), codes, strict=True)
        return [None if place < 0 else _CHANGES[code] for place, code in found]
