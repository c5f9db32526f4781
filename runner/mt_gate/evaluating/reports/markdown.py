"""An evaluation as GitHub Markdown, for a job summary."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.evaluating.records import Evaluation, RelationProtocols, Share
from mt_gate.evaluating.reports import protocols as evaluation_protocols
from mt_gate.evaluating.reports.texts import (
    ERROR_RATE,
    labels_text,
    measure_table,
    relation_rows,
    relation_title,
    sentence,
    share_text,
    unanswered_text,
)
from mt_gate.reporting.table import Table, markdown_table
from mt_gate.reporting.words.texts import VERDICT_WORDS, Catalogue

_LONGEST = 600
_MOST_LABELS = 60
_MOST_FALSE = 10


def render(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the evaluation as Markdown."""
    return "\n".join(_lines(evaluation, catalogue)) + "\n"


def _lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    yield f"## {VERDICT_WORDS[evaluation.verdict]}: accuracy of {_said(evaluation.checkpoint.name)}"
    yield ""
    yield _said(sentence(evaluation))
    yield ""
    facts = [f"Labels: {evaluation.labels.name}, {labels_text(evaluation)}"]
    if evaluation.labels.mapping:
        facts.append(f"Mapping: {evaluation.labels.mapping}")
    unanswered = unanswered_text(evaluation)
    if unanswered:
        facts.append(f"Not answered, so wrong: {unanswered}")
    for line in (*evaluation.reasons, *facts, *evaluation.notes):
        yield f"- {_said(line)}"
    yield ""
    yield markdown_table(_rates(evaluation, catalogue))
    yield ""
    if evaluation.relations:
        yield from _protocols(evaluation.relations)
    yield from _measures(evaluation)


def _protocols(relations: RelationProtocols) -> Iterator[str]:
    shown = evaluation_protocols
    head = ("protocol", "AUC", "micro F1, best point", "macro F1", "facts", "at that point")
    rows = [
        (
            shown.curve_name(curve),
            *map(shown.figure_text, (curve.auc, curve.micro_f1, curve.macro_f1)),
            shown.units_text(curve),
            shown.false_text(curve),
        )
        for curve in relations.curves
    ]
    yield markdown_table(Table("lrrrll", head, rows))
    yield ""
    yield f"_{shown.BASES[relations.basis]}._"
    yield ""
    for quality in relations.quality:
        yield (
            f"- Automatic labels {shown.quality_title(quality)}: pair accuracy "
            f"{shown.figure_text(quality.pair_accuracy)}, precision "
            f"{shown.figure_text(quality.precision)}, recall {shown.figure_text(quality.recall)}; "
            f"{shown.agreeing_text(quality)} agree"
        )
    yield ""
    yield from _false(relations)


def _false(relations: RelationProtocols) -> Iterator[str]:
    if not relations.false_facts:
        return
    yield (
        f"{figures.count(relations.false_total)} facts are predicted that no sentence supports "
        "(bag-level manual, ONE); those with the highest scores:"
    )
    yield ""
    shown = evaluation_protocols
    for fact in relations.false_facts[:_MOST_FALSE]:
        words = f"{shown.fact_text(fact)} ({shown.fact_words(fact)})"
        text = "".join(part.text for part in shown.parts(fact))
        yield f"- {_said(words)}: {_said(text)}"
    yield ""


def _rates(evaluation: Evaluation, catalogue: Catalogue) -> Table:
    head = ("", "rate", "95 % interval", "counts", "violations with a labelled source")
    rows = [(ERROR_RATE, *_figures(evaluation.error_rate), "", "")]
    for share in relation_rows(evaluation):
        title = shorten(f"Violated: {relation_title(share, catalogue)}", _LONGEST)
        of = f"{figures.count(share.labelled)} of {figures.count(share.violation.count)}"
        right = share_text(share.source_right) if share.labelled else figures.UNDEFINED
        rows.append((title, *_figures(share.violation), of, right))
    return Table("wrrrrr", (*head, "source right"), rows)


def _measures(evaluation: Evaluation) -> Iterator[str]:
    table = measure_table(evaluation)
    if table.rows:
        rows = [(shorten(str(label), _LONGEST), *cells) for label, *cells in table.rows]
        yield markdown_table(table._replace(rows=rows[:_MOST_LABELS]))
        if len(rows) > _MOST_LABELS:
            yield ""
            yield f"_{len(rows) - _MOST_LABELS} more labels are in evaluation.json._"
        yield ""


def _figures(share: Share) -> tuple[str, str, str]:
    counts = f"{figures.count(share.count)} of {figures.count(share.of)}"
    return figures.percent(share.rate), figures.between(share.ci95), counts


def _said(text: str) -> str:
    return markdown(shorten(text, _LONGEST))
