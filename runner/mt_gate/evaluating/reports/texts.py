"""Texts of an evaluation, shared by terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.base.escaping import markdown, shorten
from mt_gate.evaluating.records import (
    BoundedFigure,
    Curve,
    Evaluation,
    FalseFact,
    Quality,
    RelationProtocols,
    RelationShare,
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
    "logits": "AVG is the mean of representations, by the mean of the logits",
    "answers": "AVG is the mean of the answers' probabilities: the system gives no logits",
}
_ALL_LABELS = "all labels"
_LONGEST, _LONGEST_PART = 600, 400
_MOST_LABELS, _MOST_FALSE = 60, 10
"""Labels and false facts that the Markdown shows."""
_SENTENCES = {
    GateVerdict.REGRESSION: "Less accurate than the baseline: {}.",
    GateVerdict.IMPROVED: "More accurate than the baseline: {}.",
    GateVerdict.PASS: "No fall of accuracy found: {}.",
    GateVerdict.MEASURED: "There is no baseline, so nothing was judged. {}.",
    GateVerdict.CANNOT_JUDGE: "Too few samples to compare with the baseline. {}.",
}


def sentence(evaluation: Evaluation) -> str:
    """Return an evaluation in one or two sentences."""
    accuracy = evaluation.accuracy
    right = f"{figures.percent(accuracy.rate)} of {figures.counted(accuracy.of, 'sample')} right"
    return _SENTENCES[evaluation.verdict].format(right)


def _counts_text(share: Share) -> str:
    return f"{figures.count(share.count)} of {figures.count(share.of)}"


def _share_text(share: Share) -> str:
    return _counts_text(share) + (f" ({_rate_text(share)})" if share.rate is not None else "")


def _rate_text(share: Share) -> str:
    if share.rate is None:
        return figures.UNDEFINED
    return f"{figures.percent(share.rate)}, 95% CI {figures.between(share.ci95)}"


def relation_rows(evaluation: Evaluation, catalogue: Catalogue) -> list[tuple[str, RelationShare]]:
    """Return the relations of the run with their titles, overall last; none without a run."""
    run = evaluation.run
    return [
        (text_of(catalogue, share.id).title if share.id else POOLED, share)
        for share in ([*run.relations, run.overall] if run else [])
    ]


def measure_table(evaluation: Evaluation) -> Table:
    """Return the figures by label, a column each."""
    names = [*dict.fromkeys(measure.name for measure in evaluation.measures)]
    by_measure: dict[str, dict[str, Share]] = {}
    for measure in evaluation.measures:
        by_measure.setdefault(measure.label, {})[measure.name] = measure.share
    rows = [
        (label or _ALL_LABELS, *(_measure_cell(shares.get(name)) for name in names))
        for label, shares in by_measure.items()
    ]
    head = ("Label", *(f"{name[:1].upper()}{name[1:]}" for name in names))
    return Table("w" + "r" * len(names), head, rows)


def _measure_cell(share: Share | None) -> Cell:
    if share is None or share.rate is None:
        return figures.UNDEFINED
    return figures.percent(share.rate), figures.between(share.ci95), _counts_text(share)


def labels_text(evaluation: Evaluation) -> str:
    """Return what was read of the labelled file."""
    labels = evaluation.labels
    left = ", ".join(f"{figures.count(n)} {reason}" for reason, n in labels.left_out.items())
    return figures.counted(labels.samples, "sample") + (f"; lines skipped: {left}" if left else "")


def unanswered_text(evaluation: Evaluation) -> str:
    """Return how many samples got no answer, and why; empty if all did."""
    return ", ".join(f"{figures.count(n)} {reason}" for reason, n in evaluation.unanswered.items())


# The terminal.


def lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    """Yield an evaluation for a terminal or a build log."""
    labels, protocols = evaluation.labels, evaluation.relations
    yield f"{evaluation.checkpoint.name} on {labels.name}: {labels_text(evaluation)}"
    yield _line("accuracy", _share_text(evaluation.accuracy))
    for measure in evaluation.measures:
        yield _line(f"{measure.name}, {measure.label or _ALL_LABELS}", _rate_text(measure.share))
    for curve in protocols.curves if protocols else ():
        yield f"{curve_name(curve)}: {_units_text(curve)}"
        yield _line("  AUC", figure_text(curve.auc))
        yield _line("  micro F1, best point", figure_text(curve.micro_f1))
        threshold = figures.significant(curve.threshold, 3)
        yield _line(f"  macro F1, score >= {threshold}", figure_text(curve.macro_f1))
        yield _line("  at that point", _false_text(curve))
        if curve.precision_at:
            yield _line("  first facts", precision_text(curve))
    for quality in protocols.quality if protocols else ():
        yield f"Automatic labels {quality_title(quality)}: {agreeing_text(quality)} agree"
        yield _line("  pair accuracy", figure_text(quality.pair_accuracy))
        yield _line("  precision", figure_text(quality.precision))
        yield _line("  recall", figure_text(quality.recall))
    yield _line("error rate (1 - accuracy)", _rate_text(evaluation.error_rate))
    for title, share in relation_rows(evaluation, catalogue):
        yield _line(f"violated, {title}", _share_text(share.violation))
        violations = figures.counted(share.violation.count, "violation")
        of = f"of {violations} {figures.count(share.labelled)} with a labelled source"
        yield _line("  source right by its label", f"{of}: {_share_text(share.source_right)}")
    unanswered = unanswered_text(evaluation)
    if unanswered:
        yield _line("not answered, so wrong", unanswered)
    yield f"{VERDICT_WORDS[evaluation.verdict]}. {sentence(evaluation)}"
    for line in (*evaluation.reasons, *evaluation.notes):
        yield f"  - {line}"


def _line(name: str, text: str) -> str:
    return f"{name:34} {text}"


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
        facts.append(f"Not answered, so wrong: {unanswered}")
    listed = [f"- {_escaped(line)}" for line in (*evaluation.reasons, *facts, *evaluation.notes)]
    rates = markdown_table(_rates(evaluation, catalogue))
    lines = [title, "", _escaped(sentence(evaluation)), "", *listed, "", rates, ""]
    if evaluation.relations:
        lines += _protocols(evaluation.relations)
    table = measure_table(evaluation)
    if table.rows:
        rows = [(shorten(str(label), _LONGEST), *cells) for label, *cells in table.rows]
        lines.append(markdown_table(table._replace(rows=rows[:_MOST_LABELS])))
        if len(rows) > _MOST_LABELS:
            more = f"_{len(rows) - _MOST_LABELS} more labels are in evaluation.json._"
            lines += ["", more]
        lines.append("")
    return "\n".join(lines) + "\n"


def _protocols(relations: RelationProtocols) -> Iterator[str]:
    head = ("protocol", "AUC", "micro F1, best point", "macro F1", "facts", "at that point")
    rows = [
        (
            curve_name(curve),
            *map(figure_text, (curve.auc, curve.micro_f1, curve.macro_f1)),
            _units_text(curve),
            _false_text(curve),
        )
        for curve in relations.curves
    ]
    yield from (markdown_table(Table("lrrrll", head, rows)), "")
    yield from (f"_{BASES[relations.basis]}._", "")
    for quality in relations.quality:
        yield (
            f"- Automatic labels {quality_title(quality)}: pair accuracy "
            f"{figure_text(quality.pair_accuracy)}, precision "
            f"{figure_text(quality.precision)}, recall {figure_text(quality.recall)}; "
            f"{agreeing_text(quality)} agree"
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
        text = "".join(text for text, _ in parts(fact))
        yield f"- {_escaped(f'{fact_text(fact)} ({fact_words(fact)})')}: {_escaped(text)}"
    yield ""


def _rates(evaluation: Evaluation, catalogue: Catalogue) -> Table:
    head = ("", "rate", "95% CI", "counts", "violations with a labelled source")
    rows = [(ERROR_RATE, *_figures(evaluation.error_rate), "", "")]
    for title, share in relation_rows(evaluation, catalogue):
        of = f"{figures.count(share.labelled)} of {figures.count(share.violation.count)}"
        right = _share_text(share.source_right) if share.labelled else figures.UNDEFINED
        name = shorten(f"Violated: {title}", _LONGEST)
        rows.append((name, *_figures(share.violation), of, right))
    return Table("wrrrrr", (*head, "source right"), rows)


def _figures(share: Share) -> tuple[str, str, str]:
    return figures.percent(share.rate), figures.between(share.ci95), _counts_text(share)


def _escaped(text: str) -> str:
    return markdown(shorten(text, _LONGEST))


# The protocols of relation extraction.


def curve_name(curve: Curve) -> str:
    """Return "Bag-level manual, ONE"."""
    return f"{PROTOCOLS[curve.protocol]}{', ' if curve.aggregator else ''}{curve.aggregator}"


def number_of_units(curve: Curve) -> str:
    """Return "96,678 bags"."""
    unit = "sentence" if curve.protocol == "sentence-manual" else "bag"
    return figures.counted(curve.units, unit)


def _units_text(curve: Curve) -> str:
    words = f"{figures.counted(curve.facts, 'fact')} in {number_of_units(curve)}"
    if curve.out_of_reach:
        words += f", {figures.count(curve.out_of_reach)} of relations that the system does not have"
    return words


def figure_text(figure: BoundedFigure) -> str:
    """Return "61.3 % (60.0 % to 62.5 %)"."""
    if figure.value is None:
        return figures.UNDEFINED
    bounds = f" ({figures.between(figure.ci95)})" if figure.ci95 else ""
    return figures.percent(figure.value) + bounds


def predicted(curve: Curve) -> tuple[int, int]:
    """Return how many facts are predicted at the threshold, and how many of them are false."""
    number = sum(counts.predicted for counts in curve.relations)
    return number, number - sum(counts.right for counts in curve.relations)


def precision_text(curve: Curve) -> str:
    """Return the precision of the first so many facts; empty if there are not as many."""
    return ", ".join(f"P@{n} {figures.percent(share)}" for n, share in curve.precision_at.items())


def _false_text(curve: Curve) -> str:
    number, false = predicted(curve)
    words = f"{figures.count(false)} of {figures.counted(number, 'predicted fact')} false"
    if curve.in_auto is not None and false:
        words += f", {figures.count(curve.in_auto)} of these in the automatic labels"
    return words


def quality_title(quality: Quality) -> str:
    """Return which labels are compared."""
    return "as scored" if quality.mapped else "as in the file"


def agreeing_text(quality: Quality) -> str:
    """Return "47 of 100 bags"."""
    return f"{figures.count(quality.agreeing)} of {figures.counted(quality.bags, 'bag')}"


def parts(fact: FalseFact) -> list[tuple[str, str]]:
    """Return a false fact's sentence in parts of bounded length, each ``head``, ``tail`` or ""."""
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
    """Return what is known of a false fact."""
    also = "; the automatic labels have it" if fact.in_auto else ""
    score = figures.significant(fact.score, 3)
    return f"score {score}, {figures.counted(fact.sentences, 'sentence')}{also}"
