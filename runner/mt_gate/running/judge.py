"""A run that was measured, compared with its baseline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.baselines.anchoring import compare_with_anchor
from mt_gate.baselines.fitting import check_arithmetic, check_covers, units_of_run
from mt_gate.baselines.outputs import OutputsFault, outputs_path
from mt_gate.baselines.row_outputs import (
    OpenedOutputs,
    changed_answers,
    compared_rows,
    open_outputs,
    original_predictions,
    without_outputs,
)
from mt_gate.baselines.schema import Baseline, BaselineSource
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
    AgainstAnchor,
    AnswerChurn,
    RelationResult,
    Result,
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
from mt_gate.running.notes import baseline_notes, run_notes, unchecked_notes
from mt_gate.running.operating import reading_change
from mt_gate.running.preparing import named
from mt_gate.tasks.table import TASKS


def judge(
    run: Run,
    baseline: Baseline | None,
    path: Path | None,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
) -> Run:
    """Compare a run with a baseline; without one its verdict stays ``measured``.

    Raises CannotJudge: the baseline lacks a relation of the run, has other groups, or was computed
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
    rows, without = compared_rows(as_rows(run.rows), outcome.changes, answers.opened)
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
    notes = (*source.notes, *more, *([without] if without else []))
    return Run(replace(judged, notes=notes), rows)


def _judged_alone(run: Run, source: BaselineSource) -> Run:
    result, settings = run.result, run.result.settings
    if OF_BASE in source.notes:
        return Run(replace(result, notes=(*source.notes, *result.notes)), run.rows)
    notes = (*source.notes, *unchecked_notes(settings), *result.notes)
    if settings.max_violation_rate or rules.must_hold(settings):
        verdict, code, reasons = judge_alone(verdicts_from_rows(run.rows), settings)
        result = replace(result, verdict=verdict, exit_code=code, reasons=reasons)
    return Run(replace(result, notes=notes), run.rows)


def _rereading(result: Result, baseline: Baseline) -> str:
    now = result.checkpoint
    changes = {reading_change(now, run.checkpoint) for run in baseline.runs}
    return changes.pop() if len(changes) == 1 else ""


def _list_notes(judged: Result, baseline: Baseline, source: BaselineSource) -> Iterator[str]:
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


def _predictions(
    result: Result, baseline: Baseline, verdicts: RunVerdicts, answers: _Answers
) -> _Predictions:
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
    known = {
        of.source_of[group]
        for relation, of in verdicts.items()
        if is_known_answer(relation) or is_labels(relation)
        for group in of.applicable
    }
    name, needed = named(outputs_path(path), source), run.result.settings.max_churn < 1
    opened = open_outputs(baseline, name, path, source, needed=needed)
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
