"""Sentences on a run that decide nothing: on what it computed, and what its figures leave out."""

from __future__ import annotations

from collections.abc import Iterable

from mt_gate.base import figures
from mt_gate.baselines.schema import Baseline
from mt_gate.domain import NotApplicable
from mt_gate.results.result import (
    NO_FINGERPRINT,
    CheckpointHead,
    GateVerdict,
    RelationResult,
    Result,
    RunSettings,
    Runtime,
    SuiteHead,
    is_loss,
)
from mt_gate.sut.noise import PROVIDER

_ONE_RUN = (
    "the baseline is one run: how much the same recipe trained again would differ is not in the "
    "test; of 3 to 5 runs it is (docs/baselines.md#several-runs)"
)
_ONE_CHECKPOINT = (
    "base and candidate are one checkpoint (the same fingerprint): what differs is how they were "
    "computed, if anything"
)
_CONDITIONS = ("provider", "precision", "device", "onnxruntime", "threads")
"""What two runs may have been computed with, instructions aside."""


def run_notes(
    suite: SuiteHead, checkpoint: CheckpointHead, relations: Iterable[RelationResult]
) -> tuple[str, ...]:
    """Return what a run says of itself: what of the suite, what not asked, who answered, how."""
    read = (f"answers are read by {checkpoint.reading}",) if checkpoint.reading else ()
    return (
        *tuple(f"a part of {suite.name}: {words}" for words in suite.part),
        *_unread_notes(relations),
        *_identity_notes(checkpoint),
        *read,
    )


def unchecked_notes(settings: RunSettings) -> tuple[str, ...]:
    """Return which limits of a run were not checked, since it has no baseline."""
    given = {
        "required": (*settings.required, *settings.policy.required()),
        "max-churn": settings.max_churn < 1,
        "max-negative-flips": settings.max_negative_flips < 1,
    }
    named = ", ".join(name for name, value in given.items() if value)
    return (f"not checked, since no baseline was given: {named}",) if named else ()


def baseline_notes(
    result: Result, baseline: Baseline, verdict: GateVerdict, *, here: bool = False
) -> tuple[str, ...]:
    """Return what differs between a baseline and the run that is compared with it."""
    one = [_ONE_RUN] if is_loss(verdict) and len(baseline.runs) == 1 and not here else []
    mark = result.checkpoint.fingerprint
    if here and mark and mark == baseline.first.checkpoint.fingerprint:
        one.append(_ONE_CHECKPOINT)
    of_runs = [
        note
        for run in baseline.runs
        for note in (
            *_identity_notes(run.checkpoint, "the baseline's system"),
            *_runtime_notes(result, run.checkpoint),
        )
    ]
    return tuple(dict.fromkeys((*one, *of_runs)))


def _unread_notes(relations: Iterable[RelationResult]) -> tuple[str, ...]:
    reasons = (NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    unread = sum(of.not_applicable.get(reason, 0) for of in relations for reason in reasons)
    if not unread:
        return ()
    return (
        f"{figures.counted(unread, 'group')} not asked: an input, or its question alone, is "
        "longer than the system reads; see max_length in checkpoint.json, and --max-length",
    )


def _identity_notes(head: CheckpointHead, who: str = "the system") -> tuple[str, ...]:
    if head.fingerprint:
        return ()
    return (f"{who}, {head.name}, has {NO_FINGERPRINT}",)


def _runtime_notes(result: Result, before: CheckpointHead) -> tuple[str, ...]:
    now, then = result.checkpoint.runtime, before.runtime
    readings = [head.reading or "its own labels alone" for head in (result.checkpoint, before)]
    read = f"the baseline's answers were read by {readings[1]}"
    otherwise = (read,) if readings[0] != readings[1] else ()
    named = tuple(
        f"{field} is {getattr(now, field)}; the baseline was recorded with {getattr(then, field)}"
        for field in _CONDITIONS
        if getattr(now, field) != getattr(then, field)
        if field == "provider" or (getattr(now, field) and getattr(then, field))
        if field != "threads" or now.device == then.device == "cpu"
    )
    return (*otherwise, *named, *_feature_notes(now, then), *_moved_notes(result, now, then))


def _feature_notes(now: Runtime, then: Runtime) -> tuple[str, ...]:
    has, had = now.cpu_features, then.cpu_features
    if has == had or not (has and had) or not now.device == then.device == "cpu":
        return ()
    only = ((sorted({*has} - {*had}), "only here"), (sorted({*had} - {*has}), "only there"))
    parts = [f"{', '.join(names)} {where}" for names, where in only if names]
    return (f"the baseline was recorded on a CPU with other instructions: {'; '.join(parts)}",)


def _moved_notes(result: Result, now: Runtime, then: Runtime) -> tuple[str, ...]:
    moved = result.noise.get(PROVIDER)
    if moved is None or now.provider == then.provider:
        return ()
    most = figures.significant(moved)
    return (f"scores of one input differ by up to {most} between {now.provider} and the CPU",)
