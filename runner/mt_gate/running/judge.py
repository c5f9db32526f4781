"""A run that was measured, compared with its baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.baselines.anchoring import compare_with_anchor
from mt_gate.baselines.fitting import check_arithmetic, check_covers, units_of_run
from mt_gate.baselines.outputs import OutputsFault, outputs_path
from mt_gate.baselines.row_outputs import (
    OpenedOutputs,
    changed_answers,
    compared_rows,
    open_outputs,
    original_predictions,
    read_packed,
    without_outputs,
)
from mt_gate.baselines.schema import Baseline, BaselineSource
from mt_gate.domain import NotApplicable
from mt_gate.judging.churn import labelled_flips
from mt_gate.judging.comparison import Outcome, RunFacts, compare, judge_alone
from mt_gate.judging.prediction_shift import (
    Original,
    describe_shift,
    describe_shift_of_profiles,
    find_one_class,
)
from mt_gate.judging.verdicts import RunVerdicts, narrowed, verdicts_from_rows
from mt_gate.relations.known_answer import is_known_answer, is_labels
from mt_gate.results import rules
from mt_gate.results.out_folder import OF_BASE
from mt_gate.results.result import (
    NO_FINGERPRINT,
    AgainstAnchor,
    AnswerChurn,
    CheckpointHead,
    GateVerdict,
    RelationResult,
    Result,
    RunSettings,
    Runtime,
    SuiteHead,
    is_loss,
)
from mt_gate.results.rows import Run, as_rows
from mt_gate.running.against import (
    answers_notes,
)
from mt_gate.running.early_stop import (
    WENT_ON,
    at_look,
    check_part,
    stopped_reason,
    with_why,
)
from mt_gate.running.operating import reading_change
from mt_gate.running.preparing import named
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
    read = (f"answers are read by {checkpoint.reading}",) if checkpoint.reading else ()
    return (*_part_notes(suite), *_unread_notes(relations), *_identity_notes(checkpoint), *read)


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
    """Return what differs between a baseline and the run that is compared with it.

    Args:
        result: of the run.
        baseline: what it was compared with.
        verdict: that the comparison led to.
        here: whether it was run in the same job, and not stored.
    """
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
    """Say how much the system could not be asked."""
    reasons = (NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    unread = sum(of.not_applicable.get(reason, 0) for of in relations for reason in reasons)
    if not unread:
        return ()
    return (
        f"{figures.counted(unread, 'group')} not asked: an input, or its question alone, is "
        "longer than the system reads; see max_length in checkpoint.json, and --max-length",
    )


def _part_notes(suite: SuiteHead) -> tuple[str, ...]:
    """Say what of the suite was run, where that was not all."""
    return tuple(f"a part of {suite.name}: {words}" for words in suite.part)


def _identity_notes(head: CheckpointHead, who: str = "the system") -> tuple[str, ...]:
    """Say where nobody can tell whether it is the same system next time."""
    if head.fingerprint:
        return ()
    return (f"{who}, {head.name}, has {NO_FINGERPRINT}",)


def _runtime_notes(result: Result, before: CheckpointHead) -> tuple[str, ...]:
    """Say where the two runs were not computed, or read, alike: that can move groups."""
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
    """Name the instructions that only one of two CPUs has, where these computed."""
    has, had = now.cpu_features, then.cpu_features
    if has == had or not (has and had) or not now.device == then.device == "cpu":
        return ()
    only = ((sorted({*has} - {*had}), "only here"), (sorted({*had} - {*has}), "only there"))
    parts = [f"{', '.join(names)} {where}" for names, where in only if names]
    return (f"the baseline was recorded on a CPU with other instructions: {'; '.join(parts)}",)


def _moved_notes(result: Result, now: Runtime, then: Runtime) -> tuple[str, ...]:
    """Say how far scores move from this run's provider to the CPU, where it was measured."""
    moved = result.noise.get(PROVIDER)
    if moved is None or now.provider == then.provider:
        return ()
    most = figures.significant(moved)
    return (f"scores of one input differ by up to {most} between {now.provider} and the CPU",)


def judge(
    run: Run,
    baseline: Baseline | None,
    path: Path | None,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
) -> Run:
    """Compare a run with a baseline; without one its verdict stays ``measured``.

    Args:
        run: measured, or compared with another baseline before.
        baseline: to hold it against.
        path: of the baseline's file; the outputs of its system lie beside it.
        source: what stands in for the files, if anything does; its notes come first.

    Raises:
        CannotJudge: the baseline lacks a relation of the run, has other groups, or was computed
            in integers on another CPU.
    """
    result = run.result
    if baseline is None or path is None:
        return _judged_alone(run, source)
    verdicts = verdicts_from_rows(run.rows)
    check_part(result)
    early, before, judged_by = result.early, baseline.verdicts(), result.settings
    stopped = early is not None and early.stopped
    units = units_of_run(verdicts, result.settings.relations)
    check_covers(baseline, units, named(path, source), whole=not stopped)
    if early and stopped:
        before = narrowed(before, verdicts)
        judged_by = at_look(judged_by, early.look)
    check_arithmetic(baseline, result, named(path, source))
    answers = _changed_answers(run, baseline, path, source, verdicts)
    whole_profile = None if stopped else baseline.first.profile
    result = replace(result, profile=replace(result.profile, baseline=whole_profile))
    predictions = _predictions(result, baseline, verdicts, answers)
    outcome = compare(
        verdicts, before, judged_by, _collect_facts(result, baseline, answers.churn, predictions)
    )
    anchor = _anchor(result, baseline, verdicts)
    shown = compared_rows(as_rows(run.rows), outcome.changes, answers.opened)
    early = with_why(early, outcome.verdict)
    judged = replace(
        result,
        verdict=outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=(*stopped_reason(early), *outcome.reasons),
        early=early,
        relations=_compared(result, outcome),
        overall=replace(result.overall, comparison=outcome.overall),
        baseline=replace(
            baseline.head(path, source.commit, source.notes, source.against),
            rereading=_rereading(result, baseline),
        ),
        anchor=anchor,
        churn=outcome.churn,
        one_class=predictions.one_class,
        shift=predictions.shift,
    )
    more = _list_notes(judged, baseline, source)
    notes = (*source.notes, *more, *([shown.note] if shown.note else []))
    return Run(replace(judged, notes=notes), shown.rows)


def _judged_alone(run: Run, source: BaselineSource) -> Run:
    """Judge a run without a baseline, unless it is the base's own, by limits that need none."""
    result, settings = run.result, run.result.settings
    if OF_BASE in source.notes:
        return Run(replace(result, notes=(*source.notes, *result.notes)), run.rows)
    notes = (*source.notes, *unchecked_notes(settings), *result.notes)
    if settings.max_violation_rate or rules.must_hold(settings):
        verdict, code, reasons = judge_alone(verdicts_from_rows(run.rows), settings)
        result = replace(result, verdict=verdict, exit_code=code, reasons=reasons)
    return Run(replace(result, notes=notes), run.rows)


def _rereading(result: Result, baseline: Baseline) -> str:
    """Return what differs in how predictions are read, if the checkpoint is that of all runs."""
    now = result.checkpoint
    changes = {reading_change(now, run.checkpoint) for run in baseline.runs}
    return changes.pop() if len(changes) == 1 else ""


def _list_notes(judged: Result, baseline: Baseline, source: BaselineSource) -> Iterator[str]:
    """Yield the notes on a run that was compared."""
    yield from run_notes(judged.suite, judged.checkpoint, judged.relations)
    if judged.early and not judged.early.stopped:
        yield WENT_ON
    if judged.anchor:
        yield judged.anchor.sentence
    yield from baseline_notes(judged, baseline, judged.verdict, here=bool(source.against))
    if source.against:
        answers = judged.churn.answers if judged.churn else None
        yield from answers_notes(answers, judged.suite.task)


def _compared(result: Result, outcome: Outcome) -> tuple[RelationResult, ...]:
    """Return the relations of a run with what was decided of each."""
    tier, found = result.settings.policy.tier, outcome.relations
    return tuple(
        replace(
            item,
            tier=tier(item.id),
            comparison=found.get(item.id),
            slices=tuple(
                replace(one, comparison=outcome.slices.get(item.id, {}).get(one.name))
                for one in item.slices
            ),
        )
        for item in result.relations
    )


def _anchor(result: Result, baseline: Baseline, verdicts: RunVerdicts) -> AgainstAnchor | None:
    """Hold a run against the anchor of its baseline, where all of it was asked."""
    if baseline.anchor is None or (result.early and result.early.stopped):
        return None
    return compare_with_anchor(baseline.anchor, verdicts, result.settings)


class _Answers(NamedTuple):
    """What the baseline's system answered, and what of it this run answers otherwise.

    ``originals`` are those without a known answer; None where the baseline keeps no predictions.
    """

    opened: OpenedOutputs
    churn: AnswerChurn | None = None
    originals: list[Original] | None = None


class _Predictions(NamedTuple):
    """What the predictions say, whatever the relations do; see ``judging.prediction_shift``."""

    one_class: str
    shift: str


def _known_sources(verdicts: RunVerdicts) -> set[str]:
    """Return the sources whose known answer could be compared with the prediction."""
    return {
        of.source_of[group]
        for relation, of in verdicts.items()
        if is_known_answer(relation) or is_labels(relation)
        for group in of.applicable
    }


def _predictions(
    result: Result, baseline: Baseline, verdicts: RunVerdicts, answers: _Answers
) -> _Predictions:
    """Find predictions that moved by more than chance, where no right answer is known."""
    task, settings = TASKS[result.suite.task], result.settings
    known = any(is_known_answer(name) and of.applicable for name, of in verdicts.items())
    one_class = find_one_class(task, answers.churn, result.profile, known=known)
    runs = [run.profile for run in baseline.runs]
    if answers.originals is not None:
        return _Predictions(one_class, describe_shift(task, answers.originals, runs, settings))
    if known or result.profile.baseline is None:
        return _Predictions(one_class, "")
    suite = [of for relation, of in verdicts.items() if not is_labels(relation)]
    originals = len({source for of in suite for source in of.source_of.values()})
    shift = describe_shift_of_profiles(task, result.profile, originals, runs, settings)
    return _Predictions(one_class, shift)


def _changed_answers(
    run: Run,
    baseline: Baseline,
    path: Path,
    source: BaselineSource,
    verdicts: RunVerdicts,
) -> _Answers:
    """Read what the baseline's system answered; what is wrong with it becomes a note.

    Raises:
        CannotJudge: it is wrong, and ``max-churn`` is set.
    """
    kept = outputs_path(path)
    known = _known_sources(verdicts)

    def read() -> bytes | None:
        # The baseline names their digest, so they can be read from anywhere and still be checked.
        return read_packed(kept) if source.outputs is None else source.outputs

    name, needed = named(kept, source), run.result.settings.max_churn < 1
    opened = open_outputs(baseline, name, read, recorded=not source.against, needed=needed)
    if opened.outputs is None:
        return _Answers(opened)
    try:
        spec = TASKS[run.result.suite.task]
        churn = changed_answers(spec, run.rows, opened.outputs)
        originals = original_predictions(spec, as_rows(run.rows), opened.outputs, known)
        return _Answers(opened, churn, originals)
    except OutputsFault as fault:
        return _Answers(without_outputs(name, fault, needed=needed))


def _collect_facts(
    result: Result, baseline: Baseline, answers: AnswerChurn | None, predictions: _Predictions
) -> RunFacts:
    """Return what is known of a run and its baseline beside their verdicts."""
    mark = result.checkpoint.fingerprint
    return RunFacts(
        same=bool(mark) and all(run.checkpoint.fingerprint == mark for run in baseline.runs),
        answers=answers,
        flips=labelled_flips(result.labelled, [run.labelled for run in baseline.runs]),
        labelled=result.labelled is not None,
        look=result.early.look if result.early else 0,
        one_class=predictions.one_class,
        shift=predictions.shift,
    )
