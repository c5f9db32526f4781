"""The result as a person sees it in a terminal or a build log."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.console import print_table as print_whole
from mt_gate.reporting.table import Table, console, encodable, show_table, wrapped
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.sentences import sentence
from mt_gate.reporting.words.tables import LONGEST_TITLE, churn_line, stratum_in_words, title_of
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results.result import Result, Stratum

_COLOURS = {
    "regression": "red",
    "collapse": "red",
    "cannot-judge": "yellow",
    "warning": "yellow",
    "inconclusive": "yellow",
    "not-comparable": "yellow",
    "improved": "green",
    "pass": "green",
    "measured": "cyan",
}


def _compared_cells(entry: Counts) -> Sequence[str]:
    comparison = entry.comparison
    rates = (figures.percent(texts.before_rate(entry)), figures.percent(texts.after_rate(entry)))
    if comparison is None:
        return (*rates, figures.UNDEFINED, "not compared")
    change = figures.change(comparison.delta, comparison.ci95).replace(" pp", "")
    return (*rates, change, texts.decision_words(entry).lower())


def _measured_cells(entry: Counts | Stratum) -> Sequence[str]:
    counts = map(figures.count, (entry.applicable, entry.violated))
    return (*counts, figures.percent(entry.violation_rate))


def _relations(result: Result, catalogue: Catalogue) -> Table:
    """Return a row a relation, and last the one of all relations."""
    compared = texts.is_compared(result)
    entries = texts.relation_entries(result, catalogue, LONGEST_TITLE)
    cells = _compared_cells if compared else _measured_cells
    rows = [(title, figures.count(groups), *cells(entry)) for title, groups, entry in entries]
    if not compared:
        measured = ("relation", "groups", "applicable", "violated", "rate")
        return Table("wrrrr", measured, rows, foot=True)
    head = ("relation", "groups", "before", "after", "change, pp [95 %]", "decision")
    decisions = [entry.comparison.decision if entry.comparison else "" for *_, entry in entries]
    tones = [_COLOURS.get(decision, "") for decision in decisions]
    return Table("wrrrrl", head, rows, foot=True, tones=tones)


def _strata(result: Result, catalogue: Catalogue) -> Table:
    """Return the violation rates of the kinds of edit, under the relation that they are of."""
    rows: list[tuple[str, ...]] = []
    for relation in result.relations:
        if relation.strata:
            rows.append((title_of(catalogue, relation.id), *[""] * 4))
        rows += [
            (
                f"  {stratum_in_words(name)}",
                *_measured_cells(counts),
                figures.between(counts.ci95),
            )
            for name, counts in [*relation.strata.items()][:20]
        ]
    head = ("kind of edit", "applicable", "violated", "rate", "95 % interval")
    return Table("wrrrr", head, rows)


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
    word = (f"{texts.VERDICT_WORDS[result.verdict]}. ", f"bold {_COLOURS[result.verdict]}")
    words = Text.assemble(word, encode(sentence(result, catalogue)))
    where.print(words, soft_wrap=not where.is_terminal)
    where.print()
    if result.relations:
        tables = [_relations(result, catalogue), _strata(result, catalogue)]
        for table in tables:
            if table.rows:
                show_table(table, stream)
                where.print()
    changed = [churn_line(result.churn)] if result.churn else []
    for line in (*result.reasons, *changed, *result.notes):
        where.print(Text(wrapped(f"  - {encode(line)}", where)), soft_wrap=True)


def show_result(result: Result) -> int:
    """Print a run to standard output and return its exit code, whatever becomes of the output."""
    print_whole(lambda: show(result, texts.with_stated(texts.relation_texts(), result)))
    return result.exit_code
