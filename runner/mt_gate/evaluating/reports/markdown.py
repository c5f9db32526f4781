"""An evaluation as GitHub Markdown, for a job summary."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.base.escaping import markdown
from mt_gate.base.redaction import shorten
from mt_gate.evaluating.records import Evaluation, RelationProtocols, Share
from mt_gate.evaluating.reports import texts
from mt_gate.reporting.table import Table, markdown_table
from mt_gate.reporting.words.texts import VERDICT_WORDS, Catalogue

_LONGEST = 600
_MOST_LABELS = 60
_MOST_FALSE = 10


def render(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the evaluation as Markdown."""
    return "\n".join(_lines(evaluation, catalogue)) + "\n"


def _lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    name = _escaped(evaluation.checkpoint.name)
    yield f"## {VERDICT_WORDS[evaluation.verdict]}: accuracy of {name}"
    yield ""
    yield _escaped(texts.sentence(evaluation))
    yield ""
    facts = [f"Labels: {evaluation.labels.name}, {texts.labels_text(evaluation)}"]
    if evaluation.labels.mapping:
        facts.append(f"Mapping: {evaluation.labels.mapping}")
    unanswered = texts.unanswered_text(evaluation)
    if unanswered:
        facts.append(f"Not answered, so wrong: {unanswered}")
    for line in (*evaluation.reasons, *facts, *evaluation.notes):
        yield f"- {_escaped(line)}"
    yield ""
    yield markdown_table(_rates(evaluation, catalogue))
    yield ""
    if evaluation.relations:
        yield from _protocols(evaluation.relations)
    yield from _measures(evaluation)


def _protocols(relations: RelationProtocols) -> Iterator[str]:
    head = ("protocol", "AUC", "micro F1, best point", "macro F1", "facts", "at that point")
    rows = [
        (
            texts.curve_name(curve),
            *map(texts.figure_text, (curve.auc, curve.micro_f1, curve.macro_f1)),
            texts.units_text(curve),
            texts.false_text(curve),
        )
        for curve in relations.curves
    ]
    yield markdown_table(Table("lrrrll", head, rows))
    yield ""
    yield f"_{texts.BASES[relations.basis]}._"
    yield ""
    for quality in relations.quality:
        yield (
            f"- Automatic labels {texts.quality_title(quality)}: pair accuracy "
            f"{texts.figure_text(quality.pair_accuracy)}, precision "
            f"{texts.figure_text(quality.precision)}, recall {texts.figure_text(quality.recall)}; "
            f"{texts.agreeing_text(quality)} agree"
        )
    yield ""
    if not relations.false_facts:
        return
    yield (
        f"{figures.count(relations.false_total)} facts are predicted that no sentence supports "
        "(bag-level manual, ONE); those with the highest scores:"
    )
    yield ""
    for fact in relations.false_facts[:_MOST_FALSE]:
        words = f"{texts.fact_text(fact)} ({texts.fact_words(fact)})"
        text = "".join(part.text for part in texts.parts(fact))
        yield f"- {_escaped(words)}: {_escaped(text)}"
    yield ""


def _rates(evaluation: Evaluation, catalogue: Catalogue) -> Table:
    head = ("", "rate", "95 % interval", "counts", "violations with a labelled source")
    rows = [(texts.ERROR_RATE, *_figures(evaluation.error_rate), "", "")]
    for title, share in texts.relation_rows(evaluation, catalogue):
        of = f"{figures.count(share.labelled)} of {figures.count(share.violation.count)}"
        right = texts.share_text(share.source_right) if share.labelled else figures.UNDEFINED
        name = shorten(f"Violated: {title}", _LONGEST)
        rows.append((name, *_figures(share.violation), of, right))
    return Table("wrrrrr", (*head, "source right"), rows)


def _figures(share: Share) -> tuple[str, str, str]:
    return figures.percent(share.rate), figures.between(share.ci95), texts.counts_text(share)


def _measures(evaluation: Evaluation) -> Iterator[str]:
    table = texts.measure_table(evaluation)
    if table.rows:
        rows = [(shorten(str(label), _LONGEST), *cells) for label, *cells in table.rows]
        yield markdown_table(table._replace(rows=rows[:_MOST_LABELS]))
        if len(rows) > _MOST_LABELS:
            yield ""
            yield f"_{len(rows) - _MOST_LABELS} more labels are in evaluation.json._"
        yield ""


def _escaped(text: str) -> str:
    return markdown(shorten(text, _LONGEST))
