"""Several runs side by side as GitHub Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.judging.rates import Rate
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.side_by_side.records import SideBySide
from mt_gate.side_by_side.texts import (
    CAUTION,
    column_text,
    counts_text,
    interval_text,
    rate_text,
    row_title,
)

_LONGEST = 200


def render(done: SideBySide, catalogue: Catalogue) -> str:
    """Return the comparison as Markdown."""
    return "\n".join(_lines(done, catalogue)) + "\n"


def _lines(done: SideBySide, catalogue: Catalogue) -> Iterator[str]:
    suite = done.suite
    yield f"## {len(done.columns)} checkpoints on {_said(f'{suite.name} {suite.version}')}"
    yield ""
    for column in done.columns:
        yield f"- **{column.letter}** {_said(column_text(column))}"
    yield ""
    yield f"| violation rate | {' | '.join(column.letter for column in done.columns)} |"
    yield f"| --- |{' ---: |' * len(done.columns)}"
    for row in done.rows:
        cells = " | ".join(map(_cell, row.rates))
        yield f"| {_said(row_title(row, catalogue))} | {cells} |"
    yield ""
    for note in (CAUTION, *done.notes):
        yield f"- {_said(note)}"


def _cell(rate: Rate | None) -> str:
    parts = (f"**{rate_text(rate)}**", interval_text(rate), counts_text(rate))
    return "<br>".join(part for part in parts if part)


def _said(text: str) -> str:
    return markdown(shorten(text, _LONGEST))
