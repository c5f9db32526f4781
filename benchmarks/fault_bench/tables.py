"""A fault benchmark in tables: for a terminal, and in Markdown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from fault_bench.records import FaultFindings, PartFindings, Sensitivity, WayFindings
from fault_bench.worth import fewest
from mt_gate.base import figures
from mt_gate.base.escaping import log_line, markdown
from mt_gate.base.figures import UNDEFINED, count, percent, points
from mt_gate.base.files import write_whole

Row = tuple[str, ...]


class Table(NamedTuple):
    """Cells as they are shown; the first ``words`` columns are words, the others figures."""

    head: Row
    rows: Sequence[Row]
    words: int = 1


def parts(found: Sensitivity) -> Table:
    """Return the faults that gate and paired test find, by half of the kinds."""
    sizes = [*(found.faults[0].found if found.faults else {})]
    head = (
        "kinds",
        "candidates",
        "cost 2 points or more, found",
        "cost 1 point or more, found",
        "by half of the sources",
        *(f"by a paired test on {count(size)} labels" for size in sizes),
        "worth in labels",
        "cost less, but failed",
        "retrained, but failed",
        f"by the paired test on {count(sizes[-1])} labels" if sizes else "by the paired test",
    )
    return Table(head, [_part(part, sizes) for part in found.parts])


def _part(part: PartFindings, sizes: Sequence[int]) -> Row:
    return (
        _half(part),
        count(part.candidates),
        _of(part.severe_caught, part.severe),
        _of(part.harmful_caught, part.harmful),
        _of(part.harmful_half_caught, part.harmful),
        *(_expected(part.paired.get(size), part.harmful) for size in sizes),
        worth_in_words(part, sizes),
        _of(part.below_caught, part.below),
        _of(part.harmless_caught, part.harmless),
        _expected(part.paired_harmless.get(sizes[-1]) if sizes else None, part.harmless),
    )


def ways(found: Sensitivity) -> Table:
    """Return the candidates that do not pass larger margins, or a baseline of several runs."""
    sizes = [*(found.faults[0].found if found.faults else {})]
    head = (
        "kinds",
        "compared with",
        "cost 2 points or more, found",
        "cost 1 point or more, found",
        "worth in labels",
        "cost less, but failed",
        "retrained, but failed",
    )
    rows = [
        (
            _half(part),
            way.way,
            _of(way.severe_caught, way.severe),
            _of(way.harmful_caught, way.harmful),
            worth_in_words(way, sizes),
            _of(way.below_caught, way.below),
            _of(way.harmless_caught, way.harmless),
        )
        for part in found.parts
        for way in part.ways
    ]
    return Table(head, rows, words=2)


def _half(part: PartFindings) -> str:
    return part.half.shown if part.half else "all"


def worth_in_words(part: PartFindings | WayFindings, sizes: Sequence[int]) -> str:
    """Return a number of labels by its first two digits, or that it lies beyond those tried."""
    if not part.harmful:
        return UNDEFINED
    if part.worth is None:
        return f"more than {count(sizes[-1])}"
    if not part.worth:
        return "0"
    least = fewest(sizes[-1])
    if part.worth <= least:
        return f"at most {count(least)}"
    whole = round(part.worth)
    return count(round(whole, 2 - len(str(whole))))  # its first two digits


def _expected(part: float | None, whole: int) -> str:
    return f"{figures.quantity(part)} of {count(whole)}" if whole else UNDEFINED


def _of(part: int, whole: int) -> str:
    return f"{count(part)} of {count(whole)}" if whole else UNDEFINED


def faults(found: Sensitivity) -> Table:
    """Return every candidate, the costliest first."""
    sizes = [*(found.faults[0].found if found.faults else {})]
    head = (
        "candidate",
        "family",
        "kinds",
        "relations that fired",
        "gate",
        f"cost in {found.labels.measure}",
        "standard error",
        "rise of violations",
        *(f"found with {count(size)} labels" for size in sizes),
    )
    ranked = sorted(found.faults, key=lambda item: -item.cost)
    return Table(head, [_fault(item) for item in ranked], words=5)


def _fault(item: FaultFindings) -> Row:
    gate = item.gate
    return (
        item.fault.name,
        item.fault.family.value,
        item.fault.half.shown,
        ", ".join(gate.fired) if gate else "",
        gate.verdict.value if gate else "not judged",
        points(item.cost),
        figures.size_in_points(item.standard_error),
        points(gate.difference) if gate else UNDEFINED,
        *(percent(share) for share in item.found.values()),
    )


def only_one(found: Sensitivity) -> Table:
    """Return the harmful candidates that one of the two alone finds, the test with all labels."""
    rows = []
    for item in sorted(found.faults, key=lambda item: -item.cost):
        by_gate = item.gate is not None and item.gate.caught
        by_labels = item.p_value < found.settings.alpha
        if item.harmful and by_gate != by_labels:
            rows.append(
                (
                    item.fault.name,
                    "the gate" if by_gate else "the paired test",
                    points(item.cost),
                    figures.p_value(item.p_value),
                )
            )
    return Table(("candidate", "found by", "cost", "p of the paired test"), rows, words=2)


def relations(found: Sensitivity) -> Table:
    """Return what each relation catches for its time."""
    rows = [
        (
            item.id,
            count(item.caught),
            count(item.caught_choosing),
            count(item.alone),
            figures.seconds(item.seconds),
            figures.quantity(item.caught * 60 / item.seconds) if item.seconds else UNDEFINED,
        )
        for item in found.relations
    ]
    head = (
        "relation",
        "harmful candidates found",
        "of development kinds",
        "by it only",
        "time on the reference",
        "found per minute",
    )
    return Table(head, rows)


def left_out(found: Sensitivity) -> Table:
    """Return the candidates that could not be made or run, with reasons."""
    rows = [(name, reason) for name, reason in found.left_out.items()]
    rows += [(item.fault.name, item.error) for item in found.faults if item.error]
    return Table(("candidate", "reason"), rows, words=2)


def lines(found: Sensitivity) -> list[str]:
    """Return what was studied, in a few sentences."""
    labels = found.labels
    of_part = f" ({'; '.join(found.suite.part)})" if found.suite.part else ""
    return [
        f"checkpoint {found.checkpoint.name} ({found.checkpoint.fingerprint[:19]}), suite "
        f"{found.suite.name} {found.suite.version}{of_part}",
        f"labels {labels.file}: {figures.counted(labels.samples, 'sample')}, {labels.measure} of "
        f"the reference {percent(found.score)}",
        f"alpha {figures.setting(found.settings.alpha)} for gate and paired test, margin "
        f"{figures.setting(found.settings.margin)} for the gate",
        f"{figures.counted(len(found.faults), 'candidate')} in {figures.seconds(found.seconds)}",
        *([f"also compared with a baseline of: {', '.join(found.runs)}"] * bool(found.runs)),
    ]


def sections(found: Sensitivity) -> Iterator[tuple[str, Table]]:
    """Yield the tables with their titles."""
    yield "What is found", parts(found)
    yield "Judged with other rules", ways(found)
    yield "Candidates", faults(found)
    yield "Found by only one", only_one(found)
    yield "Relations", relations(found)
    yield "Skipped or not judged", left_out(found)


def write_markdown(path: Path, found: Sensitivity) -> None:
    """Write ``sensitivity.md``, whole or not at all."""
    text = ["# What the gate finds\n", *(f"- {markdown(line)}" for line in lines(found)), ""]
    for title, table in sections(found):
        if table.rows:
            text += [f"## {title}\n", markdown_table(table)]
    write_whole(path, "\n".join(text))


def markdown_table(table: Table) -> str:
    """Return a table in Markdown."""
    ruler = ["---" if at < table.words else "---:" for at in range(len(table.head))]
    text = [f"| {' | '.join(row)} |" for row in (table.head, ruler)]
    text += [f"| {' | '.join(map(markdown, row))} |" for row in table.rows]
    return "\n".join(text) + "\n"


def show(found: Sensitivity, stream: TextIO | None = None) -> None:
    """Print the first tables; the console keeps to the terminal's width."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Shown
    from rich.text import Text

    out = stream or sys.stdout
    terminal = out.isatty()
    console = Console(
        file=out,
        width=None if terminal else 160,
        force_terminal=None if terminal else False,
        highlight=False,
    )
    for line in lines(found):
        console.print(Text(log_line(line)), soft_wrap=True)
    for title, table in sections(found):
        if not table.rows:
            continue
        shown = Shown(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title=title)
        for at, name in enumerate(table.head):
            shown.add_column(name, justify="left" if at < table.words else "right", overflow="fold")
        for row in table.rows:
            shown.add_row(*(Text(log_line(cell)) for cell in row))
        console.print()
        console.print(shown)
