"""The result as a person sees it in a terminal or a build log."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from mt_gate.base import figures
from mt_gate.base.console import print_table as print_whole
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.churn import churn_line
from mt_gate.reporting.words.console import (
    WIDTH,
    Encode,
    bare_table,
    console,
    encodable,
    folded,
    print_table,
    room_for_titles,
    wrapped,
)
from mt_gate.reporting.words.strata import StratumLine, strata_lines
from mt_gate.reporting.words.texts import (
    VERDICT_WORDS,
    Catalogue,
    after_rate,
    before_rate,
    decision_words,
    is_compared,
    pooled_counts,
    pooled_relations,
    pooled_title,
    relation_texts,
    sentence,
    text_of,
    with_stated,
)
from mt_gate.results.result import Overall, RelationResult, Result

if TYPE_CHECKING:
    from rich.table import Table

_LONGEST_TITLE = 60

_COLOURS = {
    "regression": "red",
    "collapse": "red",
    "cannot-judge": "yellow",
    "warning": "yellow",
    "inconclusive": "yellow",
    "not-comparable": "yellow",
    "not-judged": "",
    "improved": "green",
    "pass": "green",
    "measured": "cyan",
}

Row = tuple[str, list[str], str]
"""Title, other cells, and the style of the last one."""


_COMPARED = ("groups", "before", "after", "change, pp [95 %]", "decision")
_MEASURED = ("groups", "applicable", "violated", "rate")
_STRATA = ("applicable", "violated", "rate", "95 % interval")


def _compared_cells(entry: RelationResult | Overall) -> list[str]:
    comparison = entry.comparison
    cells = [figures.percent(before_rate(entry)), figures.percent(after_rate(entry))]
    if comparison is None:
        return [*cells, figures.UNDEFINED, "not compared"]
    change = figures.change(comparison.delta, comparison.ci95).replace(" pp", "")
    return [*cells, change, decision_words(entry).lower()]


def _measured_cells(entry: RelationResult | Overall) -> list[str]:
    counts = (entry.applicable, entry.violated)
    return [*map(figures.count, counts), figures.percent(entry.violation_rate)]


def _row(title: str, groups: int, entry: RelationResult | Overall, compared: bool) -> Row:
    cells = _compared_cells(entry) if compared else _measured_cells(entry)
    decision = entry.comparison.decision if compared and entry.comparison else ""
    return title, [figures.count(groups), *cells], _COLOURS.get(decision, "")


def _rows(result: Result, catalogue: Catalogue, encode: Encode) -> Iterator[Row]:
    """Yield a row a relation, and last the one of all relations."""
    compared = is_compared(result)
    for relation in result.relations:
        title = shorten(encode(text_of(catalogue, relation.id).title), _LONGEST_TITLE)
        yield _row(title, relation.groups, relation, compared)
    total = sum(relation.groups for relation in pooled_relations(result))
    yield _row(pooled_title(result), total, pooled_counts(result), compared)


def _table(result: Result, catalogue: Catalogue, encode: Encode, width: int) -> Table:
    from rich.text import Text

    names = _COMPARED if is_compared(result) else _MEASURED
    rows = [*_rows(result, catalogue, encode)]
    columns = zip(names, *(cells for _, cells, _ in rows), strict=True)
    widths = [max(map(len, column)) for column in columns]
    room, gap = room_for_titles(width, [title for title, _, _ in rows], widths)
    table = bare_table(gap)
    table.add_column("relation", no_wrap=True)
    for name in names:
        table.add_column(name, justify="left" if name == "decision" else "right", no_wrap=True)
    for title, (*others, last), style in rows:
        table.add_row(Text(folded(title, room)), *others, Text(last, style=style))
    table.rows[-2].end_section = True
    return table


def _strata_table(lines: Sequence[StratumLine], encode: Encode, width: int) -> Table:
    """Return the violation rates of the kinds of edit, under the relation that they are of."""
    rows = [_stratum(line) for line in lines]
    names = [f"  {encode(line.name)}" for line in lines]
    titles = [encode(line.title) for line in lines]
    widths = [max(map(len, column)) for column in zip(_STRATA, *rows, strict=True)]
    room, gap = room_for_titles(width, [*names, *titles], widths)
    table = bare_table(gap)
    table.add_column("kind of edit", no_wrap=True)
    for name in _STRATA:
        table.add_column(name, justify="right", no_wrap=True)
    for number, (title, name, cells) in enumerate(zip(titles, names, rows, strict=True)):
        if number == 0 or title != titles[number - 1]:
            table.add_row(folded(title, room))
        table.add_row(folded(name, room), *cells)
    return table


def _stratum(line: StratumLine) -> tuple[str, ...]:
    counts = line.counts
    return (
        figures.count(counts.applicable),
        figures.count(counts.violated),
        figures.percent(counts.violation_rate),
        figures.between(counts.ci95),
    )


def show_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines, each held on one line; standard output if no stream is given."""
    stream = stream or sys.stdout
    encode, where = encodable(stream), console(stream)
    for line in lines:
        print(wrapped(encode(line), where), file=stream)


def show(result: Result, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print a run: verdict, relations, reasons, notes.

    Args:
        result: the run.
        catalogue: titles of the relations.
        stream: where to print; standard output if left out.
    """
    from rich.text import Text

    stream = stream or sys.stdout
    encode, where = encodable(stream), console(stream)
    word = (f"{VERDICT_WORDS[result.verdict]}. ", f"bold {_COLOURS[result.verdict]}")
    words = Text.assemble(word, encode(sentence(result, catalogue)))
    where.print(words, soft_wrap=not where.is_terminal)
    where.print()
    if result.relations:
        print_table(where, _table(result, catalogue, encode, max(where.width, WIDTH)))
        if lines := strata_lines(result, catalogue):
            where.print()
            print_table(where, _strata_table(lines, encode, max(where.width, WIDTH)))
        where.print()
    changed = [churn_line(result.churn)] if result.churn else []
    for line in (*result.reasons, *changed, *result.notes):
        where.print(Text(wrapped(f"  - {encode(line)}", where)), soft_wrap=True)


def show_result(result: Result) -> int:
    """Print a run to standard output and return its exit code, whatever becomes of the output."""
    print_whole(lambda: show(result, with_stated(relation_texts(), result)))
    return result.exit_code
