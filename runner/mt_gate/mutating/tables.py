"""A sensitivity study in tables: for a terminal, and in Markdown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from mt_gate.base.escaping import log_line, markdown
from mt_gate.base.figures import UNDEFINED, count, counted, p_value, percent, setting
from mt_gate.base.jsonio import write_whole
from mt_gate.mutating.records import OperatorFindings, Sensitivity

Row = tuple[str, ...]
RATIOS: Row = (
    "operator",
    "relation",
    "newly failing",
    "by accuracy",
    "two-tailed p",
    "one-tailed p",
    "conclusion",
)
CAUGHT: Row = ("operator", "mutants", "caught by the gate", "by accuracy", "by both")
ORIGINAL: Row = ("relation", "applicable groups", "violated", "violation rate")


def ratio_rows(found: Sensitivity) -> list[Row]:
    """Return a row an operator and relation, in the columns of ``RATIOS``."""
    return [row for operator in found.operators for row in _ratio_rows(operator)]


def _ratio_rows(operator: OperatorFindings) -> Iterator[Row]:
    for relation, ratio in operator.mean_ratio.items():
        row = (
            operator.operator,
            relation,
            percent(ratio),
            percent(operator.mean_accuracy_ratio),
        )
        test = operator.tests.get(relation)
        if test is None:
            yield (*row, UNDEFINED, UNDEFINED, UNDEFINED)
        else:
            p_values = (p_value(test.two_tailed), p_value(test.one_tailed))
            yield (*row, *p_values, test.conclusion.value)


def caught_rows(found: Sensitivity) -> list[Row]:
    """Return a row an operator, and the sum, in the columns of ``CAUGHT``."""
    rows = [
        (
            item.operator,
            item.mutants,
            item.caught_by_gate,
            item.caught_by_accuracy,
            item.caught_by_both,
        )
        for item in found.operators
    ]
    sums = [_sum([row[column] for row in rows]) for column in range(1, len(CAUGHT))]
    shown = [(row[0], *map(_count, row[1:])) for row in rows]
    return [*shown, ("all operators", *map(_count, sums))]


def _sum(values: Sequence[object]) -> int | None:
    numbers = [value for value in values if isinstance(value, int)]
    return sum(numbers) if len(numbers) == len(values) else None


def _count(number: object) -> str:
    return count(number) if isinstance(number, int) else UNDEFINED


def lines(found: Sensitivity) -> list[str]:
    """Return what was studied, in a few sentences."""
    sources = found.sources
    drawn = sources.used < sources.of
    told = [
        f"checkpoint {found.checkpoint.name} ({found.checkpoint.fingerprint[:19]}), suite "
        f"{found.suite.name} {found.suite.version}",
        f"{count(sources.used)} of {counted(sources.of, 'source')}"
        + (f", sampled with seed {sources.seed}" if drawn else ""),
    ]
    if found.labels:
        told.append(
            f"labels {found.labels.file}: {counted(found.labels.samples, 'sample')}, "
            f"{count(found.labels.right)} right on the original"
        )
    else:
        told.append("no labels, so nothing is compared with accuracy")
    told.append(
        f"alpha {setting(found.settings.alpha)}, margin {setting(found.settings.margin)}; "
        + "; ".join(_operator_words(found))
    )
    return told


def _operator_words(found: Sensitivity) -> Iterator[str]:
    for operator in found.operators:
        seeds = [m.mutation for m in found.mutants if m.mutation.operator == operator.operator]
        spread = f", sd {setting(seeds[0].sd)}" if operator.operator == "gaussian-fuzz" else ""
        yield (
            f"{operator.operator} with ratio {setting(seeds[0].ratio)}{spread}, "
            f"seeds {seeds[0].seed} to {seeds[-1].seed}"
        )


def write_markdown(path: Path, found: Sensitivity) -> None:
    """Write ``sensitivity.md``, whole or not at all."""
    original = [
        (item.id, count(item.applicable), count(item.violated), percent(item.violation_rate))
        for item in found.relations
    ]
    parts = [
        "# Sensitivity to mutants\n",
        "\n".join(f"- {markdown(line)}" for line in lines(found)) + "\n",
        "## Newly failing samples\n",
        "Of the samples that pass on the original, the share that fails on a mutant, mean over an "
        "operator's mutants; paired Wilcoxon signed-rank tests of relation against accuracy.\n",
        _markdown_table(RATIOS, ratio_rows(found)),
        "## Mutants caught\n",
        "The gate has the original's run as its baseline. By accuracy: McNemar's exact test, "
        "one-sided, on the labels, with the same alpha and margin.\n",
        _markdown_table(CAUGHT, caught_rows(found)),
        "## The original\n",
        _markdown_table(ORIGINAL, original),
    ]
    write_whole(path, "\n".join(parts))


def _markdown_table(head: Row, rows: Sequence[Row]) -> str:
    ruled = [head, tuple("---" for _ in head)]
    told = ["| " + " | ".join(row) + " |" for row in ruled]
    told += ["| " + " | ".join(map(markdown, row)) + " |" for row in rows]
    return "\n".join(told) + "\n"


def show(found: Sensitivity, stream: TextIO | None = None) -> None:
    """Print the two tables; the console keeps to the terminal's width."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = stream or sys.stdout
    terminal = out.isatty()
    console = Console(
        file=out,
        width=None if terminal else 120,
        force_terminal=None if terminal else False,
        highlight=False,
    )
    for line in lines(found):
        console.print(Text(log_line(line)), soft_wrap=True)
    for head, rows in ((RATIOS, ratio_rows(found)), (CAUGHT, caught_rows(found))):
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        words = 2 if head is RATIOS else 1
        for at, name in enumerate(head):
            table.add_column(name, justify="left" if at < words else "right", overflow="fold")
        for row in rows:
            table.add_row(*(Text(log_line(cell)) for cell in row))
        console.print()
        console.print(table)
