"""Judge a measured run by comparing it with its baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.baselines.outputs import (
    NOT_STORED,
    TOO_MANY,
    OutputsFault,
    StoredOutputs,
    changed_answers,
    compared_rows,
    note_on_fault,
    open_outputs,
    outputs_path,
)
from mt_gate.baselines.recording import compare_with_anchor
from mt_gate.baselines.schema import (
    Baseline,
    BaselineSource,
    Units,
    check_arithmetic,
    check_covers,
)
from mt_gate.domain import NotApplicable
from mt_gate.judging.churn import (
    Original,
    describe_shift,
    describe_shift_of_profiles,
    find_one_class,
    labelled_flips,
)
from mt_gate.judging.comparison import RunFacts, compare, judge_alone
from mt_gate.judging.family import LOOKS, share_predicted
from mt_gate.judging.verdicts import (
    RelationVerdicts,
    RunVerdicts,
    restrict_to,
    verdicts_from_rows,
    with_others,
)
from mt_gate.relations.base import is_known_answer, is_labels
from mt_gate.results import rules
from mt_gate.results.result import (
    NO_FINGERPRINT,
    AnswerChurn,
    BaselineHead,
    CheckpointHead,
    EarlyStop,
    GateVerdict,
    Predictions,
    RelationResult,
    Result,
    SuiteHead,
    is_loss,
)
from mt_gate.results.store import OF_BASE, Run, as_rows
from mt_gate.running.entity_kinds import KIND, check_same_kinds
from mt_gate.running.operating import reading_change
from mt_gate.running.preparing import list_whole_run_settings, named
from mt_gate.settings.record import TORCH, dashed
from mt_gate.suites.reviews import ACCEPTED
from mt_gate.sut.protocol import FLIPS, PROVIDER, Noise
from mt_gate.tasks.table import TASKS

_ONE_RUN = (
    "Single-run baseline: variation between training runs is not accounted for. If you "
    f"retrained, add --retrained: {page('baselines', 'a-retrained-checkpoint')}"
)
_ONE_RETRAINED = (
    "One run does not show how much trainings differ, so mt-gate assumes the usual difference. "
    f"Record 3 to 5 runs to measure it: {page('baselines', 'a-retrained-checkpoint')}"
)
_ONE_CHECKPOINT = (
    "Base and candidate are the same checkpoint (same fingerprint). Only the computation can "
    "cause differences."
)
_WENT_ON = (
    f"The run could have stopped early, but did not. Its {LOOKS} interim analyses shared alpha: "
    f"{page('decisions', 'early-stop')}"
)
_FEW_OF_SLICE = "Too few cases to test these slices, which have their own margin"
_CONDITIONS = ("provider", "precision", "device", "onnxruntime", "threads")
"""Facts on how two runs were computed, except CPU features."""


def run_notes(
    suite: SuiteHead, checkpoint: CheckpointHead, relations: Iterable[RelationResult]
) -> tuple[str, ...]:
    """Return notes on a run: its subset of the suite, skipped cases, its system, its label map."""
    relations = tuple(relations)
    notes = [f"Subset of {suite.name}: {words}" for words in suite.part]
    notes += [_paper_note(suite, relations)] if suite.filters else []
    reasons = (NotApplicable.TRUNCATED, NotApplicable.QUESTION_TOO_LONG)
    unread = sum(
        relation.not_applicable.get(reason, 0) for relation in relations for reason in reasons
    )
    if unread:
        notes.append(
            f"{figures.counted(unread, 'case')} skipped: the input is longer than the model's "
            "maximum (for boolq, the question alone). See max_length in checkpoint.json, and "
            "--max-length."
        )
    if checkpoint.runtime.provider.startswith(TORCH):
        notes.append(
            "The checkpoint ran in PyTorch (--backend torch), which is slower. No ONNX model was "
            "tested."
        )
    if not checkpoint.fingerprint:
        notes.append(f"The system, {checkpoint.name}, has {NO_FINGERPRINT}")
    if reading := checkpoint.reading:
        notes.append(reading[0].upper() + reading[1:])
    kinds = [
        part.name.removeprefix(KIND)
        for relation in relations
        for part in relation.slices
        if part.name.startswith(KIND) and not part.applicable
    ]
    if kinds and checkpoint.label_map:
        notes.append(f"Not tested, because the label map omits them: {', '.join(kinds)}")
    return tuple(notes)


def endpoint_notes(
    checkpoint: CheckpointHead, predictions: Predictions, noise: Noise
) -> tuple[str, ...]:
    """Return notes on the requests to a language model, and on how often its predictions differ."""
    notes = []
    if predictions.sent:
        cost = f", cost {figures.significant(predictions.cost)}" if predictions.cost else ""
        requests = figures.counted(predictions.sent, "request")
        notes.append(f"{requests} to {checkpoint.runtime.device}{cost}")
    if predictions.unread_reply:
        notes.append(f"Some replies are not labels: for example {quoted(predictions.unread_reply)}")
    if noise.get(FLIPS):
        notes.append(
            f"{figures.percent(noise[FLIPS])} of inputs got a different prediction the second time"
        )
    return tuple(notes)


def _paper_note(suite: SuiteHead, relations: Sequence[RelationResult]) -> str:
    """Return how many cases reviewers accepted in samples of suites built with the same rules."""
    ids = [item.id for item in relations if not (is_known_answer(item.id) or is_labels(item.id))]
    marked = [(name, *ACCEPTED[name]) for name in ids if name in ACCEPTED]
    accepted = [f"{name} {share} of {read}" for name, share, read in marked]
    unread = ", ".join(name for name in ids if name not in ACCEPTED)
    parts = [f"Reviewers accepted in samples: {', '.join(accepted)}"] if accepted else []
    parts += [f"Not reviewed: {unread}"] if unread else []
    return (
        f"Suite {suite.name} was built with --filters {suite.filters}, so some cases may be wrong. "
        f"{'. '.join(parts)}"
    )


def baseline_notes(
    result: Result, baseline: Baseline, verdict: GateVerdict, *, here: bool = False
) -> tuple[str, ...]:
    """Return notes on how a baseline's runs differ from the run that is compared with them."""
    notes = []
    by_seeds = result.overall.comparison and result.overall.comparison.rise_by_seeds
    if by_seeds:
        some = figures.size_in_points(by_seeds)
        notes.append(f"A rise of up to {some} overall can come from training with another seed.")
    if len(baseline.runs) == 1 and result.settings.retrained:
        notes.append(_ONE_RETRAINED)
    elif len(baseline.runs) == 1 and is_loss(verdict) and not here:
        notes += [] if result.checkpoint.prompt else [_ONE_RUN]
    mark = result.checkpoint.fingerprint
    if here and mark and mark == baseline.runs[0].checkpoint.fingerprint:
        notes.append(_ONE_CHECKPOINT)
    now = result.checkpoint.runtime
    for before in (run.checkpoint for run in baseline.runs):
        if not before.fingerprint:
            notes.append(f"The baseline's model, {before.name}, has {NO_FINGERPRINT}")
        # Differences in computation or label map can change verdicts.
        then = before.runtime
        if before.reading != result.checkpoint.reading:
            notes.append(f"The baseline used {before.reading or 'no label map'}")
        on_cpu = now.device == then.device == "cpu"
        for field in _CONDITIONS:
            one, other = getattr(now, field), getattr(then, field)
            known = field == "provider" or (one and other)
            if one != other and known and (field != "threads" or on_cpu):
                notes.append(f"This run used {field} {one}, but the baseline used {other}")
        has, had = {*now.cpu_features}, {*then.cpu_features}
        if has and had and has != had and on_cpu:
            only = (("only this CPU has", has - had), ("only the baseline's has", had - has))
            parts = ", ".join(f"{who} {' '.join(sorted(names))}" for who, names in only if names)
            notes.append(f"The baseline was recorded on a CPU with other instructions: {parts}")
        moved = result.noise.get(PROVIDER)
        if moved is not None and now.provider != then.provider:
            notes.append(
                f"Scores of one input differ by up to {figures.significant(moved)} between "
                f"{now.provider} and the CPU."
            )
    return tuple(dict.fromkeys(notes))


def judge(
    run: Run,
    baseline: Baseline | None,
    path: Path | None,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
    seeds: Sequence[RunVerdicts] = (),
) -> Run:
    """Compare a run with a baseline; without a baseline, its verdict stays ``measured``.

    ``seeds`` are trainings of the same recipe: rates are the means of all.
    """
    result, settings = run.result, run.result.settings
    if baseline is None or path is None:
        return _judge_alone(run, source)
    if result.checkpoint.label_map and TASKS[result.suite.task].spans:
        # A kind without a label would no longer be tested.
        check_same_kinds(result.checkpoint, baseline.runs[0].checkpoint, named(path, source))
    verdicts = verdicts_from_rows(run.rows)
    if seeds:
        verdicts = with_others(verdicts, seeds)
    early, judged_by = result.early, settings
    before = tuple(run.verdicts() for run in baseline.runs)
    stopped = early is not None and early.stopped
    if early and early.looks != LOOKS:
        raise CannotJudge(
            f"The result was judged at interim analysis {early.look} of {early.looks}, but this "
            f"release has {LOOKS}. Run it again."
        )
    for option in list_whole_run_settings(settings) if stopped else ():
        raise UsageError(
            f"{dashed(option)} needs the whole suite, but this run stopped early. Run it again "
            "without --early-stop."
        )
    units = {}
    for name in settings.relations:
        counts = verdicts.get(name, RelationVerdicts(id=""))
        ids = counts.sources if counts.bound else counts.source_of
        units[name] = Units(counts.bound, ids.keys())
    check_covers(baseline, units, named(path, source), whole=not stopped)
    if settings.flips:
        judged_by = rules.with_allowed_flips(judged_by, baseline.settings)
    by_flips = judged_by.allowed_flips
    if early and stopped:
        before = restrict_to(before, verdicts)
        judged_by = rules.at_part(judged_by, share_predicted(early.look))
    check_arithmetic(baseline, result, named(path, source))
    whole_profile = None if stopped else baseline.runs[0].profile
    result = replace(result, profile=replace(result.profile, baseline=whole_profile))
    facts, outputs, without = _facts(Run(result, run.rows), baseline, path, source, verdicts)
    outcome = compare(verdicts, before, judged_by, facts)
    try:
        rows = compared_rows(as_rows(run.rows), outcome.changes, outputs)
    except OutputsFault as fault:  # then no row gets the baseline's predictions
        rows = compared_rows(as_rows(run.rows), outcome.changes, None)
        without = note_on_fault(fault, named(outputs_path(path), source))
    if early and stopped and early.loss is None:
        # If a run is judged again, keep its reason to stop: other settings might not stop it.
        early = replace(early, loss=is_loss(outcome.verdict))
    anchor = None if stopped else baseline.anchor
    now = result.checkpoint
    changes = {
        reading_change(now, then)
        for then in (run.checkpoint for run in baseline.runs)
        if now.reading or then.reading
    }
    prompt = baseline.runs[0].checkpoint.prompt
    other_prompt = "" if prompt == result.checkpoint.prompt else prompt
    relations = tuple(
        replace(
            item,
            tier=settings.policy.tier(item.id),
            comparison=outcome.relations.get(item.id),
            slices=tuple(
                replace(part, comparison=outcome.slices.get(item.id, {}).get(part.name))
                for part in item.slices
            ),
        )
        for item in result.relations
    )
    untested = [
        part.name
        for item in relations
        for part in item.slices
        if part.name in (settings.policy.of(item.id).slices or ())
        and (part.comparison is None or part.comparison.baseline_rate is None)
    ]
    own_margin = (f"{_FEW_OF_SLICE}: {', '.join(untested)}",) if untested else ()
    judged = replace(
        result,
        settings=replace(result.settings, allowed_flips=by_flips),
        verdict=outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=((_stopped_reason(early),) if early and stopped else ()) + outcome.reasons,
        early=early,
        relations=relations,
        overall=replace(result.overall, comparison=outcome.overall),
        baseline=BaselineHead(
            path=str(path),
            name=baseline.name,
            recorded=baseline.recorded,
            suite_sha256=baseline.suite.sha256,
            checkpoint_fingerprint=baseline.runs[0].checkpoint.fingerprint,
            runs=len(baseline.runs),
            commit=source.commit,
            notes=(*source.notes, *own_margin, *(("The prompt differs",) if other_prompt else ())),
            against=source.against,
            runtime=baseline.runs[0].checkpoint.runtime if source.against else None,
            rereading=changes.pop() if len(changes) == 1 else "",
            prompt=other_prompt,
        ),
        anchor=anchor and compare_with_anchor(anchor, verdicts, settings),
        churn=outcome.churn,
        one_class=facts.one_class,
        shift=facts.shift,
    )
    notes = [
        *source.notes,
        *own_margin,
        *run_notes(judged.suite, judged.checkpoint, judged.relations),
    ]
    if FLIPS in judged.noise:
        notes += endpoint_notes(judged.checkpoint, judged.predictions, judged.noise)
    if by_flips:
        notes.append(
            f"Margins are {figures.size_in_points(by_flips)} larger, because a prediction may "
            "differ from one request to the next"
        )
    if early and not stopped:
        notes.append(_WENT_ON)
    if judged.anchor:
        notes.append(judged.anchor.sentence)
    if seeds:
        notes.append(
            f"Violation rates are means of {1 + len(seeds)} trainings. Cases are those of the first"
        )
    notes += baseline_notes(judged, baseline, judged.verdict, here=bool(source.against))
    notes += [without] if without else []
    return Run(replace(judged, notes=tuple(notes)), rows)


def _judge_alone(run: Run, source: BaselineSource) -> Run:
    result, settings = run.result, run.result.settings
    if OF_BASE in source.notes:
        return Run(replace(result, notes=(*source.notes, *result.notes)), run.rows)
    policy = settings.policy
    limits = {
        "required": settings.required or any(policy.of(name).required for name in policy.relations),
        "max-churn": settings.max_churn < 1,
        "max-negative-flips": settings.max_negative_flips < 1,
    }
    unchecked = ", ".join(name for name, value in limits.items() if value)
    notes = [*source.notes, *result.notes]
    if unchecked:
        notes.insert(len(source.notes), f"Not checked, because there is no baseline: {unchecked}")
    if settings.max_violation_rate or rules.must_hold(settings):
        verdict, code, reasons = judge_alone(verdicts_from_rows(run.rows), settings)
        result = replace(result, verdict=verdict, exit_code=code, reasons=reasons)
    return Run(replace(result, notes=tuple(notes)), run.rows)


def _stopped_reason(early: EarlyStop) -> str:
    # State the reason at the time of the run: if judged again, its verdict may differ.
    why = (
        "a regression was certain"
        if early.loss
        else "a regression was unlikely to be found in the rest"
    )
    part = f"{early.asked:,} of {figures.counted(early.clusters, 'cluster')} of original texts"
    return (
        f"Stopped early because {why}: {part} were run (interim analysis {early.look} of "
        f"{early.looks}). Counts, rates and intervals cover these only."
    )


def _facts(
    run: Run, baseline: Baseline, path: Path, source: BaselineSource, verdicts: RunVerdicts
) -> tuple[RunFacts, StoredOutputs | None, str]:
    """Return facts about both runs, the baseline's predictions, and a note if they are missing.

    Raises CannotJudge: ``max-churn`` is set, and the file of predictions cannot be used.
    """
    result, settings = run.result, run.result.settings
    task, early = TASKS[result.suite.task], result.early
    outputs, note = None, TOO_MANY if source.against else NOT_STORED
    churn: AnswerChurn | None = None
    originals: list[Original] | None = None  # those without a known answer
    if baseline.answers_sha256:
        known = {
            judged.source_of[group]
            for relation, judged in verdicts.items()
            if is_known_answer(relation) or is_labels(relation)
            for group in judged.applicable
        }
        try:
            outputs, note = open_outputs(baseline, path, source), ""
            churn, originals = changed_answers(task, as_rows(run.rows), outputs, known)
        except OutputsFault as fault:
            name, needed = named(outputs_path(path), source), settings.max_churn < 1
            outputs, note = None, note_on_fault(fault, name, needed=needed)
    answers_known = any(
        is_known_answer(name) and judged.applicable for name, judged in verdicts.items()
    )
    runs, shift = [run.profile for run in baseline.runs], ""
    if originals is not None:
        shift = describe_shift(task, originals, runs, settings)
    elif not answers_known and result.profile.baseline is not None:
        suite = [judged for relation, judged in verdicts.items() if not is_labels(relation)]
        number = len({source for judged in suite for source in judged.source_of.values()})
        shift = describe_shift_of_profiles(task, result.profile, number, runs, settings)
    mark = result.checkpoint.fingerprint
    unanswered, cases = rules.count_unanswered(result.relations)
    facts = RunFacts(
        same=bool(mark) and all(run.checkpoint.fingerprint == mark for run in baseline.runs),
        answers=churn,
        flips=labelled_flips(result.labelled, [run.labelled for run in baseline.runs]),
        labelled=result.labelled is not None,
        look=early.look if early else 0,
        one_class=""
        if 2 * unanswered > cases  # most predictions are missing, which fails the gate
        else find_one_class(task, churn, result.profile, known=answers_known),
        shift=shift,
    )
    return facts, outputs, note
