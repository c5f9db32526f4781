"""The words of an evaluation, alike in terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
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
from mt_gate.reporting.table import Cell, Table
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
_LONGEST_PART = 400
_SENTENCES = {
    GateVerdict.REGRESSION: "Less accurate than the baseline: {}.",
    GateVerdict.IMPROVED: "More accurate than the baseline: {}.",
    GateVerdict.PASS: "No evidence of a loss of accuracy: {}.",
    GateVerdict.MEASURED: "Nothing to compare with, so nothing is judged. {}.",
    GateVerdict.CANNOT_JUDGE: "Too few samples to compare with the baseline. {}.",
}


def sentence(evaluation: Evaluation) -> str:
    """Return an evaluation in one or two sentences."""
    found = evaluation.accuracy
    right = f"{figures.percent(found.rate)} of {figures.counted(found.of, 'sample')} right"
    return _SENTENCES[evaluation.verdict].format(right)


def counts_text(share: Share) -> str:
    """Return "3 of 4"."""
    return f"{figures.count(share.count)} of {figures.count(share.of)}"


def share_text(share: Share) -> str:
    """Return "3 of 4 (75.0 %, 95 % interval 30.1 % to 95.4 %)"."""
    return counts_text(share) + (f" ({_rate_text(share)})" if share.rate is not None else "")


def _rate_text(share: Share) -> str:
    if share.rate is None:
        return figures.UNDEFINED
    return f"{figures.percent(share.rate)}, 95 % interval {figures.between(share.ci95)}"


def relation_rows(evaluation: Evaluation, catalogue: Catalogue) -> list[tuple[str, RelationShare]]:
    """Return the relations of the run with their titles, all together last; none without a run."""
    run = evaluation.run
    return [
        (text_of(catalogue, share.id).title if share.id else POOLED, share)
        for share in ([*run.relations, run.overall] if run else [])
    ]


def measure_table(evaluation: Evaluation) -> Table:
    """Return the figures by label, a column each."""
    names = [*dict.fromkeys(measure.name for measure in evaluation.measures)]
    found: dict[str, dict[str, Share]] = {}
    for measure in evaluation.measures:
        found.setdefault(measure.label, {})[measure.name] = measure.share
    rows = [
        (label or _ALL_LABELS, *(_measure_cell(of.get(name)) for name in names))
        for label, of in found.items()
    ]
    head = ("Label", *(f"{name[:1].upper()}{name[1:]}" for name in names))
    return Table("w" + "r" * len(names), head, rows)


def _measure_cell(share: Share | None) -> Cell:
    if share is None or share.rate is None:
        return figures.UNDEFINED
    return figures.percent(share.rate), figures.between(share.ci95), counts_text(share)


def labels_text(evaluation: Evaluation) -> str:
    """Return what was read of the labelled file."""
    labels = evaluation.labels
    left = ", ".join(f"{figures.count(n)} {reason}" for reason, n in labels.left_out.items())
    return figures.counted(labels.samples, "sample") + (f"; lines skipped: {left}" if left else "")


def unanswered_text(evaluation: Evaluation) -> str:
    """Return how many samples got no answer, and why; empty where all did."""
    return ", ".join(f"{figures.count(n)} {reason}" for reason, n in evaluation.unanswered.items())


def lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    """Yield an evaluation for a terminal or a build log."""
    labels = evaluation.labels
    yield f"{evaluation.checkpoint.name} on {labels.name}: {labels_text(evaluation)}"
    yield _line("accuracy", share_text(evaluation.accuracy))
    for measure in evaluation.measures:
        yield _line(f"{measure.name}, {measure.label or _ALL_LABELS}", _rate_text(measure.share))
    if evaluation.relations:
        yield from _protocol_lines(evaluation.relations)
    yield _line("error rate (1 - accuracy)", _rate_text(evaluation.error_rate))
    for title, share in relation_rows(evaluation, catalogue):
        yield _line(f"violated, {title}", share_text(share.violation))
        of = (
            f"{figures.counted(share.violation.count, 'violation')} {figures.count(share.labelled)}"
        )
        right = share_text(share.source_right)
        yield _line("  source right by its label", f"of {of} with a labelled source: {right}")
    unanswered = unanswered_text(evaluation)
    if unanswered:
        yield _line("not answered, so wrong", unanswered)
    yield f"{VERDICT_WORDS[evaluation.verdict]}. {sentence(evaluation)}"
    for line in (*evaluation.reasons, *evaluation.notes):
        yield f"  - {line}"


def _protocol_lines(protocols: RelationProtocols) -> Iterator[str]:
    for curve in protocols.curves:
        yield f"{curve_name(curve)}: {units_text(curve)}"
        yield _line("  AUC", figure_text(curve.auc))
        yield _line("  micro F1, best point", figure_text(curve.micro_f1))
        threshold = figures.significant(curve.threshold, 3)
        yield _line(f"  macro F1, score >= {threshold}", figure_text(curve.macro_f1))
        yield _line("  at that point", false_text(curve))
        if curve.precision_at:
            yield _line("  first facts", precision_text(curve))
    for quality in protocols.quality:
        yield f"Automatic labels {quality_title(quality)}: {agreeing_text(quality)} agree"
        yield _line("  pair accuracy", figure_text(quality.pair_accuracy))
        yield _line("  precision", figure_text(quality.precision))
        yield _line("  recall", figure_text(quality.recall))


def _line(name: str, text: str) -> str:
    return f"{name:34} {text}"


def curve_name(curve: Curve) -> str:
    """Return "Bag-level manual, ONE"."""
    return f"{PROTOCOLS[curve.protocol]}{', ' if curve.aggregator else ''}{curve.aggregator}"


def number_of_units(curve: Curve) -> str:
    """Return "96,678 bags"."""
    return figures.counted(
        curve.units, "sentence" if curve.protocol == "sentence-manual" else "bag"
    )


def units_text(curve: Curve) -> str:
    """Return "1,950 facts in 96,678 bags"."""
    found = f"{figures.counted(curve.facts, 'fact')} in {number_of_units(curve)}"
    if curve.out_of_reach:
        found += f", {figures.count(curve.out_of_reach)} of relations that the system does not have"
    return found


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
    """Return the precision of the first so many facts; empty where there are not as many."""
    return ", ".join(f"P@{n} {figures.percent(share)}" for n, share in curve.precision_at.items())


def false_text(curve: Curve) -> str:
    """Return how many of the predicted facts are false, and how many of these automatic labels."""
    number, false = predicted(curve)
    found = f"{figures.count(false)} of {figures.counted(number, 'predicted fact')} false"
    if curve.in_auto is not None and false:
        found += f", {figures.count(curve.in_auto)} of these in the automatic labels"
    return found


def quality_title(quality: Quality) -> str:
    """Return which labels are compared."""
    return "as scored" if quality.mapped else "as in the file"


def agreeing_text(quality: Quality) -> str:
    """Return "47 of 100 bags"."""
    return f"{figures.count(quality.agreeing)} of {figures.counted(quality.bags, 'bag')}"


class SentencePart(NamedTuple):
    """A part of a sentence: ``head``, ``tail``, or neither."""

    text: str
    argument: str


def parts(fact: FalseFact) -> list[SentencePart]:
    """Return a false fact's sentence in parts, each of bounded length."""
    found, at = [], 0
    for start, end, argument in sorted([(*fact.head, "head"), (*fact.tail, "tail")]):
        found += [(fact.text[at:start], ""), (fact.text[start:end], argument)]
        at = end
    found.append((fact.text[at:], ""))
    return [SentencePart(shorten(text, _LONGEST_PART), name) for text, name in found if text]


def fact_text(fact: FalseFact) -> str:
    """Return a false fact as head, relation, tail."""
    head, tail = (fact.text[start:end] for start, end in (fact.head, fact.tail))
    return f"{shorten(head, 60)} · {fact.relation} · {shorten(tail, 60)}"


def fact_words(fact: FalseFact) -> str:
    """Return what is known of a false fact."""
    also = "; the automatic labels have it" if fact.in_auto else ""
    score = figures.significant(fact.score, 3)
    return f"score {score}, {figures.counted(fact.sentences, 'sentence')}{also}"
