"""What everything that prints for people shares: widths, colours, tables, wrapped lines.

A terminal gets colours (unless ``NO_COLOR`` is set or ``TERM`` is ``dumb``) and
lines wrapped at its width. A file, a pipe or a build log gets neither: each
line is whole there, so that it can be searched, and tables are 80 columns wide.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from mt_gate.base.escaping import log_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 80
"""Columns where the width of the terminal is not known, and the fewest of a table."""

_LEAST_TITLE = 16
_NOTE = "  - "
_SECOND = "\N{WORD JOINER}"
"""Stands for the second column of a letter while lines are broken; no text that is shown has it."""
_LABEL = 12
"""Columns of a label and the blanks after it."""

Encode = Callable[[str], str]


def encodable(stream: TextIO) -> Encode:
    """Return a function that escapes what a stream's encoding cannot write."""
    encoding = getattr(stream, "encoding", None) or "utf-8"

    def encode(text: str) -> str:
        return log_line(text).encode(encoding, "backslashreplace").decode(encoding)

    return encode


def console(stream: TextIO) -> Console:
    """Return a console that colours only a terminal; rich heeds NO_COLOR and TERM itself."""
    from rich.console import Console

    terminal = stream.isatty()
    return Console(
        file=stream,
        width=None if terminal else WIDTH,
        force_terminal=None if terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
    )


def bare_table(gap: int = 2) -> Table:
    """Return a table with a line under its head and ``gap`` (1 or 2) blanks between columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0), show_edge=False)


def room_for_titles(width: int, titles: Sequence[str], others: Sequence[int]) -> tuple[int, int]:
    """Return how wide the first column of a table may be, and the gap between columns.

    Args:
        width: columns in all.
        titles: cells of the first column.
        others: widths of the other columns.

    Columns stand closer where a title would not fit otherwise.
    """
    longest = max(map(columns_of, titles), default=0)
    for gap in (2, 1):
        room = width - sum(others) - gap * len(others)
        if longest <= room:
            return longest, gap
    return max(room, _LEAST_TITLE), 1


def columns_of(text: str) -> int:
    """Return how many columns a text takes: Chinese, Japanese and Korean letters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """Return a text with blanks after it up to a width in columns."""
    return text + " " * (width - columns_of(text))


def folded(title: str, width: int) -> str:
    """Return a title broken between words, what goes on indented."""
    wide = {letter for letter in title if columns_of(letter) > 1}
    if wide:  # to be wrapped by columns, each counts twice
        title = "".join(letter + _SECOND * (letter in wide) for letter in title)
        width -= 1  # of a word that is broken, the two may part
    lines = textwrap.wrap(title, width, subsequent_indent="  ")
    return ("\n".join(lines) or title).replace(_SECOND, "")


def print_table(where: Console, table: Table) -> None:
    """Print a table; on a narrow terminal its lines run over, so that no figure is cut."""
    width = where.width
    where.width = max(width, WIDTH)
    try:
        where.print(table)
    finally:
        where.width = width


def wrapped(line: str, where: Console) -> str:
    """Return a note ("  - ...") broken between words at a terminal's width, else as it is."""
    if not line.startswith(_NOTE):
        return line
    return _hanging(line, len(_NOTE), where, break_long_words=False)


def labelled(label: str, text: str, where: Console) -> str:
    """Return a text beside its label, broken at a terminal's width, else whole."""
    return _hanging(f"{label:<{_LABEL}}{text}", _LABEL, where, break_long_words=True)


def _hanging(line: str, indent: int, where: Console, *, break_long_words: bool) -> str:
    if not where.is_terminal:
        return line
    return "\n".join(
        textwrap.wrap(
            line,
            where.width,
            subsequent_indent=" " * indent,
            break_long_words=break_long_words,
            break_on_hyphens=False,
        )
    )
