"""Sentences on a run that decide nothing: on what it computed, and what its figures leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mt_gate.base import figures
from mt_gate.baselines.schema import Baseline
from mt_gate.domain import NotApplicable
from mt_gate.results.result import (
    NO_FINGERPRINT,
    AnswerChurn,
    CheckpointHead,
    GateVerdict,
    RelationResult,
    Result,
    RunSettings,
    SuiteHead,
    is_loss,
)
from mt_gate.running.labels import few
from mt_gate.sut.noise import PROVIDER
from mt_gate.tasks.table import TASKS

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
    notes = [f"a part of {suite.name}: {words}" for words in suite.part]
    reasons = (NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    unread = sum(of.not_applicable.get(reason, 0) for of in relations for reason in reasons)
    if unread:
        notes.append(
            f"{figures.counted(unread, 'group')} not asked: an input, or its question alone, is "
            "longer than the system reads; see max_length in checkpoint.json, and --max-length"
        )
    notes += _identity_notes(checkpoint)
    notes += [f"answers are read by {checkpoint.reading}"] if checkpoint.reading else []
    return tuple(notes)


def unchecked_notes(settings: RunSettings) -> tuple[str, ...]:
    """Return which limits of a run were not checked, since it has no baseline."""
    limits = {
        "required": (*settings.required, *settings.policy.required()),
        "max-churn": settings.max_churn < 1,
        "max-negative-flips": settings.max_negative_flips < 1,
    }
    named = ", ".join(name for name, value in limits.items() if value)
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


def answers_notes(churn: AnswerChurn | None, task: str) -> tuple[str, ...]:
    """Say that base and candidate answered in no common label, where all answers are known."""
    if churn is None or churn.omitted or TASKS[task].answers:
        return ()
    before = {move.before for move in churn.moves if move.before}
    after = {move.after for move in churn.moves if move.after}
    if not before or not after or before & after:
        return ()
    return (
        f"base and candidate answered in no common label: {few(before)}, and {few(after)}; they "
        "may be of two label schemes",
    )


def _identity_notes(head: CheckpointHead, who: str = "the system") -> tuple[str, ...]:
    if head.fingerprint:
        return ()
    return (f"{who}, {head.name}, has {NO_FINGERPRINT}",)


def _runtime_notes(result: Result, before: CheckpointHead) -> Iterator[str]:
    """Say where the two runs were not computed, or read, alike: that can move groups."""
    now, then = result.checkpoint.runtime, before.runtime
    readings = [head.reading or "its own labels alone" for head in (result.checkpoint, before)]
    if readings[0] != readings[1]:
        yield f"the baseline's answers were read by {readings[1]}"
    on_cpu = now.device == then.device == "cpu"
    for field in _CONDITIONS:
        one, other = getattr(now, field), getattr(then, field)
        known = field == "provider" or (one and other)
        if one != other and known and (field != "threads" or on_cpu):
            yield f"{field} is {one}; the baseline was recorded with {other}"
    has, had = {*now.cpu_features}, {*then.cpu_features}
    if has and had and has != had and on_cpu:
        only = ((sorted(has - had), "only here"), (sorted(had - has), "only there"))
        parts = "; ".join(f"{', '.join(names)} {where}" for names, where in only if names)
        yield f"the baseline was recorded on a CPU with other instructions: {parts}"
    moved = result.noise.get(PROVIDER)
    if moved is not None and now.provider != then.provider:
        most = figures.significant(moved)
        yield f"scores of one input differ by up to {most} between {now.provider} and the CPU"
