"""The page of an evaluation: accuracy, error rate and violation rates, sources (RQ2)."""

from __future__ import annotations

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.evaluating.records import (
    BoundedFigure,
    Evaluation,
    Quality,
    RelationProtocols,
    Share,
)
from mt_gate.evaluating.reports import protocols as words
from mt_gate.evaluating.reports.curves import TICKS, plots
from mt_gate.evaluating.reports.texts import (
    ERROR_RATE,
    labels_text,
    measure_table,
    relation_rows,
    relation_title,
    sentence,
    unanswered_text,
)
from mt_gate.reporting.pages.page_templates import render_page
from mt_gate.reporting.plots import rate_strips
from mt_gate.reporting.table import Cell, Table
from mt_gate.reporting.words.texts import Catalogue

_LONGEST_TITLE = 100
_MOST_LABELS = 200


def render(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the page: one file that asks nobody for anything."""
    relations = [
        (shorten(relation_title(share, catalogue), _LONGEST_TITLE), share)
        for share in relation_rows(evaluation)
    ]
    rates = [(ERROR_RATE, evaluation.error_rate)]
    rates += [(f"Violated: {title}", share.violation) for title, share in relations]
    head = ("Relation", "Applicable", "Violated", "Violation rate, 95 % interval")
    sources = Table(
        "wrrrrrr",
        (*head, "Violations with a labelled source", "Source right", "Share, 95 % interval"),
        [
            (
                title,
                figures.count(share.violation.of),
                figures.count(share.violation.count),
                _rate(share.violation),
                (figures.count(share.labelled), figures.counted(share.sources, "source")),
                figures.count(share.source_right.count),
                _rate(share.source_right),
            )
            for title, share in relations
        ],
        foot=True,
    )
    measures = measure_table(evaluation)
    return render_page(
        "evaluation.html.j2",
        styles=("curves.css",),
        evaluation=evaluation,
        drawing=rate_strips(
            [(title, one.count, one.of, one.rate, one.ci95, None) for title, one in rates],
            "none applicable",
        ),
        sources=sources,
        measures=measures._replace(rows=measures.rows[:_MOST_LABELS]),
        more_labels=max(0, len(measures.rows) - _MOST_LABELS),
        sentence=sentence(evaluation),
        labels_text=labels_text(evaluation),
        unanswered=unanswered_text(evaluation),
        shown=_shown(evaluation.relations) if evaluation.relations else None,
    )


def _rate(share: Share) -> Cell:
    return figures.percent(share.rate), figures.between(share.ci95)


def _figure(figure: BoundedFigure) -> Cell:
    return figures.percent(figure.value), figures.between(figure.ci95) if figure.ci95 else ""


def _shown(relations: RelationProtocols) -> dict[str, object]:
    """Return what the template of the protocols needs."""
    rows = words.relation_rows(relations)
    names = [words.curve_name(curve) for curve in relations.curves]
    head = ("Protocol", "AUC", "Micro F1, best point", "Macro F1", "Score at that point", "Facts")
    by_protocol = []
    for name, curve in zip(names, relations.curves, strict=True):
        predicted, false = words.predicted(curve)
        reach, known = figures.count(curve.out_of_reach), curve.in_auto
        by_protocol.append(
            (
                name,
                *map(_figure, (curve.auc, curve.micro_f1, curve.macro_f1)),
                words.threshold_text(curve),
                (
                    figures.count(curve.facts),
                    f"{figures.count(curve.units)} {words.noun(curve)}",
                    f"{reach} out of reach" if curve.out_of_reach else "",
                ),
                figures.count(predicted),
                (
                    figures.count(false),
                    "" if known is None else f"{figures.count(known)} automatic",
                ),
            )
        )
    by_relation = [
        (row.relation, figures.count(row.facts), *map(figures.percent, row.f1))
        for row in rows[:_MOST_LABELS]
    ]
    return {
        "plots": plots(relations.curves),
        "ticks": TICKS,
        "basis": words.BASES[relations.basis],
        "by_protocol": Table("wrrrrrrr", (*head, "Predicted at that point", "False"), by_protocol),
        "by_relation": Table(
            "wr" + "r" * len(names), ("Relation", "Most facts", *names), by_relation
        ),
        "more_rows": max(0, len(rows) - _MOST_LABELS),
        "of_quality": _of_quality,
        "quality": words.quality_title,
        "agreeing": words.agreeing_text,
        "figure": words.figure_text,
        "fact": words.fact_text,
        "fact_words": words.fact_words,
        "parts": words.parts,
    }


def _of_quality(quality: Quality) -> Table:
    rows = [
        (
            counts.relation or "all relations",
            *map(figures.count, (counts.predicted, counts.facts, counts.right)),
            figures.percent(words.ratio(counts.right, counts.predicted)),
            figures.percent(words.ratio(counts.right, counts.facts)),
        )
        for counts in [quality.all, *quality.relations][:_MOST_LABELS]
    ]
    head = ("Relation", "Automatic", "Manual", "Both", "Precision", "Recall")
    return Table("wrrrrr", head, rows)
