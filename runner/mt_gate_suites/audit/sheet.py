"""Write audit sheets as CSV for reviewers to mark, and read them back.

A sheet is opened in a spreadsheet, and its sentences may come from strangers.
A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a
formula, also after white space. If it splits lines at another character than
the comma, a cell may begin in the middle of a text. An apostrophe before such
a beginning makes the cell text; reading the sheet removes it. If there are
apostrophes already, one more is added, so that every text comes back unchanged.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.base.escaping import hide
from mt_gate.base.files import read_whole
from mt_gate.tasks.spec import TaskSpec
from mt_gate_suites.audit.readable import ReviewCase

_READERS = ("reader_1", "reader_2")
COLUMNS = (
    "id", "relation", "source", "second", "follow_up", "stratum", "answers", "mark", "fault",
    *_READERS,
)  # fmt: skip
"""Columns of a sheet, in order; a sheet omits those that are empty for all its cases."""

_SOMETIMES = ("second", "stratum", "answers", *_READERS)
_ALWAYS = tuple(name for name in COLUMNS if name not in _SOMETIMES)
_MARKED = ("mark", "fault", *_READERS)

LONGEST = 32_767
"""Maximum number of characters of a spreadsheet's cell; Excel cuts longer texts."""

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Byte order mark, by which Excel recognises UTF-8."""

_NEEDED = {"id", "source", "follow_up", "mark"}
_MAX_SHEET = 64 << 20
_CAUSE = "Make a new sheet with mt-gate suite audit SUITE --out DIR"

# audit.js escapes the reviewer's own words by the same patterns.
_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_BLANK = r"(?:[^\S\t\r\n]|[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff])"
_AT_START = rf"^(?='*(?:{_BLANK}|[\t\r\n]|{_SIGN}))"
_AFTER_SEPARATOR = rf"""(?<=[;|\t\r\n])(?='*(?:{_BLANK}|")*{_SIGN})"""
_START = f"(?:{_AT_START}|{_AFTER_SEPARATOR})"
_UNSAFE = re.compile(_START)
_ESCAPED = re.compile(_START + "'")
_QUOTED = re.compile(r"""[",;|\t\r\n]|^\s|\s$""")


class SheetLine(NamedTuple):
    """A line of a sheet; ``relation`` is empty if the sheet has no such column.

    If a run built the case from predictions, ``second`` is its second source and
    ``answers`` has the predictions. ``reader_1`` and ``reader_2`` are the marks of two
    reviewers, if ``mark`` is their joint decision.
    """

    id: str
    relation: str
    source: str
    follow_up: str
    mark: str = ""
    fault: str = ""
    second: str = ""
    stratum: str = ""
    answers: str = ""
    reader_1: str = ""
    reader_2: str = ""


def line_of(task: TaskSpec, group: ReviewCase) -> SheetLine:
    """Return the unmarked line of a case, with the texts that its edit changes."""
    source, follow_up = task.lines(group.source, group.follow_up, group.alignment)
    second = group.second
    return SheetLine(
        group.id,
        group.relation,
        source,
        follow_up,
        second=task.marked_text(second, task.text(second)) if second is not None else "",
        stratum=group.stratum,
        answers=group.answers,
    )


def columns(lines: Sequence[SheetLine]) -> list[str]:
    """Return the columns of a sheet with these lines."""
    filled = {name for name in _SOMETIMES for line in lines if getattr(line, name)}
    return [name for name in COLUMNS if name not in _SOMETIMES or name in filled]


def beginning(line: SheetLine, named: Sequence[str]) -> str:
    """Return a line's cells in these columns up to its mark, as CSV."""
    return row([getattr(line, name) for name in named if name not in _MARKED])


def escape(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula."""
    return _UNSAFE.sub("'", text)


def unescape(text: str) -> str:
    """Return the text that ``escape`` has escaped."""
    return _ESCAPED.sub("", text)


def row(cells: Sequence[str]) -> str:
    """Return cells as CSV, without a line end."""
    return ",".join(map(_cell, cells))


def _cell(text: str) -> str:
    # Hide secrets first: they would not be recognised once quotes are doubled.
    safe = escape(hide(text))
    if _QUOTED.search(safe):
        return '"' + safe.replace('"', '""') + '"'
    return safe


def to_csv(lines: Iterable[SheetLine]) -> bytes:
    """Return a sheet: UTF-8 with a byte order mark, a header, and one line per case."""
    lines = [*lines]
    named = columns(lines)
    rows = [row(named), *(row([getattr(line, name) for name in named]) for line in lines)]
    return (BOM + "".join(f"{item}\n" for item in rows)).encode("utf-8")


def read_sheet(path: Path) -> tuple[list[SheetLine], bytes]:
    """Read a sheet, as written or as a spreadsheet saves it; return its bytes too.

    Columns are read by name; other columns and blank lines are ignored.

    Raises:
        CannotJudge: the sheet or a column is missing, or it is too large, not UTF-8 or not CSV.
    """
    data = read_whole(path, limit=_MAX_SHEET, cause=_CAUSE)
    return from_csv(data, path), data


def from_csv(data: bytes, path: Path) -> list[SheetLine]:
    """Return the lines of a sheet; ``path`` is for messages.

    Raises:
        CannotJudge: not UTF-8, not CSV, or a column is missing.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotJudge(f"{path} is not UTF-8. Save the sheet as 'CSV UTF-8'.") from None
    try:
        separator, header = _header(text, path)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        next(rows)
        written = (cells for cells in rows if any(cell.strip() for cell in cells))
        named = (dict(zip(header, map(unescape, cells), strict=False)) for cells in written)
        return [
            SheetLine(**{column: cells.get(column, "") for column in COLUMNS}) for cells in named
        ]
    except csv.Error as error:
        raise CannotJudge(f"{path} is not CSV ({reported(error)}). {_CAUSE}") from None


def _header(text: str, path: Path) -> tuple[str, list[str]]:
    """Return the separator and the names of the columns.

    A spreadsheet saves with the separator of its country settings.
    """
    for separator in ",;\t":
        cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
        header = [cell.strip() for cell in cells]
        known = [name for name in header if name in COLUMNS]
        if set(known) >= _NEEDED and len(set(known)) == len(known):
            return separator, header
    raise CannotJudge(
        f"{path}: its first line does not name the columns {', '.join(_ALWAYS)}, each once. "
        f"{_CAUSE}"
    )
