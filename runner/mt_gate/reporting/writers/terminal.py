"""Show results and baselines in a terminal or a build log."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from mt_gate.base import figures
from mt_gate.base.console import Style, say, warn_on_failure
from mt_gate.base.escaping import shorten
from mt_gate.baselines.schema import Baseline
from mt_gate.reporting.table import (
    Table,
    console,
    show_lines,
    show_table,
)
from mt_gate.reporting.words import texts
from mt_gate.reporting.words.first_screen import (
    WORSE,
    advice,
    example_lines,
    examples,
    gather,
    provenance,
    subject,
    what_to_fix,
    worst_relations,
)
from mt_gate.reporting.words.sentences import facts, headline
from mt_gate.reporting.words.tables import LONGEST_TITLE, churn_line, stratum_in_words, title_of
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results.result import (
    NO_FINGERPRINT,
    GateVerdict,
    GroupRow,
    Result,
    Stratum,
    runtime_text,
)
from mt_gate.results.store import BASE, Run, result_text
from mt_gate.settings.policy import Tier

_LISTED = 20
"""Maximum newly violated, and fixed, groups of a relation that are listed."""
_LONGEST_ID = 60
_LOOKED_AT = 1_000
"""Number of cases from which an example is chosen."""
_MOST_WORST = 3
"""Maximum relations under the verdict, in addition to the pool."""
_WIDTHS = (80, 100)
"""Least and most columns of an example."""


def _compared_cells(entry: Counts) -> Sequence[str]:
    comparison, state = entry.comparison, texts.shown_state(entry)
    rates = figures.moved(*state.rates)
    if comparison is None:
        return (rates, figures.UNDEFINED, figures.UNDEFINED, "not compared")
    # "+3.6 pp (1.3 to 6.0)": the column heading names the interval.
    change = figures.change(comparison.delta, comparison.ci95).replace("95% CI ", "")
    return (rates, change, figures.p_value(state.p), state.words.lower())


def _measured_cells(entry: Counts | Stratum) -> Sequence[str]:
    counts = map(figures.count, (entry.applicable, entry.violated))
    return (*counts, figures.percent(entry.violation_rate))


def relations_table(result: Result, catalogue: Catalogue) -> Table:
    """Return one row per relation, and last a row for the pool."""
    compared = texts.is_compared(result)
    entries = texts.relation_entries(result, catalogue, LONGEST_TITLE)
    cells = _compared_cells if compared else _measured_cells
    rows = [(title, figures.count(groups), *cells(entry)) for title, groups, entry in entries]
    if not compared:
        measured = ("relation", "cases", "testable", "violated", "rate")
        return Table("wrrrr", measured, rows, foot=True)
    head = ("relation", "cases", "violations", "change (95% CI)", "p", "state")
    tones = [texts.LOOKS[texts.shown_state(entry).tone].colour for *_, entry in entries]
    return Table("wrrrrl", head, rows, foot=True, tones=tones)


def show(
    result: Result,
    catalogue: Catalogue,
    stream: TextIO | None = None,
    *,
    out: Path | None = None,
    example: Sequence[GroupRow] = (),
    verbose: bool = False,
) -> None:
    """Print verdict, worst relations, an example and the next step; ``verbose``: all details."""
    from rich.text import Text

    stream = stream or sys.stdout
    encode, where = console(stream)
    width = min(max(where.width, _WIDTHS[0]), _WIDTHS[1]) if where.is_terminal else _WIDTHS[1]
    word = texts.VERDICT_WORDS[result.verdict].upper()
    style = f"bold {texts.LOOKS[result.verdict].colour}"
    rest = f"{headline(result, catalogue)} (exit {result.exit_code})"
    where.print(Text.assemble((f"{word}: ", style), encode(rest)), soft_wrap=not where.is_terminal)
    lines = [subject(result), *facts(result, catalogue)]
    lines += [f"Warning: {note}" for note in provenance(result)]
    show_lines(lines, stream)
    worse = result.verdict in WORSE
    worst = worst_relations(result, catalogue, _MOST_WORST if worse else 0)
    shown = [*worst.relations, *worst.overall] if worse else []
    if verbose and result.relations:
        show_lines([""], stream)
        show_table(relations_table(result, catalogue), stream)
    elif shown:
        rows = [(title, *_compared_cells(entry)[:-1]) for title, entry in shown]
        show_table(Table("wrrr", ("relation", "violations", "change (95% CI)", "p"), rows), stream)
    if worst.others and not verbose:
        show_lines([f"{'Also' if shown else 'Relations'}: {worst.others} (--verbose)"], stream)
    if example and worse:
        show_lines(["", *example_lines(example[0], result, catalogue, width)], stream)
    elif shown:
        where.print()
    todo = advice(result, shlex.quote(str(out)) if out else "RUN")
    lines = []
    if out is not None:
        lines.append(f"Report: {out / 'report.html'}")
        if result.baseline and result.baseline.against:
            lines.append(f"Report of the base: {out / BASE / 'report.html'}")
    if todo.words and (not todo.command or result.verdict is GateVerdict.COLLAPSE):
        lines.append(f"Next: {todo.words}")
    if todo.command:
        regressed = result.verdict is GateVerdict.REGRESSION
        fix = f"Next: fix {what_to_fix(result)}, or accept"
        lines.append(f"{fix if regressed else todo.label}: {todo.command}")
    show_lines(lines, stream)
    if verbose and result.relations:
        _show_rest(result, catalogue, stream)


def _show_rest(result: Result, catalogue: Catalogue, stream: TextIO) -> None:
    show_lines([""], stream)
    rows: list[tuple[str, ...]] = []  # subtypes, each under its relation
    for relation in result.relations:
        if relation.strata:
            rows.append((title_of(catalogue, relation.id), *[""] * 4))
        for name, counts in [*relation.strata.items()][:20]:
            cells = (*_measured_cells(counts), figures.between(counts.ci95))
            rows.append((f"  {stratum_in_words(name)}", *cells))
    if rows:
        head = ("subtype", "cases", "violated", "rate", "95% CI")
        show_table(Table("wrrrr", head, rows), stream)
        show_lines([""], stream)
    changed = [churn_line(result.churn)] if result.churn else []
    reasons = texts.titled_reasons(result, catalogue, ids=True)
    show_lines([f"  - {line}" for line in (*reasons, *changed, *result.notes)], stream)


def show_run(run: Run, out: Path | None = None, style: Style = Style.BRIEF) -> int:
    """Print a run and return its exit code, even if printing fails."""
    result = run.result
    catalogue = texts.relation_texts(result)

    def show_it() -> None:
        if style is Style.JSON:
            show_lines(result_text(result).splitlines())
        elif style is Style.QUIET:
            word = texts.VERDICT_WORDS[result.verdict].upper()
            line = f"{word}: {headline(result, catalogue)} (exit {result.exit_code})"
            show_lines([line])
        else:
            example = examples(result, gather(result, lambda: run.rows, _LOOKED_AT), 1)
            verbose = style is Style.VERBOSE
            show(result, catalogue, out=out, example=example, verbose=verbose)

    warn_on_failure("the table", show_it, say)
    return result.exit_code


def show_baseline(path: Path, baseline: Baseline, stream: TextIO | None = None) -> None:
    """Print the content of a baseline, to standard output by default."""
    from mt_gate.baselines.recording import named  # loads NumPy

    stream = stream or sys.stdout
    suite, runs, anchor = baseline.suite, baseline.runs, baseline.anchor
    show_lines([f"{path}: baseline {baseline.name}, recorded {baseline.recorded}"], stream)
    of_anchor = f"{named(anchor)}, {figures.counted(len(anchor.runs), 'run')}" if anchor else ""
    tiers = {
        tier: [
            relation.id
            for relation in runs[0].relations
            if baseline.settings.policy.tier(relation.id) is tier
        ]
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
    show_lines([*(f"{label:<12}{text}" for label, text in labelled if text), ""], stream)
    rows: list[Sequence[str]] = []
    for relations in zip(*(run.relations for run in runs), strict=True):
        one, rates = relations[0], [relation.rate for relation in relations]
        known = [rate for rate in rates if rate is not None]
        mean = math.fsum(known) / len(known) if known else None
        cells = [*map(figures.percent, (*rates, mean))]
        if len(runs) == 1:
            cells = [figures.count(one.violated), figures.count(one.applicable), cells[0]]
        rows.append((shorten(one.id, _LONGEST_ID), *cells))
    head = ["violated", "testable", "rate"]
    if len(runs) > 1:
        head = [*(f"run {number}" for number in range(1, len(runs) + 1)), "mean"]
    show_table(Table("w" + "r" * len(head), ["relation", *head], rows), stream)


def show_diff(
    paths: Sequence[Path], a: Baseline, b: Baseline, stream: TextIO | None = None
) -> None:
    """Print the changes from baseline ``a`` to ``b``."""
    from mt_gate.baselines.recording import diff_baselines  # loads NumPy

    stream = stream or sys.stdout
    lines = [f"{letter}  {path}" for letter, path in zip("AB", paths, strict=True)]
    if a.suite != b.suite:
        lines.append("  - the suites differ, so only cases that are in both are compared")
    if max(len(a.runs), len(b.runs)) > 1:
        lines.append("  - only the first run of each baseline is compared")
    show_lines([*lines, ""], stream)
    diff = diff_baselines(a, b)
    head = ("relation", "before", "after", "newly violated", "fixed", "only A", "only B")
    rows = []
    for item in diff:
        counts = (len(item.newly_violated), len(item.fixed), *item.only)
        rates = map(figures.percent, item.rates)
        rows.append((shorten(item.id, _LONGEST_ID), *rates, *map(figures.count, counts)))
    show_table(Table("wrrrrrr", head, rows), stream)
    for item in diff:
        listed = [*_listed("+", item.newly_violated), *_listed("-", item.fixed)]
        if listed:
            show_lines(["", f"{item.id}: + newly violated, - fixed", *listed], stream)


def _listed(mark: str, groups: Collection[str]) -> Iterator[str]:
    yield from (f"  {mark} {group}" for group in sorted(groups)[:_LISTED])
    if len(groups) > _LISTED:
        yield f"  {mark} and {len(groups) - _LISTED} more"
