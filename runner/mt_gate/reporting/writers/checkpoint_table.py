"""Several runs of one suite as a table: a line for each checkpoint, as a person sees it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.console import (
    WIDTH,
    bare_table,
    console,
    encodable,
    folded,
    print_table,
    room_for_titles,
)
from mt_gate.reporting.words.texts import VERDICT_WORDS, pooled_counts
from mt_gate.results.result import Result

_NAMES = ("applicable", "violated", "rate", "change, pp [95 %]", "verdict")
_LONGEST_TITLE = 60


def show_checkpoints(
    rows: Sequence[tuple[str, Result | str]], stream: TextIO | None = None
) -> None:
    """Print a line for each checkpoint: what its run counted and came to.

    Args:
        rows: its name and result; where there is none, what it came to in words.
        stream: where to print; standard output if left out.
    """
    stream = stream or sys.stdout
    encode, where = encodable(stream), console(stream)
    lines = [(shorten(encode(name), _LONGEST_TITLE), _cells(result)) for name, result in rows]
    columns = zip(_NAMES, *(cells for _, cells in lines), strict=True)
    widths = [max(map(len, column)) for column in columns]
    titles = [title for title, _ in lines]
    room, gap = room_for_titles(max(where.width, WIDTH), titles, widths)
    table = bare_table(gap)
    table.add_column("checkpoint", no_wrap=True)
    for name in _NAMES:
        table.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    for title, cells in lines:
        table.add_row(folded(title, room), *cells)
    print_table(where, table)


def _cells(result: Result | str) -> list[str]:
    if isinstance(result, str):
        return [*[figures.UNDEFINED] * (len(_NAMES) - 1), result]
    counts = pooled_counts(result)
    compared = counts.comparison
    change = figures.change(compared.delta, compared.ci95) if compared else figures.UNDEFINED
    return [
        figures.count(counts.applicable),
        figures.count(counts.violated),
        figures.percent(counts.violation_rate),
        change.replace(" pp", ""),
        VERDICT_WORDS[result.verdict],
    ]
