"""Results and baselines as a person sees them in a terminal or a build log."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mt_gate.base import figures
from mt_gate.base.console import print_table as print_whole
from mt_gate.base.redaction import shorten
from mt_gate.baselines.schema import Baseline
from mt_gate.reporting.table import (
    Table,
    console,
    encodable,
    show_labelled,
    show_lines,
    show_table,
    wrapped,
)
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.sentences import sentence
from mt_gate.reporting.words.tables import LONGEST_TITLE, churn_line, stratum_in_words, title_of
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results.result import NO_FINGERPRINT, Result, Stratum, runtime_text
from mt_gate.settings.policy import Tier

if TYPE_CHECKING:
    from mt_gate.baselines.diff import BaselineDiff

_LISTED = 20
"""Groups of a relation that are named, of those newly violated and of those fixed."""
_LONGEST_ID = 60
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


def show(result: Result, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print a run: verdict, relations, reasons, notes, to standard output by default."""
    from rich.text import Text

    stream = stream or sys.stdout
    encode, where = encodable(stream), console(stream)
    word = (f"{texts.VERDICT_WORDS[result.verdict]}. ", f"bold {_COLOURS[result.verdict]}")
    words = Text.assemble(word, encode(sentence(result, catalogue)))
    where.print(words, soft_wrap=not where.is_terminal)
    where.print()
    if result.relations:
        show_table(_relations(result, catalogue), stream)
        where.print()
        rows: list[tuple[str, ...]] = []  # kinds of edit, under the relation that they are of
        for relation in result.relations:
            if relation.strata:
                rows.append((title_of(catalogue, relation.id), *[""] * 4))
            for name, counts in [*relation.strata.items()][:20]:
                cells = (*_measured_cells(counts), figures.between(counts.ci95))
                rows.append((f"  {stratum_in_words(name)}", *cells))
        if rows:
            head = ("kind of edit", "applicable", "violated", "rate", "95 % interval")
            show_table(Table("wrrrr", head, rows), stream)
            where.print()
    changed = [churn_line(result.churn)] if result.churn else []
    for line in (*result.reasons, *changed, *result.notes):
        where.print(Text(wrapped(f"  - {encode(line)}", where)), soft_wrap=True)


def show_result(result: Result) -> int:
    """Print a run to standard output and return its exit code, whatever becomes of the output."""
    print_whole(lambda: show(result, texts.with_stated(texts.relation_texts(), result)))
    return result.exit_code


def show_baseline(path: Path, baseline: Baseline, stream: TextIO | None = None) -> None:
    """Print what a baseline holds, to standard output by default."""
    from mt_gate.baselines.anchoring import named  # loads NumPy

    stream = stream or sys.stdout
    suite, runs, anchor = baseline.suite, baseline.runs, baseline.anchor
    show_lines([f"{path}: baseline {baseline.name}, recorded {baseline.recorded}"], stream)
    of_anchor = f"{named(anchor)}, {figures.counted(len(anchor.runs), 'run')}" if anchor else ""
    tiers = {
        tier: [of.id for of in runs[0].relations if baseline.settings.policy.tier(of.id) is tier]
        for tier in (Tier.WARN, Tier.REPORT)
    }
    labelled = [("suite", f"{suite.name} {suite.version} ({suite.sha256[:12]})")]
    for number, run in enumerate(runs, 1):
        fingerprint = run.checkpoint.fingerprint[:19] or NO_FINGERPRINT
        checkpoint = f"{run.checkpoint.name} ({fingerprint})"
        runtime = runtime_text(run.checkpoint.runtime)
        if len(runs) == 1:
            labelled += [("checkpoint", checkpoint), ("run on", runtime)]
        else:
            labelled.append((f"run {number}", f"{checkpoint}, on {runtime}"))
    labelled += [
        ("accepted", baseline.accept or ""),
        ("tiers", "; ".join(f"{tier}: {', '.join(ids)}" for tier, ids in tiers.items() if ids)),
        ("anchor", of_anchor),
    ]
    show_labelled(labelled, stream)
    show_lines([""], stream)
    rows: list[Sequence[str]] = []
    for relations in zip(*(run.relations for run in runs), strict=True):
        one, rates = relations[0], [relation.rate for relation in relations]
        known = [rate for rate in rates if rate is not None]
        mean = math.fsum(known) / len(known) if known else None
        cells = [*map(figures.percent, (*rates, mean))]
        if len(runs) == 1:
            cells = [figures.count(one.violated), figures.count(one.applicable), cells[0]]
        rows.append((shorten(one.id, _LONGEST_ID), *cells))
    head = ["violated", "applicable", "rate"]
    if len(runs) > 1:
        head = [*(f"run {number}" for number in range(1, len(runs) + 1)), "mean"]
    show_table(Table("w" + "r" * len(head), ["relation", *head], rows), stream)


def show_diff(a: Path, b: Path, diff: BaselineDiff, stream: TextIO | None = None) -> None:
    """Print what changed from baseline ``a`` to ``b``, to standard output by default.

    At most ``_LISTED`` groups a relation and direction are named, the others counted.
    """
    stream = stream or sys.stdout
    show_lines([f"A  {a}", f"B  {b}"], stream)
    if not diff.same_suite:
        note = "  - the two are of different suites: only groups that both have are compared"
        show_lines([note], stream)
    if max(len(diff.a.runs), len(diff.b.runs)) > 1:
        show_lines(["  - of several runs the first is compared"], stream)
    show_lines([""], stream)
    head = ("relation", "before", "after", "newly violated", "fixed", "only A", "only B")
    rows = []
    for item in diff.relations:
        counts = (len(item.newly_violated), len(item.fixed), item.only_a, item.only_b)
        rates = map(figures.percent, item.rates)
        rows.append((shorten(item.id, _LONGEST_ID), *rates, *map(figures.count, counts)))
    show_table(Table("wrrrrrr", head, rows), stream)
    for item in diff.relations:
        listed = [*_listed("+", item.newly_violated), *_listed("-", item.fixed)]
        if listed:
            show_lines(["", f"{item.id}: + newly violated, - fixed", *listed], stream)


def _listed(mark: str, groups: Sequence[str]) -> Iterator[str]:
    yield from (f"  {mark} {group}" for group in sorted(groups)[:_LISTED])
    if len(groups) > _LISTED:
        yield f"  {mark} and {len(groups) - _LISTED} more"
