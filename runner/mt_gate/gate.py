"""The whole run, top to bottom: prepare, measure, judge, report. The file to read first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base.console import Say
from mt_gate.base.errors import PASS
from mt_gate.baselines.anchoring import told_against
from mt_gate.baselines.changed_answers import (
    changed_answers,
    original_outputs,
    original_predictions,
)
from mt_gate.baselines.fitting import check_arithmetic, check_covers, units_of_run
from mt_gate.baselines.outputs import OutputsFault, outputs_path
from mt_gate.baselines.reading import BaselineSource
from mt_gate.baselines.recording import check_missing
from mt_gate.baselines.row_outputs import (
    OpenedOutputs,
    compared_rows,
    open_outputs,
    read_packed,
    without_outputs,
)
from mt_gate.baselines.schema import Baseline
from mt_gate.baselines.writing import RunToRecord, build_baseline, in_memory, record_pair
from mt_gate.judging.churn import labelled_flips
from mt_gate.judging.comparison import Beside, Outcome, compare, judge_alone
from mt_gate.judging.evidence import in_words
from mt_gate.judging.prediction_shift import (
    Original,
    describe_shift,
    describe_shift_of_profiles,
    find_one_class,
)
from mt_gate.judging.verdicts import RunVerdicts, narrowed, verdicts_from_rows
from mt_gate.relations.base import Context, MetamorphicRelation
from mt_gate.relations.known_answer import is_known_answer, is_labels, labels_id
from mt_gate.reporting.words.texts import relation_texts, with_stated
from mt_gate.results import rules
from mt_gate.results import store as result_store
from mt_gate.results.identity import TOOL
from mt_gate.results.out_folder import BASE, OF_BASE, check_writable, renewed, reserved
from mt_gate.results.result import (
    FORMAT,
    AgainstAnchor,
    AnswerChurn,
    EarlyStop,
    Evidence,
    GateVerdict,
    GroupRow,
    Profiles,
    RelationResult,
    Result,
    RunSettings,
    Timing,
)
from mt_gate.results.rows import RowHead, RowLines, as_rows
from mt_gate.running import counting, evaluation
from mt_gate.running.against import (
    answers_notes,
    base_name,
    base_settings,
    cache_apart,
    check_sides,
)
from mt_gate.running.baselines import check_baseline, load_baseline, named
from mt_gate.running.cache import Cache, default_folder
from mt_gate.running.clock import Clock
from mt_gate.running.context import context_of
from mt_gate.running.early_stop import (
    WENT_ON,
    ask_in_parts,
    at_look,
    check_early_stop,
    check_part,
    is_decided,
    stopped_reason,
    with_why,
)
from mt_gate.running.label_sense import check_label_sense
from mt_gate.running.labels import LabelledInputs, predict_labelled, read_labels
from mt_gate.running.loading import LoadedSuite, load_suite, parity_inputs, run_settings
from mt_gate.running.notes import baseline_notes, run_notes, unchecked_notes
from mt_gate.running.operating import check_named, needs_of, reading_change
from mt_gate.running.policies import check_limits, check_policy, today
from mt_gate.running.predicting import Predictor, Progress
from mt_gate.running.systems import cache_of, open_named
from mt_gate.settings.record import OPTIONS, Settings
from mt_gate.settings.values import in_text
from mt_gate.suites.format import Suite, masked_of
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import Noise, ProgramPlace, System
from mt_gate.sut.systems.kinds import PROGRAM
from mt_gate.tasks.table import TASKS


class Prepared(NamedTuple):
    """All that a run needs, read and checked; ``system`` is open, ``cache`` a folder."""

    settings: Settings
    suite: Suite
    relations: Sequence[MetamorphicRelation]
    baseline: Baseline | None
    system: System
    context: Context
    cache: Path
    labels: LabelledInputs | None = None


class Answering(NamedTuple):
    """Who answers a run, open, and what relations may know of it."""

    system: System
    context: Context


class Given(NamedTuple):
    """What a run is given that has it already, and else finds by its settings.

    ``suite`` is one that several runs share, ``answering`` stands in for the system that the
    settings name: answers that shards of the run have stored. ``holds_out`` says that the caller
    has reserved the folder of reports. ``place`` is where a command runs, ``base_place`` where that
    of ``against`` does. ``options`` are those that the result keeps, None for those of the
    settings.
    """

    suite: LoadedSuite | None = None
    answering: Answering | None = None
    holds_out: bool = False
    place: ProgramPlace | None = None
    base_place: ProgramPlace | None = None
    options: Mapping[str, str] | None = None


class Run(NamedTuple):
    """A result and its rows, as ``measure``, ``judge`` and ``report`` return them.

    There may be any number of passes over the rows.
    """

    result: Result
    rows: RowLines | Sequence[GroupRow]


def run(
    settings: Settings,
    say: Say,
    progress: Progress,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
    given: Given = Given(),  # noqa: B008 - a tuple
) -> Run:
    """Run a suite against a checkpoint, compare, and write the five files.

    Cheap checks come first. Until all files are written, those of an earlier run stay.

    Args:
        settings: of the run.
        say: called with each line that the user should see at once.
        progress: called with how many inputs are predicted, and of how many.
        source: the baseline as read from elsewhere, used instead of its file; empty by default.
        given: what need not be read or opened.

    Raises:
        UsageError: a setting names what does not exist.
        CannotJudge: suite, baseline or checkpoint is missing, unreadable or does not fit.
    """
    options = options_of(settings) if given.options is None else given.options
    check_early_stop(settings)
    check_missing(settings.record_missing, settings.baseline)
    check_writable(settings.out)
    with (
        nullcontext() if given.holds_out else reserved(settings.out),
        renewed(settings.out) as new,
    ):
        if settings.against:
            check_sides(settings)
            settings, made = _with_base(settings, new / BASE, say, progress, given)
            source = made._replace(notes=source.notes)
        clock = Clock()
        prepared = prepare(settings, say, clock, source, given)
        baseline = prepared.baseline
        base = baseline.first.checkpoint if baseline and source.against else None
        with (
            closing(prepared.system),
            cache_apart(prepared.cache, base, prepared.system.head) as apart,
            cache_of(apart, settings) as cache,
        ):
            measured = measure(prepared._replace(cache=cache), progress, clock)
            measured = Run(replace(measured.result, options=options), measured.rows)
        del prepared  # the suite takes as much memory as judging does
        with clock.phase("compare"):
            judged = judge(measured, baseline, settings.baseline, source)
        finished = report(new, judged, clock)
        missing = settings.record_missing and settings.baseline and baseline is None
        if missing and finished.result.exit_code != PASS:
            say(f"no baseline at {settings.baseline}: this run fails, so it was not recorded")
        elif missing and settings.baseline:
            words = record(settings.baseline, finished)
            say(f"no baseline at {settings.baseline}: recorded this run as the baseline")
            if words:
                say(words)
    return finished


def _with_base(
    settings: Settings, out: Path, say: Say, progress: Progress, given: Given
) -> tuple[Settings, BaselineSource]:
    """Run what the candidate is compared with, and return what then stands for a baseline."""
    base = replace(base_settings(settings), out=out)
    say(f"running the base, {settings.against}")
    of_base = Given(place=given.base_place)
    first = run(base, say, progress, BaselineSource(notes=(OF_BASE,)), of_base)
    recorded = RunToRecord(first.result, verdicts_from_rows(first.rows))
    baseline = build_baseline([recorded], base_name(first.result), accept="run in the same job")
    say(f"running the candidate, {settings.system or settings.checkpoint}")
    final = settings.out / BASE / result_store.RESULT
    judged = replace(settings, baseline=final, against="")
    return judged, in_memory(baseline, first.rows, settings.against)


def prepare(
    settings: Settings,
    say: Say,
    clock: Clock,
    source: BaselineSource,
    given: Given = Given(),  # noqa: B008 - a tuple
) -> Prepared:
    """Read suite and baseline, open the system, and check that they belong together."""
    with clock.phase("load"):
        suite, relations = loaded = given.suite or load_suite(settings)
        listed = [relation.id for relation in suite.head.relations]
        listed += [labels_id(settings.task)] if settings.labels else []
        check_policy(settings.policy, settings.task, today(), listed)
        check_limits(settings, listed)
        baseline = load_baseline(settings, suite, relations, source)
        labels = _labels(settings)
        cache = settings.cache or default_folder()
    with ExitStack() as opened:
        with clock.phase("export"):
            system, context = given.answering or _answering(
                settings, loaded, cache, say, given.place
            )
            opened.enter_context(closing(system))
        suite = suite.under(context.ontology)
        if baseline is not None and settings.baseline is not None:
            check_baseline(baseline, suite, relations, named(settings.baseline, source))
        opened.pop_all()
    return Prepared(settings, suite, relations, baseline, system, context, cache, labels)


def _labels(settings: Settings) -> LabelledInputs | None:
    if not settings.labels:
        return None
    return read_labels(settings.labels, settings.task, settings.label_map)


def _answering(
    settings: Settings, loaded: LoadedSuite, cache: Path, say: Say, place: ProgramPlace | None
) -> Answering:
    """Open the system that the settings name."""
    suite, relations = loaded
    inputs = parity_inputs(settings, suite)
    needs = needs_of(suite.head, {relation.id for relation in relations})
    with ExitStack() as opened:
        system = opened.enter_context(
            closing(open_named(settings, cache, inputs, say, needs=needs, place=place))
        )
        context = context_of(settings.task, settings.ontology, system)
        opened.pop_all()
    return Answering(system, context)


def measure(prepared: Prepared, progress: Progress, clock: Clock) -> Run:
    """Ask the system, and count what its answers violate; nothing is compared yet."""
    settings, suite, relations, _, system, _, folder, _ = prepared
    with closing(Cache(folder, system.cache_key)) as cache:
        # Asked first, and apart: what is said of the suite's answers is of these alone.
        beside = Predictor(system, cache, progress, clock.phase)
        labelled = prepared.labels and predict_labelled(prepared.labels, settings.task, beside)
        predictor = Predictor(system, cache, progress, clock.phase)
        counts = counting.RunCounts()
        with clock.phase("judge"):
            asked = _asked(prepared, predictor)
            own = labelled.rows(largest(asked.noise)) if labelled else ()
            rows = as_rows(counts.watched(chain(asked.rows, own)))
    if TASKS[settings.task].label_map:
        recorded = prepared.baseline and prepared.baseline.first.checkpoint.reading
        if recorded != system.head.reading:  # else labels made sense when it was recorded
            needs = needs_of(suite.head, {relation.id for relation in relations})
            check_named(system.head, needs, predictor.outputs())
            check_label_sense(rows, suite.head, settings.label_map)
    ids = [*(of.id for of in relations), *([labels_id(settings.task)] if labelled else [])]
    counted = counting.described(counts.results(ids), suite)
    result = Result(
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        suite=suite.identity,
        checkpoint=system.head,
        settings=run_settings(settings, suite, ids, largest(asked.noise)),
        relations=tuple(replace(i, tier=settings.policy.tier(i.id)) for i in counted),
        overall=counting.overall(counted),
        profile=Profiles(candidate=_profile(settings.task, rows)),
        timing=Timing(),
        predictions=predictor.counts,
        notes=run_notes(suite.identity, system.head, counted),
        noise=asked.noise,
        labelled=labelled.wrong() if labelled else None,
        masked=masked_of(suite.head) if settings.mask_offensive else (),
        early=asked.early,
    )
    return Run(result, rows)


def _profile(task: str, rows: RowLines) -> dict[str, float]:
    """Return what the system predicts for the originals, which every run of a suite shares."""
    return TASKS[task].profile(original_outputs(rows))


def options_of(settings: Settings) -> dict[str, str]:
    """Return the options that a result keeps for the command that repeats it, as text.

    Of a program only that it was one: its arguments may hold secrets.
    """
    values = {name: getattr(settings, name) for name in OPTIONS}
    if settings.system.startswith(PROGRAM):
        values["system"] = f"{PROGRAM}PROGRAM"
    return {name: in_text(value) for name, value in values.items() if value}


class _Asked(NamedTuple):
    """What a run comes to: its rows, the system's noise, how far it went if it may stop early."""

    rows: Iterable[GroupRow]
    noise: Noise
    early: EarlyStop | None = None


def _asked(prepared: Prepared, predictor: Predictor) -> _Asked:
    """Ask all of the suite, or with a baseline and early stop as much as is needed."""
    settings, suite, relations, baseline, _, context, _, _ = prepared
    if baseline is None or not settings.early_stop:
        return _Asked(*evaluation.evaluate(suite, relations, predictor, context))
    # Which rows noise could turn they say themselves.
    judged_by = run_settings(settings, suite, [of.id for of in relations], noise=0.0)

    def decided(rows: Iterable[RowHead | GroupRow], look: int) -> bool:
        return is_decided(rows, baseline, judged_by, look)

    return _Asked(*ask_in_parts(suite, relations, predictor, context, decided))


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
        verdicts, before, judged_by, _beside(result, baseline, answers.churn, predictions)
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
        evidence=outcome.evidence,
        one_class=predictions.one_class,
        shift=predictions.shift,
    )
    told = _told(judged, baseline, source)
    notes = (*source.notes, *told, *([shown.note] if shown.note else []))
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


def _told(judged: Result, baseline: Baseline, source: BaselineSource) -> Iterator[str]:
    """Yield the notes on a run that was compared."""
    yield from run_notes(judged.suite, judged.checkpoint, judged.relations)
    if judged.early and not judged.early.stopped:
        yield WENT_ON
    if judged.anchor:
        yield judged.anchor.sentence
    yield from _advice(judged.evidence, judged.settings)
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


def _advice(evidence: Evidence | None, settings: RunSettings) -> tuple[str, ...]:
    """Return what margins say beside the verdict, if anything beyond chance."""
    told = in_words(evidence, settings.alpha) if evidence else ""
    return (told,) if told else ()


def _anchor(result: Result, baseline: Baseline, verdicts: RunVerdicts) -> AgainstAnchor | None:
    """Hold a run against the anchor of its baseline, where all of it was asked."""
    if baseline.anchor is None or (result.early and result.early.stopped):
        return None
    return told_against(baseline.anchor, verdicts, result.settings)


def report(out: Path, run: Run, clock: Clock | None = None) -> Run:
    """Write the five files of a run into an empty folder, the result last; return it as stored.

    A folder without a result is never read as a run.

    Args:
        out: the folder.
        run: judged, or measured where there is no baseline.
        clock: of the run; without one its timing stays as it is.
    """
    from mt_gate.reporting.writers.write import write_reports

    result = replace(run.result, timing=clock.timing()) if clock else run.result
    with (clock or Clock()).phase("report"):
        rows = as_rows(run.rows).without_secrets()
        result = result_store.write_rows(out, result, rows)
        write_reports(out, result, lambda: rows, with_stated(relation_texts(), result))
    result = replace(result, timing=clock.timing()) if clock else result
    result_store.write_result(out, result)
    return Run(result, rows)


def record(path: Path, run: Run) -> str:
    """Record a run as the baseline that was missing; return why its answers are not kept, if so."""
    result, rows = run
    recorded = RunToRecord(result, verdicts_from_rows(rows))
    return record_pair(path, build_baseline([recorded], path.stem), rows)


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


def _beside(
    result: Result, baseline: Baseline, answers: AnswerChurn | None, predictions: _Predictions
) -> Beside:
    """Return what is known of a run and its baseline beside their verdicts."""
    mark = result.checkpoint.fingerprint
    return Beside(
        same=bool(mark) and all(run.checkpoint.fingerprint == mark for run in baseline.runs),
        answers=answers,
        flips=labelled_flips(result.labelled, [run.labelled for run in baseline.runs]),
        labelled=result.labelled is not None,
        look=result.early.look if result.early else 0,
        one_class=predictions.one_class,
        shift=predictions.shift,
    )
