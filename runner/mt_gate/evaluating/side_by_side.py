"""Evaluations of several systems side by side, also next to the violation rates of their runs.

Manual evaluation paper (Gao et al. 2021): Table 4, and Figures 3 to 5. Sun et al., Algorithms 2023:
Figure 3, violation rates next to 1 - F1.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import markdown, shorten
from mt_gate.base.files import write_whole
from mt_gate.evaluating.records import (
    EVALUATION,
    Curve,
    Evaluation,
    Protocol,
    Share,
    read_evaluation,
    rest,
)
from mt_gate.evaluating.reports import page
from mt_gate.evaluating.reports.texts import ERROR_RATE
from mt_gate.reporting.page_templates import render_page
from mt_gate.reporting.table import Cell, Table, markdown_table, show_lines, show_table
from mt_gate.results.result import CheckpointHead, short_fingerprint
from mt_gate.results.store import RESULT, check_writable, locked

F1_ERROR = "1 − F1, all labels"
_PROTOCOLS: tuple[Protocol, ...] = ("held-out", "bag-manual", "sentence-manual")
_FIGURES = ("auc", "micro_f1", "macro_f1")
_LONGEST = 200
Rates = Sequence[tuple[str, Sequence[float | None]]]
"""Violation rates with their titles, a rate per system."""


def read_evaluations(paths: Sequence[Path]) -> list[Evaluation]:
    """Return the evaluations next to results or in folders; empty if one is missing."""
    files = [(path if path.is_dir() else path.parent) / EVALUATION for path in paths]
    return [*map(read_evaluation, files)] if all(file.is_file() for file in files) else []


def mismatch(evaluations: Sequence[Evaluation], heads: Sequence[CheckpointHead] = ()) -> str:
    """Return why evaluations cannot be shown side by side; empty if they can.

    ``heads`` are the checkpoints of the runs in their folders, if there are runs.
    """
    for one, head in zip(evaluations, heads, strict=False):
        if one.checkpoint.fingerprint != head.fingerprint:
            return (
                f"The {EVALUATION} next to the run of {head.name} is of another checkpoint, "
                f"{one.checkpoint.name}. Run mt-gate evaluate on {head.name}."
            )
    kinds = {(one.task, one.labels.sha256, one.labels.mapping_sha256) for one in evaluations}
    names = ", ".join(dict.fromkeys(one.labels.name for one in evaluations))
    return (
        f"The evaluations use different labels or mappings ({shorten(names, _LONGEST)}). "
        "Evaluate all systems on the same labels."
        if len(kinds) > 1
        else ""
    )


def has_results(paths: Sequence[Path]) -> bool:
    """Return whether any folder has a run's result."""
    return any(path.is_file() or (path / RESULT).is_file() for path in paths)


def errors_table(evaluations: Sequence[Evaluation]) -> Table:
    """Return the error rate, and 1 - F1 of all labels if the task has it, by system."""
    rows = [
        (title, *(_share_cell(share) for share in shares)) for title, shares in _errors(evaluations)
    ]
    return Table("w" + "r" * len(evaluations), ("error", *_letters(evaluations)), rows)


def _errors(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, list[Share | None]]]:
    yield ERROR_RATE, [one.error_rate for one in evaluations]
    f1 = [
        next((rest(m.share) for m in one.measures if m.name == "F1" and not m.label), None)
        for one in evaluations
    ]
    if any(f1):
        yield F1_ERROR, [*f1]


def _share_cell(share: Share | None) -> Cell:
    if share is None or share.rate is None:
        return figures.UNDEFINED
    return figures.percent(share.rate), figures.between(share.ci95)


def protocol_table(evaluations: Sequence[Evaluation]) -> Table:
    """Return AUC, micro F1 and macro F1 in percent: a row per system and aggregator, as Table 4."""
    rows: list[Sequence[Cell]] = []
    for letter, one in zip(_letters(evaluations), evaluations, strict=True):
        curves = (
            {(c.protocol, c.aggregator): c for c in one.relations.curves} if one.relations else {}
        )
        for way in dict.fromkeys(way for _, way in curves if way):
            own = [curves.get((name, way)) or curves.get((name, "")) for name in _PROTOCOLS]
            cells = (_figure(curve, name) for curve in own for name in _FIGURES)
            rows.append((f"{letter}  {way}", *cells))
    short = ("AUC", "micro", "macro")
    heads = (f"{title} {name}" for title in ("held-out", "bag", "sentence") for name in short)
    return Table("w" + "r" * 9, ("system", *heads), rows)


def _figure(curve: Curve | None, name: str) -> str:
    value = getattr(curve, name).value if curve else None
    return "-" if value is None else f"{100 * value:.1f}"


def shown_values(evaluations: Sequence[Evaluation], rates: Rates = ()) -> dict[str, Any]:
    """Return the values for the template: tables, one plot per protocol, bars next to rates."""
    chosen = [
        (letter, curve)
        for letter, one in zip(_letters(evaluations), evaluations, strict=True)
        for curve in _drawn(one)
    ]
    chosen.sort(key=lambda pair: _PROTOCOLS.index(pair[1].protocol))
    names = [f"{letter} {curve.aggregator}".strip() for letter, curve in chosen]
    return {
        "labels": evaluations[0].labels.name,
        "errors": errors_table(evaluations),
        "protocols": protocol_table(evaluations),
        "plots": page.plots([curve for _, curve in chosen], names),
        "ticks": page.ticks(),
        "bars": [*_bars(evaluations, rates)] if rates else [],
    }


def _drawn(evaluation: Evaluation) -> list[Curve]:
    """Return one curve per protocol: ATT if the system has it, else ONE."""
    curves = evaluation.relations.curves if evaluation.relations else ()
    way = "ATT" if any(curve.aggregator == "ATT" for curve in curves) else "ONE"
    return [curve for curve in curves if curve.aggregator in (way, "")]


def _bars(evaluations: Sequence[Evaluation], rates: Rates) -> Iterator[dict[str, Any]]:
    *_, (title, shares) = _errors(evaluations)
    errors = [share.rate if share else None for share in shares]
    groups: Rates = [(title, errors), *rates]
    most = max((rate for _, own in groups for rate in own if rate), default=1.0)
    letters = _letters(evaluations)
    for title, own in groups:
        words = [*map(figures.percent, own)]
        described = (f"{letter} {text}" for letter, text in zip(letters, words, strict=True))
        yield {
            "title": shorten(title, _LONGEST),
            "description": ", ".join(described),
            "bars": [
                {
                    "letter": letter,
                    "kind": number % page.KINDS,
                    "width": figures.place(100 * (rate or 0) / most),
                    "words": text,
                }
                for number, (letter, rate, text) in enumerate(zip(letters, own, words, strict=True))
            ],
        }


def _letters(evaluations: Sequence[Evaluation]) -> str:
    return string.ascii_uppercase[: len(evaluations)]


def system_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """Return each system's letter, name and fingerprint."""
    pairs = zip(_letters(evaluations), evaluations, strict=True)
    return [
        f"{letter}  {one.checkpoint.name} ({short_fingerprint(one.checkpoint.fingerprint, 12)})"
        for letter, one in pairs
    ]


def markdown_text(evaluations: Sequence[Evaluation]) -> str:
    """Return the tables as GitHub Markdown."""
    tables = [errors_table(evaluations), protocol_table(evaluations)]
    head = f"## Errors on {markdown(shorten(evaluations[0].labels.name, _LONGEST))}"
    parts = [head, *filter(None, map(markdown_table, tables))]
    return "\n\n".join(parts) + "\n"


def write_evaluations(out: Path, evaluations: Sequence[Evaluation]) -> None:
    """Write ``comparison.html`` and ``comparison.md`` of systems without runs."""
    names = system_names(evaluations)
    shown = shown_values(evaluations)
    text = render_page("evaluations.html.j2", styles=("curves.css",), names=names, shown=shown)
    listed = "".join(f"- {markdown(shorten(name, _LONGEST))}\n" for name in names)
    check_writable(out)
    with locked(out):
        write_whole(out / "comparison.html", text)
        write_whole(out / "comparison.md", f"{listed}\n{markdown_text(evaluations)}")


def show_evaluations(evaluations: Sequence[Evaluation]) -> None:
    """Print the tables."""
    for table in (errors_table(evaluations), protocol_table(evaluations)):
        if table.rows:
            show_lines([""])
            rows = [
                [cell if isinstance(cell, str) else cell[0] for cell in row] for row in table.rows
            ]
            show_table(table._replace(rows=rows), sys.stdout)
