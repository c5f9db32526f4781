"""A history as CSV: a line for each relation of each run, and one for all of them together.

A cell that a spreadsheet could take for a formula begins with an apostrophe, which is what
spreadsheets themselves write to say that a cell is text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from mt_gate.base.escaping import one_line
from mt_gate.base.redaction import hide, shorten
from mt_gate.history.records import History, PastRate, PastRun, SuiteHistory
from mt_gate.judging.rates import Interval

ALL = "all"
"""The relation that a line of all relations together names."""
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
_LONGEST = 2_000
_FORMULA = re.compile(r"[\W_]*[-=+@|%＝＋－＠﹢﹣﹦﹫−]")

Cell = str | int | float | None


def render(history: History) -> str:
    """Return the table; numbers stand bare, what is not known is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for of in history.suites:
        for run in of.runs:
            for rate in run.rates:
                writer.writerow(map(_written, _cells(of, run, rate)))
    return stream.getvalue()


def _cells(of: SuiteHistory, run: PastRun, rate: PastRate) -> Iterator[Cell]:
    suite, baseline, anchor = of.suite, run.baseline, run.anchor
    yield from (suite.name, suite.version, suite.sha256, suite.task, "; ".join(suite.part))
    yield from (run.place, run.created, run.id, run.checkpoint.name, run.checkpoint.fingerprint)
    yield run.verdict.value
    yield from (rate.id or ALL, rate.groups, rate.applicable, rate.violated)
    yield from (rate.rate, *_ends(rate.ci95))
    yield from (rate.decision and rate.decision.value, rate.delta, *_ends(rate.delta_ci95))
    yield from (baseline.against or baseline.name, baseline.recorded) if baseline else (None, None)
    yield from (int(bool(run.rerecorded)), run.rerecorded.reason if run.rerecorded else None)
    yield from (anchor.name, anchor.recorded) if anchor else (None, None)
    distance = anchor.figures if anchor and not rate.id else None  # it is of all together
    yield from (distance.delta, *_ends(distance.ci95)) if distance else (None, None, None)
    yield rate.tier and rate.tier.value


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return interval or (None, None)


def _written(cell: Cell) -> Cell:
    """Return a cell of a spreadsheet: text as one bounded line that is no formula."""
    if not isinstance(cell, str):
        return cell
    # Hidden first: with quotes doubled a secret is not found any more.
    text = shorten(one_line(hide(cell)), _LONGEST)
    return f"'{text}" if _FORMULA.match(text) else text
