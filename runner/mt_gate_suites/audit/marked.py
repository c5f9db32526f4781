"""What a marked sheet says of a relation's groups."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.judging.statistics import wilson
from mt_gate.results.result import Precision
from mt_gate.suites.format import Suite, masked_of
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.agreement import ACCEPTED, Agreement
from mt_gate_suites.audit.readable import Readable
from mt_gate_suites.audit.sheet import SheetLine, line_of, read_sheet

MARKS = (ACCEPTED, "doubtful", "bad")
_OF_READERS = ("mark", "reader_1", "reader_2")
_NEW_SHEET = "make a new sheet with 'mt-gate suite audit SUITE --out DIR'"


class Read(NamedTuple):
    """What a marked sheet says of one relation."""

    relation: str
    precision: Precision
    agreement: Agreement | None = None


def read_marked(suite: Suite, groups: Sequence[Readable], path: Path) -> Read:
    """Check a sheet against the groups it may be of, and count its marks.

    What is not accepted may have left the suite since: it counts as read all the same.

    Raises:
        CannotJudge: the sheet is damaged, unfinished, or not of these groups.
    """
    relation, lines, data = checked_lines(suite, groups, path)
    accepted = sum(line.mark == ACCEPTED for line in lines)
    low, high = wilson(accepted, len(lines))
    precision = Precision(
        read=len(lines),
        acceptable=accepted,
        interval=(round(low, 6), round(high, 6)),
        sheet=f"{path.name} sha256:{hashlib.sha256(data).hexdigest()}",
    )
    return Read(relation, precision, Agreement.of(lines))


def checked_lines(
    suite: Suite, groups: Sequence[Readable], path: Path
) -> tuple[str, list[SheetLine], bytes]:
    """Return a marked sheet's relation, its lines with marks as in ``MARKS``, and its bytes.

    Raises:
        CannotJudge: the sheet is damaged, unfinished, or not of these groups.
    """
    lines, data = read_sheet(path)
    if not lines:
        raise CannotJudge(f"{path}: no rows; {_NEW_SHEET}")
    relation = _relation(groups, lines)
    expected = {group.id: group for group in groups if group.relation == relation}
    _check_lines(suite, path, lines, relation, expected)
    lines = [
        line._replace(**{name: getattr(line, name).strip().lower() for name in _OF_READERS})
        for line in lines
    ]
    for name in _OF_READERS:
        _check_marks(path, lines, name)
    return relation, lines, data


def _relation(groups: Sequence[Readable], lines: Sequence[SheetLine]) -> str:
    """Return the relation of the first line that tells."""
    by_id = {group.id: group.relation for group in groups}
    told = (line.relation or by_id.get(line.id, "") for line in lines)
    return next(filter(None, told), "")


def _check_lines(
    suite: Suite,
    path: Path,
    lines: Sequence[SheetLine],
    relation: str,
    groups: Mapping[str, Readable],
) -> None:
    """Check that every line is one of the relation's groups, and none stands twice."""
    repeated = [name for name, count in Counter(line.id for line in lines).items() if count > 1]
    if repeated:
        raise CannotJudge(f"{path}: id {quoted(repeated[0])} occurs twice; remove one of the lines")
    task, mask = TASKS[suite.head.task], Mask(masked_of(suite.head))
    strange = [
        line.id
        for line in lines
        if not any(_fits(task, line, group) for group in _shown(task, groups.get(line.id), mask))
        and not _has_left(line, groups)
    ]
    if not strange:
        return
    bound = any(item.bound for item in suite.head.relations if item.id == relation)
    what_to_do = "name the run it was drawn from with --result DIR" if bound else _NEW_SHEET
    raise CannotJudge(
        f"{path}: {len(strange)} of {len(lines)} rows are not groups of "
        f"{relation or 'any relation'} with the same texts in suite {suite.head.name} (the "
        f"first is {quoted(strange[0], 40)}); {what_to_do}"
    )


def _has_left(line: SheetLine, groups: Mapping[str, Readable]) -> bool:
    """Whether a line is of a group that readers did not accept, and that is gone since."""
    return line.id not in groups and line.mark.strip().lower() in MARKS[1:]


def _shown(task: TaskSpec, group: Readable | None, mask: Mask) -> Iterator[Readable]:
    """Yield a group as a sheet may have it: unchanged, and with offensive words masked."""
    if group is not None:
        yield group
        yield group.masked(task, mask)


def _fits(task: TaskSpec, line: SheetLine, group: Readable) -> bool:
    """Whether a line is that group's; a second source counts where the group has one."""
    expected = line_of(task, group)
    pairs = (
        (line.relation or group.relation, expected.relation),
        (line.source, expected.source),
        (line.second if expected.second else "", expected.second),
        (line.follow_up, expected.follow_up),
    )
    return all(_line_ends(found) == _line_ends(wanted) for found, wanted in pairs)


def _line_ends(text: str) -> str:
    """Return a text with the line ends that a spreadsheet may have changed made one."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_marks(path: Path, lines: Sequence[SheetLine], column: str) -> None:
    """Check that every line is marked, and as agreed; two readers' marks may both be left out."""
    marks = [getattr(line, column) for line in lines]
    for line, mark in zip(lines, marks, strict=True):
        if mark not in (*MARKS, ""):
            raise CannotJudge(
                f"{path}: group {line.id} is marked {quoted(mark, 40)}; expected {', '.join(MARKS)}"
            )
    unmarked = marks.count("")
    if unmarked and (column == "mark" or unmarked < len(lines)):
        raise CannotJudge(
            f"{path}: {unmarked} of {len(lines)} rows are unmarked"
            + ("" if column == "mark" else f" in column {column}")
            + f"; mark each {', '.join(MARKS[:-1])} or {MARKS[-1]}"
        )
