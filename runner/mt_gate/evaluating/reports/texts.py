"""Texts and tables of an evaluation, shared by terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mt_gate.base import figures
from mt_gate.base.escaping import markdown, shorten
from mt_gate.evaluating.records import (
    BoundedFigure,
    Curve,
    Evaluation,
    FalseFact,
    Quality,
    RelationProtocols,
    Share,
)
from mt_gate.reporting.table import Cell, Table, markdown_table
from mt_gate.reporting.words.texts import POOLED, VERDICT_WORDS, Catalogue, text_of
from mt_gate.results.result import GateVerdict

ERROR_RATE = "Error rate (1 − accuracy)"
PROTOCOLS = {
    "held-out": "Held-out",
    "bag-manual": "Bag-level manual",
    "sentence-manual": "Sentence-level manual",
}
BASES = {
    "logits": "AVG averages the representations of a bag's sentences (the mean of their logits)",
    "answers": "AVG averages the probabilities of predictions, because there are no logits",
}
_ALL_LABELS = "all labels"
_LONGEST, _LONGEST_PART = 600, 400
_MOST_LABELS, _MOST_FALSE = 60, 10
"""Maximum numbers of table rows, and of false facts, in the Markdown."""
_SENTENCES = {
    GateVerdict.REGRESSION: "Less accurate than the baseline: {}.",
    GateVerdict.IMPROVED: "More accurate than the baseline: {}.",
    GateVerdict.PASS: "No fall of accuracy found: {}.",
    GateVerdict.MEASURED: "There is no baseline, so nothing was compared. {}.",
    GateVerdict.CANNOT_JUDGE: "Too few samples to compare with the baseline. {}.",
}


def sentence(evaluation: Evaluation) -> str:
    """Return one or two sentences on an evaluation."""
    accuracy = evaluation.accuracy
    right = f"{figures.percent(accuracy.rate)} of {figures.counted(accuracy.of, 'sample')} right"
    return _SENTENCES[evaluation.verdict].format(right)


def labels_text(evaluation: Evaluation) -> str:
    """Return the numbers of samples and of skipped lines in the labelled file."""
    labels = evaluation.labels
    left = ", ".join(f"{figures.count(n)} {reason}" for reason, n in labels.left_out.items())
    return figures.counted(labels.samples, "sample") + (f"; lines skipped: {left}" if left else "")


def unanswered_text(evaluation: Evaluation) -> str:
    """Return how many samples have no prediction, and why; empty if all have one."""
    return ", ".join(f"{figures.count(n)} {reason}" for reason, n in evaluation.unanswered.items())


# Tables.


def tables(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[Table]:
    """Yield the tables of an evaluation."""
    yield rate_table(evaluation, catalogue)
    if evaluation.relations:
        yield curve_table(evaluation.relations.curves)
        yield quality_table(evaluation.relations.quality)
    yield measure_table(evaluation)


def shares(evaluation: Evaluation, catalogue: Catalogue) -> list[tuple[str, Share]]:
    """Return the error rate and the run's violation rates with their titles, overall last."""
    run = evaluation.run
    return [(ERROR_RATE, evaluation.error_rate)] + [
        (f"Violated: {text_of(catalogue, share.id).title if share.id else POOLED}", share.violation)
        for share in ([*run.relations, run.overall] if run else [])
    ]


def rate_table(evaluation: Evaluation, catalogue: Catalogue) -> Table:
    """Return the error rate and the violation rates of the run, overall last."""
    run = evaluation.run
    sources: list[tuple[Cell, Cell]] = [("", "")]
    for share in [*run.relations, run.overall] if run else []:
        labelled = f"{figures.count(share.labelled)} of {figures.count(share.violation.count)}"
        of_labelled = (labelled, figures.counted(share.sources, "original"))
        sources.append((of_labelled, _share_cell(share.source_right)))
    head = (
        "Measure",
        "Rate (95% CI)",
        "Violations with a labelled original",
        "Original right (95% CI)",
    )
    rows = [
        (shorten(title, _LONGEST), _share_cell(share), *of_sources)
        for (title, share), of_sources in zip(shares(evaluation, catalogue), sources, strict=True)
    ]
    return Table("wrrr", head, rows)


def measure_table(evaluation: Evaluation) -> Table:
    """Return the figures by label, with a column for each measure."""
    names = [*dict.fromkeys(measure.name for measure in evaluation.measures)]
    by_measure: dict[str, dict[str, Share]] = {}
    for measure in evaluation.measures:
        by_measure.setdefault(measure.label, {})[measure.name] = measure.share
    rows = [
        (
            shorten(label, _LONGEST) or _ALL_LABELS,
            *(_share_cell(of_label.get(name)) for name in names),
        )
        for label, of_label in by_measure.items()
    ]
    head = ("Label", *(f"{name[:1].upper()}{name[1:]}" for name in names))
    return Table("w" + "r" * len(names), head, rows)


def curve_table(curves: Iterable[Curve]) -> Table:
    """Return the figures of each protocol and aggregator."""
    head = ("Protocol", "AUC", "Micro F1, best point", "Macro F1", "Score at that point", "Facts")
    rows = []
    for curve in curves:
        number, false = predicted(curve)
        reach = f"{figures.count(curve.out_of_reach)} out of reach" if curve.out_of_reach else ""
        known = "" if curve.in_auto is None else f"{figures.count(curve.in_auto)} automatic"
        rows.append(
            (
                curve_name(curve),
                *map(_figure_cell, (curve.auc, curve.micro_f1, curve.macro_f1)),
                figures.significant(curve.threshold, 3),
                (figures.count(curve.facts), _units(curve), reach),
                figures.count(number),
                (figures.count(false), known),
            )
        )
    return Table("lrrrrrrr", (*head, "Predicted at that point", "False"), rows)


def quality_table(qualities: Iterable[Quality]) -> Table:
    """Return the quality of the automatic labels compared with the manual labels."""
    head = ("Automatic labels", "Bags that agree", "Pair accuracy", "Precision", "Recall")
    rows = [
        (
            quality_title(quality),
            f"{figures.count(quality.agreeing)} of {figures.count(quality.bags)}",
            *map(_figure_cell, (quality.pair_accuracy, quality.precision, quality.recall)),
        )
        for quality in qualities
    ]
    return Table("lrrrr", head, rows)


def _share_cell(share: Share | None) -> Cell:
    if share is None or share.rate is None:
        return figures.UNDEFINED
    counts = f"{figures.count(share.count)} of {figures.count(share.of)}"
    return figures.percent(share.rate), figures.between(share.ci95), counts


def _figure_cell(figure: BoundedFigure) -> Cell:
    return figures.percent(figure.value), figures.between(figure.ci95) if figure.ci95 else ""


# The terminal.


def lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    """Yield lines for a terminal or a build log, one for each row of the tables."""
    yield f"{evaluation.checkpoint.name} on {evaluation.labels.name}: {labels_text(evaluation)}"
    yield f"Accuracy: {_text(_share_cell(evaluation.accuracy))}"
    for table in tables(evaluation, catalogue):
        for title, *cells in table.rows:
            named = zip(table.head[1:], map(_text, cells), strict=True)
            yield f"{title}: {', '.join(f'{name} {text}' for name, text in named if text)}"
    unanswered = unanswered_text(evaluation)
    if unanswered:
        yield f"No prediction, counted as wrong: {unanswered}"
    yield f"{VERDICT_WORDS[evaluation.verdict]}. {sentence(evaluation)}"
    for line in (*evaluation.reasons, *evaluation.notes):
        yield f"  - {line}"


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    first, *more = filter(None, cell)
    return f"{first} ({'; '.join(more)})" if more else first


# Markdown, for a job summary.


def summary(evaluation: Evaluation, catalogue: Catalogue) -> str:
    """Return the evaluation as GitHub Markdown."""
    name = _escaped(evaluation.checkpoint.name)
    title = f"## {VERDICT_WORDS[evaluation.verdict]}: accuracy of {name}"
    facts = [f"Labels: {evaluation.labels.name}, {labels_text(evaluation)}"]
    if evaluation.labels.mapping:
        facts.append(f"Mapping: {evaluation.labels.mapping}")
    unanswered = unanswered_text(evaluation)
    if unanswered:
        facts.append(f"No prediction, counted as wrong: {unanswered}")
    listed = [f"- {_escaped(line)}" for line in (*evaluation.reasons, *facts, *evaluation.notes)]
    lines = [title, "", _escaped(sentence(evaluation)), "", *listed, ""]
    for table in tables(evaluation, catalogue):
        if table.rows:
            lines += [markdown_table(table._replace(rows=table.rows[:_MOST_LABELS])), ""]
        if len(table.rows) > _MOST_LABELS:
            lines += [f"_{len(table.rows) - _MOST_LABELS} more rows are in evaluation.json._", ""]
    if evaluation.relations:
        lines += [f"_{BASES[evaluation.relations.basis]}._", "", *_false(evaluation.relations)]
    return "\n".join(lines) + "\n"


def _false(relations: RelationProtocols) -> Iterator[str]:
    if not relations.false_facts:
        return
    yield (
        f"The system predicts {figures.counted(relations.false_total, 'fact')} that no sentence "
        "supports (bag-level manual, ONE), with the highest scores first:"
    )
    yield ""
    for fact in relations.false_facts[:_MOST_FALSE]:
        text = "".join(text for text, _ in parts(fact))
        yield f"- {_escaped(f'{fact_text(fact)} ({fact_words(fact)})')}: {_escaped(text)}"
    yield ""


def _escaped(text: str) -> str:
    return markdown(shorten(text, _LONGEST))


# The protocols of relation extraction.


def curve_name(curve: Curve) -> str:
    """Return "Bag-level manual, ONE"."""
    return f"{PROTOCOLS[curve.protocol]}{', ' if curve.aggregator else ''}{curve.aggregator}"


def _units(curve: Curve) -> str:
    unit = "sentence" if curve.protocol == "sentence-manual" else "bag"
    return f"in {figures.counted(curve.units, unit)}"


def predicted(curve: Curve) -> tuple[int, int]:
    """Return how many facts are predicted at the threshold, and how many of them are false."""
    number = sum(counts.predicted for counts in curve.relations)
    return number, number - sum(counts.right for counts in curve.relations)


def curve_text(curve: Curve) -> str:
    """Return the figures for a curve's legend: AUC, micro F1, and the precision of the first N."""
    first = (f"P@{n} {figures.percent(share)}" for n, share in curve.precision_at.items())
    micro_f1 = figures.percent(curve.micro_f1.value)
    auc = _text(_figure_cell(curve.auc))
    return ", ".join((f"AUC {auc}", f"best micro F1 {micro_f1}", *first))


def quality_title(quality: Quality) -> str:
    """Return which labels are compared."""
    return "as scored" if quality.mapped else "as in the file"


def parts(fact: FalseFact) -> list[tuple[str, str]]:
    """Return a false fact's sentence as shortened (text, ``head`` or ``tail`` or "") parts."""
    blocks, at = [], 0
    for start, end, argument in sorted([(*fact.head, "head"), (*fact.tail, "tail")]):
        blocks += [(fact.text[at:start], ""), (fact.text[start:end], argument)]
        at = end
    blocks.append((fact.text[at:], ""))
    return [(shorten(text, _LONGEST_PART), name) for text, name in blocks if text]


def fact_text(fact: FalseFact) -> str:
    """Return a false fact as head, relation, tail."""
    head, tail = (fact.text[start:end] for start, end in (fact.head, fact.tail))
    return f"{shorten(head, 60)} · {fact.relation} · {shorten(tail, 60)}"


def fact_words(fact: FalseFact) -> str:
    """Return the score of a false fact, its number of sentences, and whether it is automatic."""
    also = ", also in the automatic labels" if fact.in_auto else ""
    score = figures.significant(fact.score, 3)
    return f"score {score}, {figures.counted(fact.sentences, 'sentence')}{also}"
