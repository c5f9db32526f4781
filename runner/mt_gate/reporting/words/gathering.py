"""One pass over the rows of a run, keeping the few groups that reports show.

A run may have 100,000 groups; only counts and the most telling groups of each
relation and kind stay in memory, ``MOST`` of them after a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec.structs import replace

from mt_gate.domain import Verdict
from mt_gate.reporting.words.rendering import renderer
from mt_gate.reporting.words.texts import is_compared
from mt_gate.results.result import Change, GroupRow, Result
from mt_gate.results.rows import RowHead, chosen
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.table import TASKS

Rows = Callable[[], Iterable[GroupRow]]
"""Returns a fresh iterator over all rows at every call."""


class Kind(StrEnum):
    """Why a group is shown. ``violated`` is for where nothing was compared."""

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    VIOLATED = "violated"


MOST = 12_000
"""Groups that a pass keeps. Where there are more, the longest lists are cut, to one length."""

_BY_CHANGE = {Change.NEW: Kind.NEW, Change.FIXED: Kind.FIXED, Change.STILL: Kind.STILL}

Rank = tuple[bool, bool, int, int]


class KeptRows:
    """The best rows seen so far of one relation and kind, and how many there were."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: list[tuple[Rank, GroupRow]] = []
        self.total = 0

    def add(self, rank: Rank, row: GroupRow) -> None:
        """Count a row, and keep it until it is cut."""
        self.total += 1
        self._rows.append((rank, row))

    def cut(self, most: int) -> None:
        """Keep the ``most`` best rows."""
        self._rows.sort(key=lambda ranked: ranked[0])
        del self._rows[most:]

    def __iter__(self) -> Iterator[GroupRow]:
        return (row for _, row in self._rows)

    def __len__(self) -> int:
        return len(self._rows)


Gathered = dict[tuple[str, Kind], KeptRows]
"""By relation id and kind; a pair without rows is absent."""


def kind_of(row: RowHead | GroupRow, compared: bool) -> Kind | None:
    """Return under which heading a row is shown, or None if it is not.

    Where a baseline exists, a violated group without a partner in it is no
    change; it is with those that are violated still.
    """
    if row.change is not None and row.change is not Change.OK:
        return _BY_CHANGE[row.change]
    if row.verdict is not Verdict.VIOLATED:
        return None
    return Kind.STILL if compared else Kind.VIOLATED


def gather(result: Result, rows: Rows, most: int = MOST) -> Gathered:
    """Return the groups to show, most telling first.

    Groups that must hold come first; then those that numerical noise cannot
    turn, then those with most entities against the relation, then file order.

    Args:
        result: the run.
        rows: returns a fresh iterator over its groups.
        most: how many groups are kept, over all relations and kinds; a quarter more
            at times.
    """
    must_hold = frozenset(result.settings.must_hold)
    weigh = renderer(result.suite.task).weight
    compared = is_compared(result)
    gathered: Gathered = {}
    number = 0
    found = chosen(rows(), lambda row: kind_of(row, compared) is not None)
    for position, row in enumerate(masked(result, found)):
        kind = kind_of(row, compared)
        assert kind is not None, "of a row that was chosen"
        kept = gathered.setdefault((row.relation, kind), KeptRows())
        kept.add((row.id not in must_hold, row.unstable, -weigh(row), position), row)
        number += 1
        if number >= most + most // 4:
            number = _cut(gathered, most)
    _cut(gathered, most)
    return gathered


def masked(result: Result, rows: Iterable[GroupRow]) -> Iterable[GroupRow]:
    """Return rows as reports show them: with the words masked that the result says."""
    if not result.masked:
        return rows
    mask, task = Mask(result.masked), TASKS[result.suite.task]

    def shown_as(row: GroupRow) -> GroupRow:
        found = mask.group(task, row.source, row.follow_up, row.alignment)
        second = None if row.second is None else mask.group(task, row.second, None).source
        return replace(row, source=found.source, follow_up=found.follow_up, second=second)

    return map(shown_as, rows)


def _cut(gathered: Gathered, most: int) -> int:
    """Cut the longest lists to one length, so that ``most`` rows stay; return how many do."""
    left = most
    for waiting, kept in zip(
        range(len(gathered), 0, -1), sorted(gathered.values(), key=len), strict=True
    ):
        kept.cut(left // waiting)
        left -= len(kept)
    return most - left


def shown(gathered: Gathered, relation: str, kind: Kind) -> KeptRows:
    """Return what was kept for a relation and kind, possibly nothing."""
    return gathered.get((relation, kind)) or KeptRows()
