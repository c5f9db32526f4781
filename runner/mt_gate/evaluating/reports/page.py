"""The page of an evaluation: accuracy, error rate and violation rates, curves, sources (RQ2).

Positions of a curve are in units of the drawing's view box, which the page scales. Lines differ by
dashes and names, not only by colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.evaluating.records import Curve, Evaluation, RelationCounts, RelationProtocols
from mt_gate.evaluating.reports import texts
from mt_gate.reporting.page_templates import StripRate, rate_strips, render_page
from mt_gate.reporting.table import Table
from mt_gate.reporting.words.texts import Catalogue

_LONGEST_TITLE = 100
_MOST_LABELS = 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 350, 24, 232
KINDS = 6
"""Number of line styles in ``curves.css``."""
_MEANINGS = {
    "held-out": "bags by the automatic labels",
    "bag-manual": "bags by the manual labels",
    "sentence-manual": "each sentence separately, by the manual labels",
}


def render(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the page: one file that sends no request."""
    measures = texts.measure_table(evaluation)
    return render_page(
        "evaluation.html.j2",
        styles=("curves.css",),
        evaluation=evaluation,
        drawing=rate_strips(
            [
                StripRate(shorten(title, _LONGEST_TITLE), q.count, q.of, q.rate, q.ci95)
                for title, q in texts.shares(evaluation, catalogue)
            ],
            "no testable case",
        ),
        sources=texts.rate_table(evaluation, catalogue),
        measures=measures._replace(rows=measures.rows[:_MOST_LABELS]),
        more_labels=max(0, len(measures.rows) - _MOST_LABELS),
        sentence=texts.sentence(evaluation),
        labels_text=texts.labels_text(evaluation),
        unanswered=texts.unanswered_text(evaluation),
        shown=_shown(evaluation.relations) if evaluation.relations else None,
    )


def _shown(relations: RelationProtocols) -> dict[str, object]:
    """Return the values for the template of the protocols."""
    by_relation = _by_relation(relations.curves)
    return {
        "plots": plots(relations.curves),
        "ticks": ticks(),
        "texts": texts,
        "basis": texts.BASES[relations.basis],
        "by_protocol": texts.curve_table(relations.curves),
        "by_relation": by_relation._replace(rows=by_relation.rows[:_MOST_LABELS]),
        "more_rows": max(0, len(by_relation.rows) - _MOST_LABELS),
        "quality": texts.quality_table(relations.quality),
    }


def _by_relation(curves: Sequence[Curve]) -> Table:
    """Return F1 by relation, with a column for each curve; relations with most facts first."""
    by_label: dict[str, dict[int, RelationCounts]] = {}
    for at, curve in enumerate(curves):
        for counts in curve.relations:
            by_label.setdefault(counts.relation, {})[at] = counts
    most = {name: max(counts.facts for counts in by.values()) for name, by in by_label.items()}
    rows = [
        (
            name,
            figures.count(most[name]),
            *(figures.percent(_f1(by_label[name].get(at))) for at in range(len(curves))),
        )
        for name in sorted(by_label, key=lambda name: (-most[name], name))
    ]
    names = map(texts.curve_name, curves)
    return Table("wr" + "r" * len(curves), ("Relation", "Most facts", *names), rows)


def _f1(counts: RelationCounts | None) -> float | None:
    of = counts.facts + counts.predicted if counts else 0
    return 2 * counts.right / of if counts and of else None


def _place(recall: float, precision: float) -> tuple[float, float]:
    return (
        figures.place(_LEFT + recall * (_RIGHT - _LEFT), 1),
        figures.place(_BOTTOM - precision * (_BOTTOM - _TOP), 1),
    )


def ticks() -> list[tuple[float, float, str]]:
    """Return positions and labels of the ticks of both axes of a plot."""
    return [(*_place(at / 5, at / 5), figures.tick(at / 5)) for at in range(6)]


def plots(curves: Sequence[Curve], names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return one plot per protocol, in the order of the curves, with one line per curve.

    ``names`` are those of the lines; by default, the aggregators.
    """
    by_protocol: dict[str, list[dict[str, Any]]] = {}
    named = names or [curve.aggregator or "sentences" for curve in curves]
    for name, curve in zip(named, curves, strict=True):
        lines = by_protocol.setdefault(curve.protocol, [])
        points = (map(figures.setting, _place(*point)) for point in curve.points)
        predicted, false = texts.predicted(curve)
        best = None  # SVG position of the best F1
        if curve.threshold is not None and predicted and curve.facts:
            right = predicted - false
            best = _place(right / curve.facts, right / predicted)
        line = {
            "name": name,
            "kind": len(lines) % KINDS,
            "points": " ".join(map(",".join, points)),
            "best": best,
            "words": texts.curve_text(curve),
        }
        lines.append(line)
    return [
        {
            "title": texts.PROTOCOLS[protocol],
            "meaning": _MEANINGS[protocol],
            "lines": lines,
            "description": "; ".join(f"{line['name']}: {line['words']}" for line in lines),
        }
        for protocol, lines in by_protocol.items()
    ]
