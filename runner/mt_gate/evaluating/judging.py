"""An evaluation held against another, sample by sample, as relations are group by group."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.records import Evaluation, EvaluationBaseline, Labels, Samples
from mt_gate.judging.comparison import compare_alone
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results.result import Comparison, Decision, GateVerdict, RunSettings, exit_code
from mt_gate.results.rules import MIN_CLUSTERS, detectable

_VERDICTS = {
    Decision.REGRESSION: GateVerdict.REGRESSION,
    Decision.PASS: GateVerdict.PASS,
    Decision.IMPROVED: GateVerdict.IMPROVED,
    Decision.NOT_COMPARABLE: GateVerdict.CANNOT_JUDGE,
}


def check_fits(baseline: Evaluation, task: str, labels: Labels, path: Path) -> None:
    """Check that a baseline is of the same task and labels.

    Raises:
        CannotJudge: it is of others.
    """
    for part, found, expected in (
        ("task", baseline.task, task),
        ("labels sha256", baseline.labels.sha256, labels.sha256),
        ("mapping sha256", *(of.mapping_sha256 or "none" for of in (baseline.labels, labels))),
        ("patch sha256", *(of.patch_sha256 or "none" for of in (baseline.labels, labels))),
    ):
        if found != expected:
            raise CannotJudge(
                f"{path}: {part} {found:.80}, this evaluation has {expected}; evaluate the "
                f"baseline's checkpoint on {labels.name} and keep that"
            )


def judged(
    evaluation: Evaluation, baseline: Evaluation, path: Path, clusters: Mapping[str, str]
) -> Evaluation:
    """Return the evaluation with its comparison, verdict and reason.

    The test is McNemar's, exact and one-sided, or where samples share clusters
    the sign-flip test over these; it is by itself, so nothing is adjusted.

    Args:
        evaluation: of the candidate, not judged.
        baseline: of the same labels.
        path: the baseline's file.
        clusters: of each sample.
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
    comparison = compare_alone(
        _verdicts(evaluation.samples, clusters), _verdicts(baseline.samples, {}), alone
    )
    comparison = msgspec.structs.replace(comparison, reason=_reason(comparison))
    verdict = _VERDICTS[comparison.decision]
    return msgspec.structs.replace(
        evaluation,
        verdict=verdict,
        exit_code=exit_code(verdict, alone),
        reasons=(comparison.reason,),
        comparison=comparison,
        baseline=EvaluationBaseline(
            path=str(path),
            created=baseline.created,
            checkpoint=baseline.checkpoint,
            accuracy=baseline.accuracy,
        ),
        notes=(*evaluation.notes, *_unpaired(evaluation.samples, baseline.samples)),
    )


def _ids(samples: Samples) -> set[str]:
    return {*samples.right, *samples.wrong}


def _verdicts(samples: Samples, source_of: Mapping[str, str]) -> RelationVerdicts:
    return RelationVerdicts(
        id="labels",
        violated=frozenset(samples.wrong),
        satisfied=frozenset(samples.right),
        source_of=source_of,
    )


def _reason(comparison: Comparison) -> str:
    """Return what the test shows, with its numbers."""
    if comparison.p_value is None:
        paired = figures.counted(comparison.pairs, "paired sample") + _bags(comparison)
        return f"not comparable: {paired}, at least {MIN_CLUSTERS} are needed"
    numbers = (
        f"error rate {figures.percent(comparison.baseline_rate)} to "
        f"{figures.percent(comparison.candidate_rate)} "
        f"({figures.change(comparison.delta, comparison.ci95)}, p for a loss "
        f"{figures.p_value(comparison.p_value)}; {figures.count(comparison.pairs)} samples"
        f"{_bags(comparison)}, "
        f"{figures.count(comparison.new_violations)} newly wrong, "
        f"{figures.count(comparison.fixed_violations)} newly right)"
    )
    if comparison.decision is Decision.REGRESSION:
        return f"less accurate: {numbers}"
    if comparison.decision is Decision.IMPROVED:
        return f"more accurate: {numbers}"
    effect = detectable(comparison)
    if effect is None:
        return f"no loss found: {numbers}; a loss as large could have been missed"
    size = figures.size_in_points(effect)
    return f"no loss found: {numbers}; a loss of {size} would have been found 4 times in 5"


def _bags(comparison: Comparison) -> str:
    """Return in how many clusters the samples come, where they are not their own."""
    if comparison.clusters == comparison.pairs:
        return ""
    return f" in {figures.counted(comparison.clusters, 'bag')}"


def _unpaired(now: Samples, before: Samples) -> tuple[str, ...]:
    """Count what only one of the two looked at: readers of labels differ by release."""
    here, there = _ids(now), _ids(before)
    if here == there:
        return ()
    return (
        f"{figures.count(len(here - there))} samples are not in the baseline, "
        f"{figures.count(len(there - here))} of the baseline are not here: not compared",
    )
