"""Compare an evaluation with another, sample by sample, and with a run.

Reading comprehension paper, section 6.2 (RQ2): if the prediction on the source is right, labels
of the source alone cannot reveal the violation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.domain import Verdict
from mt_gate.evaluating import curves
from mt_gate.evaluating.labelled import sample_id
from mt_gate.evaluating.records import (
    ComparedRun,
    Evaluation,
    EvaluationBaseline,
    FigureComparison,
    Labels,
    RelationShare,
    Share,
    unpacked,
)
from mt_gate.judging import statistics
from mt_gate.judging.clustered import Rate, rates
from mt_gate.judging.comparison import compare_alone
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results.result import (
    CheckpointHead,
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    Result,
    RunSettings,
    exit_code,
)
from mt_gate.results.rules import MIN_CLUSTERS, power

_VERDICTS = {
    Decision.REGRESSION: GateVerdict.REGRESSION,
    Decision.PASS: GateVerdict.PASS,
    Decision.IMPROVED: GateVerdict.IMPROVED,
    Decision.NOT_COMPARABLE: GateVerdict.CANNOT_JUDGE,
}


_FIGURES = {"auc": "AUC", "micro_f1": "micro F1", "macro_f1": "macro F1"}


def check_fits(baseline: Evaluation, task: str, labels: Labels, path: Path) -> None:
    """Check that a baseline is of the same task and labels."""
    for part, actual, expected in (
        ("task", baseline.task, task),
        ("labels sha256", baseline.labels.sha256, labels.sha256),
        (
            "mapping sha256",
            *(labelled.mapping_sha256 or "none" for labelled in (baseline.labels, labels)),
        ),
        (
            "patch sha256",
            *(labelled.patch_sha256 or "none" for labelled in (baseline.labels, labels)),
        ),
    ):
        if actual != expected:
            raise CannotJudge(
                f"{path} is for {part} {actual:.80}, but this evaluation is for {part} {expected}. "
                f"Evaluate the baseline's checkpoint on {labels.name} and use that."
            )


def judged(
    evaluation: Evaluation, baseline: Evaluation, path: Path, clusters: Mapping[str, str]
) -> Evaluation:
    """Return the evaluation with its comparison, verdict and reasons.

    The test of accuracy is the exact one-sided McNemar test or, if samples share clusters, the
    sign-flip test over clusters. Figures of protocols (task re) are a second family of tests.
    """
    settings = evaluation.settings
    alone = RunSettings(
        alpha=settings.alpha,
        margin=settings.margin,
        strict=False,
        max_applicability_loss=0.0,
        max_violation_rate={},
        must_hold=(),
        relations=(),
        complete=True,
        noise=0.0,
    )
    now, before = (
        RelationVerdicts(
            id="labels",
            violated=frozenset(one.samples.wrong),
            satisfied=frozenset(one.samples.right),
            source_of=source_of,
        )
        for one, source_of in ((evaluation, clusters), (baseline, {}))
    )
    comparison = compare_alone(now, before, alone)
    comparison = msgspec.structs.replace(comparison, reason=_reason(comparison))
    verdict, reasons = _VERDICTS[comparison.decision], [comparison.reason]
    notes, compared = evaluation.notes, compare_figures(evaluation, baseline)
    if compared:
        if any(figure.regressed for figure in compared):
            verdict = GateVerdict.REGRESSION
        reasons += _figure_reasons(compared)
    elif evaluation.relations:
        notes += (
            "AUC and F1 of the protocols were not compared, because the baseline has no bootstrap "
            "samples of them, or too few. Record it again.",
        )
    # Parsers of labels differ by release, so a sample may be in one evaluation only.
    here, there = ({*run.samples.right, *run.samples.wrong} for run in (evaluation, baseline))
    if here != there:
        notes += (
            f"Not compared: {figures.counted(len(here - there), 'sample')} that the baseline does "
            f"not have, and {figures.count(len(there - here))} that only the baseline has",
        )
    return msgspec.structs.replace(
        evaluation,
        verdict=verdict,
        exit_code=exit_code(verdict, alone),
        reasons=tuple(reasons),
        comparison=comparison,
        figures=compared,
        baseline=EvaluationBaseline(
            path=str(path),
            created=baseline.created,
            checkpoint=baseline.checkpoint,
            accuracy=baseline.accuracy,
        ),
        notes=notes,
    )


def compare_figures(now: Evaluation, before: Evaluation) -> tuple[FigureComparison, ...]:
    """Compare AUC, micro F1 and macro F1 of each protocol with the baseline's, with Holm.

    Both are resampled by bag, with the same bags. A figure regressed if the fall is significant
    and exceeds the margin. Empty if a protocol of the baseline cannot be paired.
    """
    ours, theirs = (
        {(one.protocol, one.aggregator): one for one in run.relations.curves}
        if run.relations
        else {}
        for run in (now, before)
    )
    tested = []
    for key, one in ours.items():
        other = theirs.get(key)
        if other is None:  # ATT of one system only
            continue
        here, there = unpacked(one.resamples), unpacked(other.resamples)
        paired = min(len(here), len(there))
        same = (one.first_resample, one.units, one.facts)
        paired = paired if one.units >= MIN_CLUSTERS else 0
        if same != (other.first_resample, other.units, other.facts):
            return ()
        differences = here[:paired] - there[:paired]
        for column, name in enumerate(("auc", "micro_f1", "macro_f1")):
            values = getattr(other, name).value, getattr(one, name).value
            if None in values:
                continue
            p = curves.fall_p(*values, differences[:, column])
            if p is None:
                return ()
            tested.append((key, name, values, p))
    adjusted = statistics.holm([p for *_, p in tested])
    alpha, margin = now.settings.alpha, now.settings.margin
    return tuple(
        FigureComparison(
            protocol=protocol,
            aggregator=aggregator,
            figure=_FIGURES[name],
            baseline=old,
            candidate=new,
            p_value=p,
            regressed=p < alpha and old - new > margin,
        )
        for ((protocol, aggregator), name, (old, new), _), p in zip(tested, adjusted, strict=True)
    )


def _figure_reasons(compared: Sequence[FigureComparison]) -> Iterator[str]:
    """Yield a sentence for each figure that regressed, or one if none did."""
    regressed = [figure for figure in compared if figure.regressed]
    for one in regressed:
        name = f"{one.protocol}{', ' if one.aggregator else ''}{one.aggregator}"
        yield (
            f"{one.figure} fell ({name}): {figures.percent(one.baseline)} to "
            f"{figures.percent(one.candidate)} "
            f"({figures.points(one.candidate - one.baseline)}, "
            f"{figures.significance(one.p_value)} after Holm correction)"
        )
    if not regressed:
        number = figures.counted(len(compared), "figure")
        yield f"no fall found in {number} of the protocols (AUC, micro F1, macro F1)"


def _reason(comparison: Comparison) -> str:
    """Return the result of the test, with its numbers."""
    shared = comparison.clusters != comparison.pairs
    bags = f" in {figures.counted(comparison.clusters, 'bag')}" if shared else ""
    if comparison.p_value is None:
        paired = figures.counted(comparison.pairs, "paired sample") + bags
        return f"not comparable: {paired} (minimum {MIN_CLUSTERS})"
    numbers = (
        f"error rate {figures.percent(comparison.baseline_rate)} to "
        f"{figures.percent(comparison.candidate_rate)} "
        f"({figures.change(comparison.delta, comparison.ci95)}, p for a rise "
        f"{figures.p_value(comparison.p_value)}; {figures.count(comparison.pairs)} samples{bags}, "
        f"{figures.count(comparison.new_violations)} newly wrong, "
        f"{figures.count(comparison.fixed_violations)} newly right)"
    )
    if comparison.decision is Decision.REGRESSION:
        return f"less accurate: {numbers}"
    if comparison.decision is Decision.IMPROVED:
        return f"more accurate: {numbers}"
    _, effect = power(comparison)
    if effect is None:
        return f"no rise found: {numbers}; too few samples to detect a rise of that size"
    size = figures.size_in_points(effect)
    return f"no rise found: {numbers}; detects rises of {size} or more (80% power)"


class Run(NamedTuple):
    """A stored run with its groups; ``path`` is its ``result.json``."""

    path: Path
    result: Result
    rows: list[GroupRow]


def check_same_system(path: Path, of: CheckpointHead, head: CheckpointHead, name: str) -> None:
    """Check that the run in ``path`` is of the open system, which is called ``name``."""
    known = (of.fingerprint, head.fingerprint) if of.fingerprint else (of.name, head.name)
    if known[0] != known[1]:
        raise UsageError(
            f"{name} ({head.fingerprint[:19] or 'no fingerprint'}) is not the model of the run in "
            f"{path}: {of.name} ({of.fingerprint[:19] or 'no fingerprint'}). Pass that model, or a "
            "run of this one."
        )


def compared_run(run: Run, right: Mapping[str, bool]) -> ComparedRun:
    """Return a run's violation rates, and how many violations have a right source prediction.

    A source is labelled if its whole input equals the input of a sample.
    """
    run_rates = rates(run.result, run.rows)
    violated = [row for row in run.rows if row.verdict is Verdict.VIOLATED]
    inputs = {row.source_id: row.source for row in violated}
    known = {source: right.get(sample_id(value)) for source, value in inputs.items()}
    for row in violated:
        if row.source != inputs[row.source_id]:
            raise CannotJudge(
                f"{run.path.parent}: source {quoted(row.source_id, 80)} has two inputs, expected "
                "one. Run 'mt-gate run' again."
            )

    def share(relation: str, rate: Rate) -> RelationShare:
        sizes = Counter(
            row.source_id
            for row in violated
            if relation in ("", row.relation) and known[row.source_id] is not None
        )
        right, total = sum(sizes[source] for source in sizes if known[source]), sizes.total()
        return RelationShare(
            id=relation,
            violation=Share(
                count=rate.violated, of=rate.applicable, rate=rate.rate, ci95=rate.ci95
            ),
            labelled=total,
            sources=len(sizes),
            source_right=Share(
                count=right,
                of=total,
                rate=right / total if total else None,
                ci95=statistics.wilson_clustered(right, [*sizes.values()]) if total else None,
            ),
        )

    return ComparedRun(
        path=str(run.path),
        created=run.result.created,
        suite=run.result.suite,
        relations=tuple(share(name, rate) for name, rate in run_rates.relations.items()),
        overall=share("", run_rates.overall),
    )
