"""The page of a history: small multiples of rates over time or commits, and their figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from mt_gate import __version__
from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.history import words
from mt_gate.history.records import History, PastRate, PastRun, SuiteHistory
from mt_gate.reporting.pages.page_templates import asset, environment
from mt_gate.reporting.plots import panels
from mt_gate.reporting.words.texts import (
    BLOCKING,
    POOLED,
    SYMBOLS,
    VERDICT_WORDS,
    Catalogue,
    text_of,
)

_LONGEST_TITLE = 100
_ANCHOR = "Distance to the anchor"
_UNCOMPARED = "measured"


class DrawnPanel(NamedTuple):
    """A panel with its words: for those who see it, and for those who cannot."""

    title: str
    last: str
    description: str
    panel: panels.Panel


class DrawnSuite(NamedTuple):
    """The section of a suite; ``changes`` are the places of baselines recorded again."""

    of: SuiteHistory
    titles: tuple[str, ...]
    panels: tuple[DrawnPanel, ...]
    changes: tuple[float, ...]
    first: str
    last: str


def render(history: History, catalogue: Catalogue) -> str:
    """Return the page: one file that asks nobody for anything."""
    style, style_hash = asset("report.css")
    own_style, own_style_hash = asset("history.css")
    return (
        environment()
        .get_template("history.html.j2")
        .render(
            history=history,
            suites=[drawn_suite(of, history.by_time, catalogue) for of in history.suites],
            runs=sum(len(of.runs) for of in history.suites),
            words=words,
            blocking=BLOCKING,
            height=panels.HEIGHT,
            pooled=POOLED,
            verdict_words=VERDICT_WORDS,
            symbols=SYMBOLS,
            version=__version__,
            style=style,
            style_hash=style_hash,
            own_style=own_style,
            own_style_hash=own_style_hash,
        )
    )


def drawn_suite(of: SuiteHistory, by_time: bool, catalogue: Catalogue) -> DrawnSuite:
    """Return a suite's panels: all relations together, the anchor if any, and each relation.

    Args:
        of: the suite's runs; by time their ``created`` are in ISO 8601, and in order.
        by_time: whether runs stand by the clock, else one step each.
        catalogue: titles of the relations.
    """
    across = _across(of.runs, by_time)
    titles = tuple(shorten(text_of(catalogue, name).title, _LONGEST_TITLE) for name in of.relations)
    drawn = [_rates(POOLED, [run.overall for run in of.runs], of.runs, across)]
    if any(run.anchor for run in of.runs):
        drawn.append(_anchor(of.runs, across))
    for title, name in zip(titles, of.relations, strict=True):
        drawn.append(_rates(title, [run.rate_of(name) for run in of.runs], of.runs, across))
    first, last = _ends(of.runs, by_time)
    return DrawnSuite(
        of,
        titles,
        tuple(drawn),
        tuple(_between(across, at) for at, run in enumerate(of.runs) if run.rerecorded),
        first,
        last if len(of.runs) > 1 else "",
    )


def _ends(runs: Sequence[PastRun], by_time: bool) -> tuple[str, str]:
    """Return what stands below the first and the last run."""
    if not by_time:
        return runs[0].place, runs[-1].place
    days, moments = (
        [write(run.created) for run in (runs[0], runs[-1])] for write in (words.day, words.moment)
    )
    return (days[0], days[1]) if days[0] != days[1] else (moments[0], moments[1])


def _between(across: Sequence[float], at: int) -> float:
    """Return the place before a run, where its own interval hides nothing."""
    return figures.place((across[max(at - 1, 0)] + across[at]) / 2)


def _across(runs: Sequence[PastRun], by_time: bool) -> tuple[float, ...]:
    if not by_time:
        return panels.steps(len(runs))
    return panels.places([datetime.fromisoformat(run.created) for run in runs])


def _rates(
    title: str,
    rates: Sequence[PastRate | None],
    runs: Sequence[PastRun],
    across: Sequence[float],
) -> DrawnPanel:
    values = [
        panels.PanelValue(
            rate.rate if rate else None, rate.ci95 if rate else None, _tone(rate, run)
        )
        for rate, run in zip(rates, runs, strict=True)
    ]
    return DrawnPanel(
        title,
        words.rate_text(rates[-1]),
        _description([words.rate_in_words(rate) for rate in rates]),
        panels.panel(values, across, lambda value: f"{figures.tick(value)} %"),
    )


def _tone(rate: PastRate | None, run: PastRun) -> str:
    """Return the class of a mark: of all relations together that of the run's verdict."""
    if rate is None:
        return _UNCOMPARED
    return rate.tone if rate.id else run.verdict


def _anchor(runs: Sequence[PastRun], across: Sequence[float]) -> DrawnPanel:
    """Return the panel of differences; a line joins only those from one anchor."""
    values, before = [], None
    for run in runs:
        anchor = run.anchor
        name = (anchor.name, anchor.recorded) if anchor else None
        values.append(
            panels.PanelValue(
                anchor.figures.delta if anchor else None,
                anchor.figures.ci95 if anchor else None,
                anchor.verdict if anchor else _UNCOMPARED,
                name == before,
            )
        )
        before = name
    margins = [run.margin for run in runs if run.anchor]
    told = [words.distance(run.anchor) or "no anchor" for run in runs]
    return DrawnPanel(
        _ANCHOR,
        told[-1].partition(" [")[0],
        _description(told),
        panels.panel(values, across, figures.signed_tick, (0.0, margins[-1])),
    )


def _description(told: Sequence[str]) -> str:
    """Return what a panel shows, in words; the table has every run."""
    if len(told) == 1:
        return f"one run: {told[0]}"
    return f"{figures.counted(len(told), 'run')}; first {told[0]}; last {told[-1]}"
