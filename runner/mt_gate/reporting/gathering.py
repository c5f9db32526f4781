"""One pass over the rows of a run, keeping the few groups that reports show.

A run may have 100,000 groups; only counts and the most telling groups of each
relation and kind are held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from mt_gate.domain import Verdict
from mt_gate.reporting.outputs import renderer
from mt_gate.reporting.texts import is_compared
from mt_gate.result import Change, GroupRow, Result

Rows = Callable[[], Iterable[GroupRow]]
"""Returns a fresh iterator over all rows at every call."""


class Kind(StrEnum):
    """Why a group is shown. ``violated`` stands where nothing was compared."""

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    VIOLATED = "violated"


LIMITS = {Kind.NEW: 200, Kind.FIXED: 100, Kind.STILL: 50, Kind.VIOLATED: 200}
"""Groups kept per relation, of each kind."""

_BY_CHANGE = {Change.NEW: Kind.NEW, Change.FIXED: Kind.FIXED, Change.STILL: Kind.STILL}

Rank = tuple[bool, bool, int, int]


class Kept:
    """The best rows seen so far of one relation and kind, and how many there were."""

    def __init__(self, limit: int) -> None:
        """Start empty, to keep ``limit`` rows."""
        self._limit = limit
        self._rows: list[tuple[Rank, GroupRow]] = []
        self.total = 0

    def add(self, rank: Rank, row: GroupRow) -> None:
        """Count a row, and keep it while it is among the best."""
        self.total += 1
        self._rows.append((rank, row))
        if len(self._rows) >= 2 * self._limit:
            self._trim()

    def _trim(self) -> None:
        self._rows.sort(key=lambda ranked: ranked[0])
        del self._rows[self._limit :]

    def __iter__(self) -> Iterator[GroupRow]:
        self._trim()
        return (row for _, row in self._rows)

    def __len__(self) -> int:
        return min(len(self._rows), self._limit)


Gathered = dict[tuple[str, Kind], Kept]
"""By relation id and kind; a pair without rows is absent."""


def kind_of(row: GroupRow, compared: bool) -> Kind | None:
    """Return under which heading a row is shown, or None if it is not.

    Where a baseline exists, a violated group without a partner in it is no
    change; it stands with those that are violated still.
    """
    if row.change is not None and row.change is not Change.OK:
        return _BY_CHANGE[row.change]
    if row.verdict is not Verdict.VIOLATED:
        return None
    return Kind.STILL if compared else Kind.VIOLATED


def gather(result: Result, rows: Rows) -> Gathered:
    """Return the groups to show, most telling first.

    Groups that must hold come first; then those that numerical noise cannot
    turn, then those with most entities against the relation, then file order.
    """
    must_hold = frozenset(result.settings.must_hold)
    weigh = renderer(result.suite.task).weight
    compared = is_compared(result)
    gathered: Gathered = {}
    for position, row in enumerate(rows()):
        kind = kind_of(row, compared)
        if kind is None:
            continue
        kept = gathered.setdefault((row.relation, kind), Kept(LIMITS[kind]))
        kept.add((row.id not in must_hold, row.unstable, -weigh(row), position), row)
    return gathered


def shown(gathered: Gathered, relation: str, kind: Kind) -> Kept:
    """Return what was kept for a relation and kind, possibly nothing."""
    return gathered.get((relation, kind)) or Kept(LIMITS[kind])
