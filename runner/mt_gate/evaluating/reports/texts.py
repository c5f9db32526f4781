"""The words of an evaluation, alike in terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate.base import figures
from mt_gate.evaluating.records import Evaluation, RelationShare, Share
from mt_gate.evaluating.reports import protocols as evaluation_protocols
from mt_gate.reporting.table import Cell, Table
from mt_gate.reporting.words.texts import POOLED, VERDICT_WORDS, Catalogue, text_of
from mt_gate.results.result import GateVerdict

ERROR_RATE = "Error rate (1 − accuracy)"
ALL_LABELS = "all labels"

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


def share_text(share: Share) -> str:
    """Return "3 of 4 (75.0 %, 95 % interval 30.1 % to 95.4 %)"."""
    counts = f"{figures.count(share.count)} of {figures.count(share.of)}"
    if share.rate is None:
        return counts
    return f"{counts} ({figures.percent(share.rate)}, 95 % interval {figures.between(share.ci95)})"


def relation_title(share: RelationShare, catalogue: Catalogue) -> str:
    """Return how a row of the relations is headed."""
    return text_of(catalogue, share.id).title if share.id else POOLED


def relation_rows(evaluation: Evaluation) -> list[RelationShare]:
    """Return the relations of the run, all together last; none without a run."""
    run = evaluation.run
    return [*run.relations, run.overall] if run else []


def measure_table(evaluation: Evaluation) -> Table:
    """Return the figures by label, a column each."""
    names = [*dict.fromkeys(measure.name for measure in evaluation.measures)]
    found: dict[str, dict[str, Share]] = {}
    for measure in evaluation.measures:
        found.setdefault(measure.label, {})[measure.name] = measure.share
    rows = [
        (label or ALL_LABELS, *(_measure_cell(of.get(name)) for name in names))
        for label, of in found.items()
    ]
    head = ("Label", *(f"{name[:1].upper()}{name[1:]}" for name in names))
    return Table("w" + "r" * len(names), head, rows)


def _measure_cell(share: Share | None) -> Cell:
    if share is None or share.rate is None:
        return figures.UNDEFINED
    counts = f"{figures.count(share.count)} of {figures.count(share.of)}"
    return figures.percent(share.rate), figures.between(share.ci95), counts


def labels_text(evaluation: Evaluation) -> str:
    """Return what was read of the labelled file."""
    labels = evaluation.labels
    left = ", ".join(
        f"{figures.count(number)} {reason}" for reason, number in labels.left_out.items()
    )
    return figures.counted(labels.samples, "sample") + (f"; lines skipped: {left}" if left else "")


def unanswered_text(evaluation: Evaluation) -> str:
    """Return how many samples got no answer, and why; empty where all did."""
    return ", ".join(
        f"{figures.count(number)} {reason}" for reason, number in evaluation.unanswered.items()
    )


def lines(evaluation: Evaluation, catalogue: Catalogue) -> Iterator[str]:
    """Yield an evaluation for a terminal or a build log."""
    labels = evaluation.labels
    yield f"{evaluation.checkpoint.name} on {labels.name}: {labels_text(evaluation)}"
    yield f"{'accuracy':34} {share_text(evaluation.accuracy)}"
    for measure in evaluation.measures:
        name = f"{measure.name}, {measure.label or ALL_LABELS}"
        yield f"{name:34} {_measured(measure.share)}"
    if evaluation.relations:
        yield from evaluation_protocols.lines(evaluation.relations)
    yield f"{'error rate (1 - accuracy)':34} {_measured(evaluation.error_rate)}"
    for share in relation_rows(evaluation):
        title = relation_title(share, catalogue)
        yield f"{'violated, ' + title:34} {share_text(share.violation)}"
        yield f"{'  source right by its label':34} {_right(share)}"
    unanswered = unanswered_text(evaluation)
    if unanswered:
        yield f"{'not answered, so wrong':34} {unanswered}"
    yield f"{VERDICT_WORDS[evaluation.verdict]}. {sentence(evaluation)}"
    for line in (*evaluation.reasons, *evaluation.notes):
        yield f"  - {line}"


def _measured(share: Share) -> str:
    if share.rate is None:
        return figures.UNDEFINED
    return f"{figures.percent(share.rate)}, 95 % interval {figures.between(share.ci95)}"


def _right(share: RelationShare) -> str:
    of = f"of {figures.counted(share.violation.count, 'violation')} {figures.count(share.labelled)}"
    return f"{of} with a labelled source: {share_text(share.source_right)}"
