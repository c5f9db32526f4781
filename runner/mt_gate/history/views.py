"""Show stored runs as a page, as a table, and as lines for a terminal or a build log."""

from __future__ import annotations

import csv
import io
import re
import string
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from mt_gate.base import figures
from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import hide, markdown, one_line, shorten
from mt_gate.base.files import write_whole
from mt_gate.history.runs import SIDE, TIME, History, PastRate, PastRun, Rerecorded, SuiteHistory
from mt_gate.reporting.page_templates import HEIGHT, PanelValue, panel, places, render_page, steps
from mt_gate.reporting.table import Cell, Table, markdown_table, show_lines, show_table
from mt_gate.reporting.words.texts import BLOCKING, POOLED, Catalogue, text_of
from mt_gate.results.result import short_fingerprint
from mt_gate.results.store import check_writable, locked

ALL = "all"
"""Value of the column ``relation`` in the line for the overall rate."""
COLUMNS = (
    *("suite", "suite_version", "suite_sha256", "task", "part"),
    *("place", "created", "run", "checkpoint", "fingerprint", "verdict"),
    *("relation", "groups", "applicable", "violated"),
    *("violation_rate", "violation_rate_low", "violation_rate_high"),
    *("decision", "delta", "delta_low", "delta_high"),
    *("baseline", "baseline_recorded", "recorded_again", "reason"),
    *("anchor", "anchor_recorded", "anchor_delta", "anchor_delta_low", "anchor_delta_high"),
    "tier",
)
CAUTION = (
    "Each verdict compares a run with its own baseline. Each interval covers one run. Cases of one "
    "original text count as a cluster."
)
CAUTION_SIDE = (
    "Each interval covers one checkpoint. Cases of one original text count as a cluster. To "
    "test whether two checkpoints differ, compare them with --baseline, which pairs their "
    "cases."
)
_LONGEST_TITLE, _LONGEST_NAME, _LONGEST_CELL = 100, 200, 2_000
_DAY = 10
_UNKNOWN = (None, None)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(Z|\+00:00)")
_FORMULA = re.compile(r"[\W_]*[-=+@|%＝＋－＠﹢﹣﹦﹫−]")


# Words.


def rate_in_words(rate: PastRate | None) -> str:
    """Return the rate of a relation in a run, with its interval."""
    if rate is None:
        return "not run"
    interval = f" ({figures.between(rate.ci95)})" if rate.ci95 else ""
    return f"{figures.percent(rate.rate)}{interval}"


def _rate_cell(rate: PastRate | None) -> Cell:
    if rate is None:
        return "not run"
    counts = f"{figures.count(rate.violated)} of {figures.count(rate.applicable)}"
    return figures.percent(rate.rate), figures.between(rate.ci95) if rate.ci95 else "", counts


def reason_text(rerecorded: Rerecorded) -> str:
    """Return why a baseline was recorded."""
    if rerecorded.reason is None:
        return "unknown reason (pass the baseline with --baselines)"
    return rerecorded.reason or "no reason was needed"


def moment(text: str) -> str:
    """Return a stored time to the minute; other texts are returned unchanged."""
    match = _MOMENT.fullmatch(text)
    return f"{match[1]} {match[2]}" if match else text


def _distance(run: PastRun) -> str:
    figures_of = run.anchor.figures if run.anchor else None
    return figures.change(figures_of.delta, figures_of.ci95) if figures_of else ""


def _titles(of: SuiteHistory, catalogue: Catalogue) -> list[str]:
    return [shorten(text_of(catalogue, name).title, _LONGEST_TITLE) for name in of.relations]


def _named_runs(of: SuiteHistory) -> Iterator[tuple[str, str]]:
    names = Counter(run.checkpoint.name for run in of.runs)
    for letter, run in zip(string.ascii_uppercase, of.runs, strict=False):
        where = f" ({run.place})" if names[run.checkpoint.name] > 1 else ""
        fingerprint = short_fingerprint(run.checkpoint.fingerprint, 12)
        yield letter, f"{run.checkpoint.name}{where} ({fingerprint})"


def rates_table(of: SuiteHistory, along: str, catalogue: Catalogue) -> Table:
    """Return the rate of each relation, with one row per run, or one column if side by side."""
    titles = [*_titles(of, catalogue), POOLED]
    ids = [*of.relations, ""]
    if along != SIDE:
        rows = [
            (run.place, *(_rate_cell(run.rate_of(name)) for name in ids))
            for run in reversed(of.runs)
        ]
        return Table("w" + "r" * len(ids), ("Run", *titles), rows)
    by_relation = [
        (title, *(_rate_cell(run.rate_of(name)) for run in of.runs))
        for title, name in zip(titles, ids, strict=True)
    ]
    letters = [letter for letter, _ in _named_runs(of)]
    return Table("w" + "r" * len(letters), ("violation rate", *letters), by_relation, foot=True)


# The page.


def page(history: History, catalogue: Catalogue, evaluated: Mapping[str, Any] | None = None) -> str:
    """Return the page as one file that makes no request.

    ``evaluated`` are the values of evaluations that are shown below runs side by side.
    """
    drawn = [draw_suite(suite, history.along, catalogue) for suite in history.suites]
    return render_page(
        "history.html.j2",
        styles=("history.css", "curves.css") if evaluated else ("history.css",),
        evaluated=evaluated,
        history=history,
        side=history.along == SIDE,
        by_time=history.along == TIME,
        suites=drawn,
        runs=sum(len(suite.runs) for suite in history.suites),
        named=[[*_named_runs(suite)] for suite in history.suites],
        caution=CAUTION_SIDE if history.along == SIDE else CAUTION,
        blocking=BLOCKING,
        height=HEIGHT,
        pooled=POOLED,
        moment=moment,
        reason_text=reason_text,
    )


def draw_suite(of: SuiteHistory, along: str, catalogue: Catalogue) -> dict[str, Any]:
    """Return a suite's panels (overall, anchor, relations), and ``changes`` of baselines."""
    across = steps(len(of.runs))
    if along == TIME:
        across = places([datetime.fromisoformat(run.created) for run in of.runs])
    drawn = [_rates_panel(POOLED, "", of, across, joined=along != SIDE)]
    if along != SIDE and any(run.anchor for run in of.runs):
        drawn.append(_anchor_panel(of.runs, across))
    for title, name in zip(_titles(of, catalogue), of.relations, strict=True):
        drawn.append(_rates_panel(title, name, of, across, joined=along != SIDE))
    ends = of.runs[0], of.runs[-1]
    # Labels below the first and the last run.
    first, last = (run.place for run in ends)
    if along == SIDE:
        first, last = "A", string.ascii_uppercase[len(of.runs) - 1]
    elif along == TIME:
        first, last = (run.created[:_DAY] for run in ends)
        if first == last:
            first, last = (moment(run.created) for run in ends)
    # Mark a new baseline halfway before its run, so that the run's interval does not cover it.
    changes = [
        figures.place((across[max(at - 1, 0)] + across[at]) / 2)
        for at, run in enumerate(of.runs)
        if run.rerecorded
    ]
    return {
        "of": of,
        "panels": drawn,
        "rates": rates_table(of, along, catalogue),
        "changes": changes,
        "first": first,
        "last": last if len(of.runs) > 1 else "",
    }


def _rates_panel(
    title: str, name: str, of: SuiteHistory, across: Sequence[float], *, joined: bool
) -> dict[str, Any]:
    values, phrases = [], []
    for run in of.runs:
        rate = run.rate_of(name)
        phrases.append(rate_in_words(rate))
        if rate is None:
            values.append(PanelValue(None, None, "measured"))
        else:
            # The overall rate has the colour of the verdict; side by side has no colours.
            shown = (rate.tone if name else run.verdict) if joined else "measured"
            values.append(PanelValue(rate.rate, rate.ci95, shown, joined))
    last = phrases[-1].partition(" (")[0] if joined else ""
    drawn = panel(values, across, lambda value: f"{figures.tick(value)}%")
    words = _description(phrases, whole=not joined)
    return {"title": title, "last": last, "description": words, "panel": drawn}


def _anchor_panel(runs: Sequence[PastRun], across: Sequence[float]) -> dict[str, Any]:
    """Return the panel of differences from the anchor; lines join only runs with one anchor."""
    values, before = [], None
    for run in runs:
        anchor = run.anchor
        name = (anchor.name, anchor.recorded) if anchor else None
        figures_of = anchor.figures if anchor else None
        values.append(
            PanelValue(
                figures_of.delta if figures_of else None,
                figures_of.ci95 if figures_of else None,
                anchor.verdict if anchor else "measured",
                name == before,
            )
        )
        before = name
    margins = [run.margin for run in runs if run.anchor]
    phrases = [_distance(run) or "no anchor" for run in runs]
    return {
        "title": "Distance to the anchor",
        "last": phrases[-1].partition(" (")[0],
        "description": _description(phrases),
        "panel": panel(values, across, partial(figures.tick, signed=True), (0.0, margins[-1])),
    }


def _description(phrases: Sequence[str], *, whole: bool = False) -> str:
    """Return a description of a panel: the first and last run, or every run if ``whole``."""
    if whole:
        letters = zip(string.ascii_uppercase, phrases, strict=False)
        return "; ".join(f"{letter}: {text}" for letter, text in letters)
    if len(phrases) == 1:
        return f"one run: {phrases[0]}"
    return f"{figures.counted(len(phrases), 'run')}; first {phrases[0]}; last {phrases[-1]}"


# The table for spreadsheets. A cell that could be read as a formula gets a leading apostrophe,
# which spreadsheets themselves use to mark text.


def csv_table(history: History) -> str:
    """Return a CSV line for each relation of each run; unknown values are empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for suite_history in history.suites:
        for run in suite_history.runs:
            for rate in run.rates:
                writer.writerow(map(_csv_cell, _csv_cells(suite_history, run, rate)))
    return stream.getvalue()


def _csv_cells(
    suite_history: SuiteHistory, run: PastRun, rate: PastRate
) -> Iterator[str | float | None]:
    suite, baseline, anchor = suite_history.suite, run.baseline, run.anchor
    yield from (suite.name, suite.version, suite.sha256, suite.task, "; ".join(suite.part))
    yield from (run.place, run.created, run.id, run.checkpoint.name, run.checkpoint.fingerprint)
    yield run.verdict.value
    yield from (rate.id or ALL, rate.groups, rate.applicable, rate.violated)
    yield from (rate.rate, *(rate.ci95 or _UNKNOWN))
    yield from (rate.decision and rate.decision.value, rate.delta, *(rate.delta_ci95 or _UNKNOWN))
    yield from (baseline.against or baseline.name, baseline.recorded) if baseline else (None, None)
    yield from (int(bool(run.rerecorded)), run.rerecorded.reason if run.rerecorded else None)
    yield from (anchor.name, anchor.recorded) if anchor else (None, None)
    distance = anchor.figures if anchor and not rate.id else None  # only known overall
    yield from (distance.delta, *(distance.ci95 or _UNKNOWN)) if distance else (None, None, None)
    yield rate.tier and rate.tier.value


def _csv_cell(cell: str | float | None) -> str | float | None:
    if not isinstance(cell, str):
        return cell
    # Hide secrets first, because they could not be found once quotes are doubled.
    text = shorten(one_line(hide(cell)), _LONGEST_CELL)
    return f"'{text}" if _FORMULA.match(text) else text


# Files and lines.


def write_history(out: Path, history: History, catalogue: Catalogue) -> None:
    """Write a history: as a table if the file name ends in ``.csv``, otherwise as a page."""
    text = csv_table(history) if out.suffix.lower() == ".csv" else page(history, catalogue)
    try:
        write_whole(out, text)
    except OSError as error:
        raise UsageError(
            f"--out {out} cannot be written ({error.strerror}). Choose another file."
        ) from None


def history_lines(history: History) -> Iterator[str]:
    """Yield lines on a history for a terminal or a build log, a few for each suite."""
    for suite in history.suites:
        first, last = suite.runs[0], suite.runs[-1]
        yield (
            f"{suite.name}: {figures.counted(len(suite.runs), 'run')} of "
            f"{figures.counted(suite.checkpoints, 'checkpoint')}, {suite.span}"
        )
        yield f"  verdicts: {suite.verdicts}"
        yield f"  violation rate, all relations: {rate_in_words(last.overall)}"
        if last != first:
            yield f"  of the first run: {rate_in_words(first.overall)}"
        if last.anchor:
            of_what = ", relations that block" if last.overall.tier else ""
            yield f"  compared with the anchor{of_what}: {_distance(last)}"
        for run in suite.runs:
            if run.rerecorded:
                why = reason_text(run.rerecorded)
                yield f"  baseline recorded again before {run.place}: {why}"
    for note in history.notes:
        yield f"  - {note}"


def side_rates(history: History, catalogue: Catalogue) -> list[tuple[str, list[float | None]]]:
    """Return the overall rate and that of each relation with titles, by run side by side."""
    (of,) = history.suites
    titles = [POOLED, *_titles(of, catalogue)]
    return [
        (title, [rate and rate.rate for rate in (run.rate_of(name) for run in of.runs)])
        for title, name in zip(titles, ("", *of.relations), strict=True)
    ]


def write_side_by_side(
    out: Path,
    history: History,
    catalogue: Catalogue,
    evaluated: Mapping[str, Any] | None = None,
    more: str = "",
) -> None:
    """Write ``comparison.html`` and ``comparison.md`` into a folder; create it if missing.

    ``evaluated`` is added to the page, ``more`` to the Markdown.
    """
    check_writable(out)
    with locked(out):
        write_whole(out / "comparison.html", page(history, catalogue, evaluated))
        write_whole(out / "comparison.md", side_by_side_markdown(history, catalogue) + more)


def side_by_side_markdown(history: History, catalogue: Catalogue) -> str:
    """Return runs side by side as GitHub Markdown."""
    (compared,) = history.suites
    suite = markdown(shorten(f"{compared.suite.name} {compared.suite.version}", _LONGEST_NAME))
    table = rates_table(compared, SIDE, catalogue)
    lines = [f"## {len(compared.runs)} checkpoints on {suite}", ""]
    lines += [
        f"- **{letter}** {markdown(shorten(name, _LONGEST_NAME))}"
        for letter, name in _named_runs(compared)
    ]
    lines += ["", markdown_table(table), ""]
    notes = (CAUTION_SIDE, *history.notes)
    lines += [f"- {markdown(shorten(note, _LONGEST_NAME))}" for note in notes]
    return "\n".join(lines) + "\n"


def show_side_by_side(history: History, catalogue: Catalogue, stream: TextIO | None = None) -> None:
    """Print runs side by side: the names, a table, and notes."""
    stream = stream or sys.stdout
    (of,) = history.suites
    table = rates_table(of, SIDE, catalogue)
    show_lines([*(f"{letter}  {name}" for letter, name in _named_runs(of)), ""], stream)
    rows: list[Sequence[Cell]] = []
    for title, *cells in table.rows:
        rows.append((title, *(cell if isinstance(cell, str) else cell[0] for cell in cells)))
        intervals = ["" if isinstance(cell, str) else cell[1] for cell in cells]
        if any(intervals):
            rows.append(("  95% CI", *intervals))
    show_table(table._replace(rows=rows, foot=False), stream)
    notes = (CAUTION_SIDE, *history.notes)
    show_lines(["", *(f"  - {note}" for note in notes)], stream)
