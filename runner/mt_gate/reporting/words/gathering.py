"""One pass over the rows of a run, keeping the few groups that reports show.

A run may have 100,000 groups; only counts and the most telling groups of each
relation and kind stay in memory, ``MOST`` of them after a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

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


class Shown(NamedTuple):
    """The groups of a relation and kind that are shown, most telling first, and how many are."""

    rows: Sequence[GroupRow] = ()
    total: int = 0


MOST = 12_000
"""Groups that a pass keeps. Where there are more, the longest lists are cut, to one length."""
Gathered = dict[tuple[str, Kind], Shown]
"""Shown cases by relation id and kind; pairs without rows are absent."""
_BY_CHANGE = {Change.NEW: Kind.NEW, Change.FIXED: Kind.FIXED, Change.STILL: Kind.STILL}
_Ranked = tuple[tuple[bool, bool, int, int], GroupRow]


def _kind_of(row: RowHead | GroupRow, compared: bool) -> Kind | None:
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
    """Return the groups to show, offensive words masked as the result says.

    Groups that must hold come first; then those that numerical noise cannot
    turn, then those with most entities against the relation, then file order.
    Over all relations and kinds ``most`` stay, a quarter more at times.
    """
    must_hold = frozenset(result.settings.must_hold)
    weigh = renderer(result.suite.task).weight
    compared = is_compared(result)
    mask = Mask(result.masked) if result.masked else None
    ranked: dict[tuple[str, Kind], list[_Ranked]] = {}
    totals: Counter[tuple[str, Kind]] = Counter()
    number = 0
    chosen_rows = chosen(rows(), lambda row: _kind_of(row, compared) is not None)
    for position, row in enumerate(chosen_rows):
        shown = row
        if mask is not None:
            spec = TASKS[result.suite.task]
            source, follow_up = mask.group(spec, row.source, row.follow_up, row.alignment)
            second = None if row.second is None else mask.group(spec, row.second, None).source
            shown = replace(row, source=source, follow_up=follow_up, second=second)
        kind = _kind_of(row, compared)
        assert kind is not None, "of a row that was chosen"
        key = row.relation, kind
        rank = row.id not in must_hold, row.unstable, -weigh(shown), position
        ranked.setdefault(key, []).append((rank, shown))
        totals[key] += 1
        number += 1
        if number >= most + most // 4:
            number = _cut(ranked, most)
    _cut(ranked, most)
    return {key: Shown([row for _, row in best], totals[key]) for key, best in ranked.items()}


def _cut(ranked: dict[tuple[str, Kind], list[_Ranked]], most: int) -> int:
    """Cut the longest lists to one length, so that ``most`` rows stay; return how many do."""
    left, waiting = most, len(ranked)
    for rows in sorted(ranked.values(), key=len):
        rows.sort(key=lambda one: one[0])
        del rows[left // waiting :]
        left, waiting = left - len(rows), waiting - 1
    return most - left
