"""One pass over the rows of a run, keeping the few groups that reports show.

A run may have 100,000 groups; only counts and the most telling groups of each
relation and kind are held in memory, ``MOST`` of them after a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec.structs import replace

from mt_gate.base.jsonio import canonical
from mt_gate.domain import Verdict
from mt_gate.reporting.words.outputs import renderer
from mt_gate.reporting.words.texts import is_compared
from mt_gate.results.result import Change, GroupRow, Result
from mt_gate.results.rows import RowHead, RowLines, chosen, row_of
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS

Rows = Callable[[], Iterable[GroupRow]]
"""Returns a fresh iterator over all rows at every call."""


class Kind(StrEnum):
    """Why a group is shown. ``violated`` stands where nothing was compared."""

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    VIOLATED = "violated"


MOST = 12_000
"""Groups that a pass keeps. Where there are more, the longest lists are cut, to one length."""

_BY_CHANGE = {Change.NEW: Kind.NEW, Change.FIXED: Kind.FIXED, Change.STILL: Kind.STILL}

Rank = tuple[bool, bool, int, int]


class KeptRows:
    """The best rows seen so far of one relation and kind, and how many there were.

    Those held as JSON, a third of the object's size, are read in each pass.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._rows: list[tuple[Rank, bytes | GroupRow]] = []
        self._sorted = True
        self.total = 0

    def add(self, rank: Rank, row: bytes | GroupRow) -> None:
        """Count a row, or its JSON, and keep it until it is cut."""
        self.total += 1
        self._rows.append((rank, row))
        self._sorted = False

    def cut(self, most: int) -> None:
        """Keep the ``most`` best rows."""
        self._sort()
        del self._rows[most:]

    def _sort(self) -> None:
        if not self._sorted:
            self._rows.sort(key=lambda ranked: ranked[0])
            self._sorted = True

    def __iter__(self) -> Iterator[GroupRow]:
        self._sort()
        return (row_of(held) if isinstance(held, bytes) else held for _, held in self._rows)

    def __len__(self) -> int:
        return len(self._rows)


Gathered = dict[tuple[str, Kind], KeptRows]
"""By relation id and kind; a pair without rows is absent."""


def kind_of(row: RowHead | GroupRow, compared: bool) -> Kind | None:
    """Return under which heading a row is shown, or None if it is not.

    Where a baseline exists, a violated group without a partner in it is no
    change; it stands with those that are violated still.
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
        most: how many groups are kept, over all relations and kinds; twice as
            many are held at times.
    """
    must_hold = frozenset(result.settings.must_hold)
    weigh = renderer(result.suite.task).weight
    compared = is_compared(result)
    gathered: Gathered = {}
    held = 0
    every = rows()
    # What was JSON can be again; other rows may be what no file holds.
    hold = canonical if isinstance(every, RowLines) else _as_it_is
    found = chosen(every, lambda row: kind_of(row, compared) is not None)
    for position, row in enumerate(masked(result, found)):
        kind = kind_of(row, compared)
        assert kind is not None, "of a row that was chosen"
        kept = gathered.setdefault((row.relation, kind), KeptRows())
        kept.add((row.id not in must_hold, row.unstable, -weigh(row), position), hold(row))
        held += 1
        if held >= 2 * most:
            held = _cut(gathered, most)
    _cut(gathered, most)
    return gathered


def _as_it_is(row: GroupRow) -> GroupRow:
    return row


def masked(result: Result, rows: Iterable[GroupRow]) -> Iterable[GroupRow]:
    """Return rows as reports show them: with the words masked that the result says."""
    if not result.masked:
        return rows
    mask, task = Mask(result.masked), TASKS[result.suite.task]
    return (_masked(row, mask, task) for row in rows)


def _masked(row: GroupRow, mask: Mask, task: TaskSpec) -> GroupRow:
    shown = mask.group(task, row.source, row.follow_up, row.alignment)
    second = None if row.second is None else mask.group(task, row.second, None).source
    return replace(row, source=shown.source, follow_up=shown.follow_up, second=second)


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
