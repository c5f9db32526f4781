"""Tables for every report: on a terminal, in Markdown, and in HTML (``macros.html.j2``).

A terminal gets colours (unless ``NO_COLOR`` is set or ``TERM`` is ``dumb``) and lines wrapped at
its width. A file, a pipe or a build log gets no colours. Its lines are not wrapped, so that they
can be searched, and its tables have room for 80 columns or more.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

from mt_gate.base.escaping import log_line, markdown

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80
"""Terminal columns if the width is not known, and the least width of a table."""
_LEAST_TITLE = 16
_SECOND = "\N{WORD JOINER}"
"""Placeholder for the second column of a wide letter while lines are wrapped; never in texts."""
_COPIED = ("Report", "Accept: ", "Record: ", "Next: fix ")
"""Beginnings of lines that users copy into a shell or a browser, so they are not wrapped."""
_RULERS = {"w": "---", "l": "---", "r": "---:", "c": ":---:"}
Cell = str | tuple[str, ...]
"""Text of a cell, or several texts: the first is the most important, empty ones are skipped."""


class Table(NamedTuple):
    """Cells of a table, not escaped.

    ``columns`` has a letter per column: ``w`` for untrusted text, ``l`` for text of mt-gate, ``r``
    and ``c`` for figures. ``foot`` is whether the last row is a total. ``tones`` are the terminal
    colours of the last cell of each row.
    """

    columns: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    foot: bool = False
    tones: Sequence[str] = ()


def markdown_table(table: Table) -> str:
    """Return a table in GitHub Markdown; empty if it has no rows."""
    lines = [[*map(markdown, table.head)], [_RULERS[column] for column in table.columns]]
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, str):
                cells.append(markdown(cell) if column == "w" else cell)
            else:
                cells.append("<br>".join(filter(None, (f"**{cell[0]}**", *cell[1:]))))
        lines.append(cells)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if table.rows else ""


def show_table(table: Table, stream: TextIO) -> None:
    """Print a table; on a narrow terminal its lines overflow, so that no figure is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Shown
    from rich.text import Text

    encode, where = console(stream)
    rows = [[encode(str(cell)) for cell in row] for row in table.rows]
    titles = [row[0] for row in rows]
    widths = [max(map(len, column)) for column in [*zip(table.head, *rows, strict=True)][1:]]
    width = where.width
    room, gap = room_for_titles(max(width, WIDTH), titles, widths)
    where.width = max(width, WIDTH, room + sum(widths) + gap * len(widths))
    shown = Shown(box=SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0), show_edge=False)
    for name, column in zip(table.head, table.columns, strict=True):
        shown.add_column(name, justify="right" if column in "rc" else "left", no_wrap=True)
    for number, (title, *others, last) in enumerate(rows):
        tone = table.tones[number] if table.tones else ""
        shown.add_row(Text(folded(title, room)), *others, Text(last, style=tone))
    if table.foot:
        shown.rows[-2].end_section = True
    try:
        where.print(shown)
    finally:
        where.width = width


def show_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines, to standard output by default; wrap them between words at a terminal's width.

    Lines with commands or paths are not wrapped.
    """
    stream = stream or sys.stdout
    encode, where = console(stream)
    for line in lines:
        text = encode(line)
        if where.is_terminal and not line.startswith(_COPIED):
            indent = " " * (4 if line.startswith("  - ") else 2)
            text = textwrap.fill(
                text,
                where.width,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
        print(text, file=stream)


def console(stream: TextIO) -> tuple[Callable[[str], str], Console]:
    """Return a function that escapes what a stream's encoding cannot write, and a console.

    The console colours only a terminal; rich respects NO_COLOR and TERM.
    """
    from rich.console import Console

    terminal, encoding = stream.isatty(), getattr(stream, "encoding", None) or "utf-8"
    where = Console(
        file=stream,
        width=None if terminal else WIDTH,
        force_terminal=None if terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    return (
        lambda text: log_line(text).encode(encoding, "backslashreplace").decode(encoding),
        where,
    )


def room_for_titles(width: int, titles: Sequence[str], others: Sequence[int]) -> tuple[int, int]:
    """Return the widths of the first column and of gaps; gaps are 1 if a title would not fit."""
    longest = max(map(columns_of, titles), default=0)
    for gap in (2, 1):
        room = width - sum(others) - gap * len(others)
        if longest <= room:
            return longest, gap
    return max(room, _LEAST_TITLE), 1


def columns_of(text: str) -> int:
    """Return the width of a text in columns; Chinese, Japanese and Korean letters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def folded(title: str, width: int) -> str:
    """Return a title wrapped between words, with further lines indented."""
    wide = {letter for letter in title if columns_of(letter) > 1}
    if wide:  # textwrap counts letters, so pad each wide letter to two
        title = "".join(letter + _SECOND * (letter in wide) for letter in title)
        width -= 1  # a line may end between a wide letter and its padding
    lines = textwrap.wrap(title, width, subsequent_indent="  ")
    return ("\n".join(lines) or title).replace(_SECOND, "")
