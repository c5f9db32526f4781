"""The page of several runs side by side: a cluster of bars a relation, and the figures (RQ3)."""

from __future__ import annotations

from mt_gate import __version__
from mt_gate.base.redaction import shorten
from mt_gate.judging.rates import Rate
from mt_gate.reporting.plots import clusters
from mt_gate.reporting.words.texts import Catalogue
from mt_gate.reporting.writers.html import asset, environment
from mt_gate.side_by_side.records import SideBySide
from mt_gate.side_by_side.texts import (
    CAUTION,
    NOT_RUN,
    counts_text,
    interval_text,
    rate_text,
    row_title,
)

_LONGEST_TITLE = 100


def render(done: SideBySide, catalogue: Catalogue) -> str:
    """Return the page: one file that asks nobody for anything."""
    style, style_hash = asset("report.css")
    own_style, own_style_hash = asset("clusters.css")
    rows = [(shorten(row_title(row, catalogue), _LONGEST_TITLE), row) for row in done.rows]
    bars = [(title, [_value(rate) for rate in row.rates]) for title, row in rows]
    return (
        environment()
        .get_template("side_by_side.html.j2")
        .render(
            done=done,
            rows=rows,
            drawing=clusters.draw(bars, [column.name for column in done.columns]),
            colours=clusters.COLOURS,
            caution=CAUTION,
            rate_text=rate_text,
            interval_text=interval_text,
            counts_text=counts_text,
            version=__version__,
            style=style,
            style_hash=style_hash,
            own_style=own_style,
            own_style_hash=own_style_hash,
        )
    )


def _value(rate: Rate | None) -> clusters.RateValue:
    if rate is None:
        return clusters.RateValue(0, 0, None, None, NOT_RUN)
    return clusters.RateValue(rate.violated, rate.applicable, rate.rate, rate.ci95)
