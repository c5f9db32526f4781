"""The result as a person sees it in a terminal or a build log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from mt_gate.reporting import figures
from mt_gate.reporting.escaping import log_line, shorten
from mt_gate.reporting.strata import StratumLine, strata_lines
from mt_gate.reporting.texts import (
    DECISION_WORDS,
    POOLED,
    VERDICT_WORDS,
    Catalogue,
    after_rate,
    before_rate,
    is_compared,
    sentence,
    text_of,
)
from mt_gate.result import Overall, RelationResult, Result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH = 80
"""Columns where the width of the terminal is not known, as in a build log."""

_LONGEST_TITLE = 60

_COLOURS = {
    "regression": "red",
    "collapse": "red",
    "cannot-judge": "yellow",
    "inconclusive": "yellow",
    "not-comparable": "yellow",
    "improved": "green",
    "pass": "green",
    "measured": "cyan",
}

Encode = Callable[[str], str]


def _encodable(stream: TextIO) -> Encode:
    """Return a function that escapes what a stream's encoding cannot write."""
    encoding = getattr(stream, "encoding", None) or "utf-8"

    def encode(text: str) -> str:
        return log_line(text).encode(encoding, "backslashreplace").decode(encoding)

    return encode


def _console(stream: TextIO) -> Console:
    """Return a console that colours only a terminal; rich heeds NO_COLOR itself."""
    from rich.console import Console

    terminal = stream.isatty()
    return Console(
        file=stream,
        width=None if terminal else _WIDTH,
        force_terminal=None if terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _bare_table() -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)


def _empty_table(compared: bool) -> Table:
    table = _bare_table()
    table.add_column("relation", overflow="fold", ratio=None)
    names = ("groups", "before", "after") if compared else ("groups", "applicable", "violated")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    if compared:
        table.add_column("change, pp [95 %]", justify="right", no_wrap=True)
        table.add_column("decision", no_wrap=True)
    else:
        table.add_column("rate", justify="right", no_wrap=True)
    return table


def _compared_cells(entry: RelationResult | Overall) -> list[str]:
    comparison = entry.comparison
    cells = [figures.percent(before_rate(entry)), figures.percent(after_rate(entry))]
    if comparison is None:
        return [*cells, figures.UNDEFINED, "not compared"]
    change = figures.change(comparison.delta, comparison.ci95).replace(" pp", "")
    return [*cells, change, DECISION_WORDS[comparison.decision].lower()]


def _measured_cells(entry: RelationResult | Overall) -> list[str]:
    counts = (entry.applicable, entry.violated)
    return [*map(figures.count, counts), figures.percent(entry.violation_rate)]


def _add(
    table: Table, title: str, groups: int, entry: RelationResult | Overall, compared: bool
) -> None:
    from rich.text import Text

    cells = _compared_cells(entry) if compared else _measured_cells(entry)
    decision = entry.comparison.decision if compared and entry.comparison else ""
    *others, last = cells
    style = _COLOURS.get(decision, "")
    table.add_row(Text(title), figures.count(groups), *others, Text(last, style=style))


def _table(result: Result, catalogue: Catalogue, encode: Encode) -> Table:
    compared = is_compared(result)
    table = _empty_table(compared)
    for relation in result.relations:
        title = shorten(encode(text_of(catalogue, relation.id).title), _LONGEST_TITLE)
        _add(table, title, relation.groups, relation, compared)
    table.add_section()
    total = sum(relation.groups for relation in result.relations)
    _add(table, POOLED, total, result.overall, compared)
    return table


def _strata_table(lines: Sequence[StratumLine], encode: Encode) -> Table:
    """Return the violation rates of the kinds of edit."""
    from rich.text import Text

    table = _bare_table()
    table.add_column("relation", overflow="fold")
    table.add_column("kind of edit", overflow="fold")
    for name in ("applicable", "violated", "rate", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        counts = line.counts
        table.add_row(
            Text(encode(line.title)),
            Text(encode(line.name)),
            figures.count(counts.applicable),
            figures.count(counts.violated),
            figures.percent(counts.violation_rate),
            figures.between(counts.ci95),
        )
    return table


def show_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines, each held on one line; standard output if no stream is given."""
    stream = stream or sys.stdout
    encode = _encodable(stream)
    for line in lines:
        print(encode(line), file=stream)


def show(result: Result, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print a run: relations, verdict, reasons, notes.

    Args:
        result: the run.
        catalogue: titles of the relations.
        stream: where to print; standard output if left out.
    """
    from rich.text import Text

    stream = stream or sys.stdout
    encode, console = _encodable(stream), _console(stream)
    if result.relations:
        console.print(_table(result, catalogue, encode))
        if lines := strata_lines(result, catalogue):
            console.print()
            console.print(_strata_table(lines, encode))
        console.print()
    style = f"bold {_COLOURS[result.verdict]}"
    words = Text(f"{VERDICT_WORDS[result.verdict]}. ", style=style)
    console.print(words + Text(encode(sentence(result, catalogue))), soft_wrap=True)
    for line in (*result.reasons, *result.notes):
        console.print(Text(f"  - {encode(line)}"), soft_wrap=True)
