"""The page of an evaluation: accuracy, the error rate beside violation rates, sources (RQ2)."""

from __future__ import annotations

from mt_gate.base.redaction import shorten
from mt_gate.evaluating.records import Evaluation, RelationProtocols, Share
from mt_gate.evaluating.reports import protocols as evaluation_protocols
from mt_gate.evaluating.reports.curves import TICKS, plots
from mt_gate.evaluating.reports.texts import (
    ERROR_RATE,
    labels_text,
    measure_names,
    measure_rows,
    relation_rows,
    relation_title,
    sentence,
    share_text,
    unanswered_text,
)
from mt_gate.reporting.plots import clusters
from mt_gate.reporting.words.texts import DECISION_WORDS, SYMBOLS, VERDICT_WORDS, Catalogue
from mt_gate.reporting.writers.html import asset, environment
from mt_gate.results.result import NO_FINGERPRINT

_LONGEST_TITLE = 100
_MOST_LABELS = 200


def render(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the page: one file that asks nobody for anything."""
    style, style_hash = asset("report.css")
    own_style, own_style_hash = asset("clusters.css")
    curves_style, curves_style_hash = asset("curves.css")
    relations = [
        (shorten(relation_title(share, catalogue), _LONGEST_TITLE), share)
        for share in relation_rows(evaluation)
    ]
    bars = [(ERROR_RATE, [_value(evaluation.error_rate)])]
    bars += [(f"Violated: {title}", [_value(share.violation)]) for title, share in relations]
    rows = measure_rows(evaluation)
    page = environment().get_template("evaluation.html.j2")
    return page.render(
        evaluation=evaluation,
        relations=relations,
        drawing=clusters.draw(bars, [evaluation.checkpoint.name], lettered=False),
        measure_names=measure_names(evaluation),
        measure_rows=rows[:_MOST_LABELS],
        more_labels=max(0, len(rows) - _MOST_LABELS),
        sentence=sentence(evaluation),
        labels_text=labels_text(evaluation),
        unanswered=unanswered_text(evaluation),
        share_text=share_text,
        error_rate=ERROR_RATE,
        style=style,
        style_hash=style_hash,
        own_style=own_style,
        own_style_hash=own_style_hash,
        curves_style=curves_style,
        curves_style_hash=curves_style_hash,
        shown=_shown(evaluation.relations) if evaluation.relations else None,
        no_fingerprint=NO_FINGERPRINT,
        verdict_words=VERDICT_WORDS,
        decision_words=DECISION_WORDS,
        symbols=SYMBOLS,
    )


def _shown(relations: RelationProtocols) -> dict[str, object]:
    """Return what the template of the protocols needs beside the figures themselves."""
    rows = evaluation_protocols.relation_rows(relations)
    return {
        "plots": plots(relations.curves),
        "ticks": TICKS,
        "basis": evaluation_protocols.BASES[relations.basis],
        "rows": rows[:_MOST_LABELS],
        "more_rows": max(0, len(rows) - _MOST_LABELS),
        "most_rows": _MOST_LABELS,
        "name": evaluation_protocols.curve_name,
        "threshold": evaluation_protocols.threshold_text,
        "noun": evaluation_protocols.noun,
        "predicted": evaluation_protocols.predicted,
        "quality": evaluation_protocols.quality_title,
        "agreeing": evaluation_protocols.agreeing_text,
        "figure": evaluation_protocols.figure_text,
        "fact": evaluation_protocols.fact_text,
        "fact_words": evaluation_protocols.fact_words,
        "parts": evaluation_protocols.parts,
        "ratio": evaluation_protocols.ratio,
    }


def _value(share: Share) -> clusters.RateValue:
    return clusters.RateValue(share.count, share.of, share.rate, share.ci95)
