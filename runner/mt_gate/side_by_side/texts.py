"""The words of several runs side by side, alike in terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.judging.rates import Rate
from mt_gate.reporting.words.console import columns_of, padded
from mt_gate.reporting.words.texts import POOLED, Catalogue, text_of
from mt_gate.results.result import short_fingerprint
from mt_gate.side_by_side.records import Column, Row, SideBySide

NOT_RUN = "not run"
CAUTION = (
    "Each interval is of one checkpoint, for as many groups as its sources are worth. To test "
    "whether two checkpoints differ, compare them with --baseline, which pairs their groups."
)
_TITLE, _CELL = 34, 20
_LONGEST_TITLE = 60
_DIGITS = 12


def row_title(row: Row, catalogue: Catalogue) -> str:
    """Return how a row is headed."""
    return text_of(catalogue, row.id).title if row.id else POOLED


def column_text(column: Column) -> str:
    """Return "name (fingerprint)"."""
    fingerprint = short_fingerprint(column.checkpoint.fingerprint, _DIGITS)
    return f"{column.name} ({fingerprint})"


def rate_text(rate: Rate | None) -> str:
    """Return the rate of a cell."""
    if rate is None:
        return NOT_RUN
    return figures.percent(rate.rate)


def interval_text(rate: Rate | None) -> str:
    """Return the interval of a cell; empty where there is none."""
    return figures.between(rate.ci95) if rate is not None and rate.ci95 else ""


def counts_text(rate: Rate | None) -> str:
    """Return "3 of 40"; empty where the relation was not run."""
    return f"{figures.count(rate.violated)} of {figures.count(rate.applicable)}" if rate else ""


def lines(done: SideBySide, catalogue: Catalogue) -> Iterator[str]:
    """Yield the comparison for a terminal or a build log: a table, then what it is of."""
    for column in done.columns:
        yield f"{column.letter}  {column_text(column)}"
    yield ""
    letters = "".join(f"{column.letter:>{_CELL}}" for column in done.columns)
    titles = _titles([row_title(row, catalogue) for row in done.rows])
    width = max(_TITLE, *(columns_of(title) + 1 for title in titles))
    yield f"{'violation rate':{width}}{letters}"
    for row, title in zip(done.rows, titles, strict=True):
        yield padded(title, width) + _cells(map(rate_text, row.rates))
        intervals = _cells(map(interval_text, row.rates))
        if intervals.strip():
            yield f"{'  95 % interval':{width}}" + intervals
    yield ""
    for note in (CAUTION, *done.notes):
        yield f"  - {note}"


def _titles(titles: Sequence[str]) -> list[str]:
    """Return titles that fit, and longer ones where two would be one and the same."""
    for most in (_TITLE - 1, _LONGEST_TITLE):
        found = [shorten(title, most) for title in titles]
        if len({*found}) == len({*titles}):
            break
    return found


def _cells(cells: Iterator[str]) -> str:
    return "".join(f"{cell:>{_CELL}}" for cell in cells)
