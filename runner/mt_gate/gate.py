"""The whole run, top to bottom: the file to read first."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate import __version__
from mt_gate.base.console import print_table
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.jsonio import without_secrets
from mt_gate.baselines.outputs import answers_path
from mt_gate.baselines.recording import record_pair
from mt_gate.baselines.row_outputs import read_packed, recall
from mt_gate.baselines.store import (
    Baseline,
    BaselineSource,
    Units,
    build_baseline,
    check_covers,
    check_fits,
    check_name,
    parse_baseline,
    read_baseline,
    units_of_run,
)
from mt_gate.judging.comparison import Outcome, compare, verdicts_from_rows
from mt_gate.relations import catalogue
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.reporting.words.texts import RelationText
from mt_gate.results import store as result_store
from mt_gate.results.identity import NO_FINGERPRINT
from mt_gate.results.old_reports import remove_reports
from mt_gate.results.out_folder import emptied
from mt_gate.results.result import (
    FORMAT,
    Change,
    CheckpointHead,
    GateVerdict,
    GroupRow,
    Profiles,
    RelationResult,
    Result,
    RunSettings,
    SuiteHead,
    Timing,
    Tool,
)
from mt_gate.running import evaluation
from mt_gate.running.cache import Cache, default_folder
from mt_gate.running.checkpoints import open_checkpoint
from mt_gate.running.context import context_of
from mt_gate.running.predicting import Predictor, Progress
from mt_gate.settings.record import STORED, Settings
from mt_gate.suites.drawing import draw
from mt_gate.suites.format import Suite, find_suite, read_suite
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import Allowed
from mt_gate.sut.protocol import TRUNCATED, System
from mt_gate.sut.systems.kinds import SystemOptions, open_system
from mt_gate.sut.yes_no import QUESTION_TOO_LONG
from mt_gate.tasks import relation_extraction
from mt_gate.tasks.table import TASKS

TOOL = Tool(name="mt-gate", version=__version__)
PARITY_INPUTS = 256
TEXTS = {
    item.id: RelationText(item.title, item.description, item.before, item.after)
    for item in catalogue.RELATIONS
}
LOST = (GateVerdict.REGRESSION, GateVerdict.COLLAPSE)
Say = Callable[[str], None]


class Run(NamedTuple):
    """A finished run."""

    result: Result
    rows: list[GroupRow]


class Clock:
    """Adds up the seconds of each phase."""

    def __init__(self) -> None:
        """Start."""
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time the block takes to phase ``name``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def timing(self) -> Timing:
        """Return the phases, rounded to milliseconds, with the time since the start."""
        phases = {name: round(seconds, 3) for name, seconds in self.seconds.items()}
        return Timing(**phases, total=round(time.perf_counter() - self._start, 3))


def run(
    settings: Settings,
    say: Say,
    progress: Progress,
    source: BaselineSource | None = None,
) -> Run:
    """Run a suite against a checkpoint, compare, and write the five files.

    What could be wrong is looked at in the order of what it costs, and nothing
    is written before all of it is right.

    Args:
        settings: of the run.
        say: told what the user should know at once.
        progress: told how far predictions are.
        source: what stands in for the baseline's file, if anything does.

    Raises:
        UsageError: a setting names what does not exist.
        CannotJudge: there is no sound base for a verdict.
    """
    check_writable(settings.out)
    with emptied(settings.out):
        return _run(settings, say, progress, source or BaselineSource())


def _run(settings: Settings, say: Say, progress: Progress, source: BaselineSource) -> Run:
    clock = Clock()
    with clock.phase("load"):
        suite, relations = load_suite(settings)
        baseline = load_baseline(settings, suite, relations, source)
        cache_folder = settings.cache or default_folder()
        inputs = [source.input for source in suite.sources]
    with clock.phase("export"):
        system = open_named(settings, cache_folder, inputs, say)
    with closing(system), closing(Cache(cache_folder, system.cache_key)) as cache:
        context = context_of(settings.task, settings.ontology, system)
        suite = suite.under(context.ontology)
        if baseline is not None and settings.baseline is not None:
            check_baseline(baseline, suite, relations, _named(settings.baseline, source))
        predictor = Predictor(system, cache, progress, clock.phase)
        with clock.phase("judge"):
            rows, noise = evaluation.evaluate(suite, relations, predictor, context)
    clock.seconds["judge"] -= clock.seconds.get("predict", 0.0)
    result = _measured(settings, suite, relations, system, predictor, rows, noise)
    with clock.phase("compare"):
        finished = judge(Run(result, rows), baseline, settings, source)
    finished = finished._replace(
        result=msgspec.structs.replace(_told(finished.result, source), timing=clock.timing())
    )
    with clock.phase("report"):
        finished = write_files(settings.out, finished)
    result = msgspec.structs.replace(finished.result, timing=clock.timing())
    result_store.write_result(settings.out, result)
    if settings.record_missing and settings.baseline and baseline is None:
        _record(settings.baseline, result, rows)
        say(f"no baseline at {settings.baseline}: recorded this run as the baseline")
    return Run(result, finished.rows)


def _measured(
    settings: Settings,
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    system: System,
    predictor: Predictor,
    rows: Sequence[GroupRow],
    noise: float,
) -> Result:
    """Return the result of a run that nothing has been compared with yet."""
    outputs = [p.output for p in predictor.distinct if p.output is not None]
    counted = _audited(evaluation.count_all([relation.id for relation in relations], rows), suite)
    return Result(
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        suite=suite.identity,
        checkpoint=system.head,
        settings=run_settings(settings, suite, relations, noise),
        relations=counted,
        overall=evaluation.overall(counted),
        profile=Profiles(candidate=TASKS[suite.head.task].profile(outputs)),
        timing=Timing(),
        predictions=predictor.counts,
        notes=_notes(suite.identity, system.head, rows),
    )


def afterword(settings: Settings, result: Result) -> list[str]:
    """Return what to say when a run has been shown: where to look, and what comes next."""
    lines = [f"report: {settings.out / 'report.html'}"]
    record = shlex.join(["mt-gate", "baseline", "record", str(settings.out)])
    if settings.baseline is None and result.settings.complete and not result.suite.part:
        lines.append(f"to judge later runs by this one: {record} --name {settings.task}")
    if settings.baseline and result.verdict in LOST:
        name = shlex.quote(settings.baseline.stem)
        lines.append(
            f'where this loss is wanted: {record} --name {name} --accept "reason", '
            "in a pull request of its own (docs/baselines.md)"
        )
    return lines


def show_result(result: Result) -> int:
    """Print a run and return its exit code."""
    from mt_gate.reporting.writers.terminal import show

    print_table(lambda: show(result, TEXTS))
    return result.exit_code


def open_named(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    *,
    scores: bool = False,
) -> System:
    """Open the checkpoint or other system that the settings name.

    Args:
        settings: of the run.
        cache: folder for exports.
        inputs: of the task, for an export's parity; the first so many are taken.
        say: told of an export.
        scores: whether a checkpoint is to give all its scores beside a relation (task ``re``).
    """
    if settings.system:
        options = SystemOptions(settings.device, settings.timeout, settings.system_environment)
        return open_system(settings.system, settings.task, options)
    return open_onnx(settings, cache, inputs, say, scores=scores)


def open_onnx(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    *,
    scores: bool = False,
) -> ConfinedCheckpoint:
    """Open the checkpoint that the settings name, exported first where need be."""
    return open_checkpoint(
        settings.checkpoint,
        settings.task,
        settings.device,
        cache=cache,
        parity_inputs=lambda: inputs[:PARITY_INPUTS],
        say=say,
        asked=CheckpointOptions(settings.answers, settings.max_length, scores),
        allowed=Allowed(settings.timeout, settings.max_memory),
    )


def load_suite(settings: Settings) -> tuple[Suite, tuple[MetamorphicRelation, ...]]:
    """Read the suite and the relations of it that are asked for, in its order."""
    for name in settings.relations:
        catalogue.relation(name)
    suite = read_suite(find_suite(settings.suite)).without(settings.exclude)
    head = suite.head
    if head.task != settings.task:
        raise UsageError(
            f"suite {head.name}: for task {head.task}, the run is for {settings.task}; "
            f"name another --suite or --task {head.task}"
        )
    listed = [relation.id for relation in head.relations]
    missing = [name for name in settings.relations if name not in listed]
    if missing:
        raise UsageError(
            f"relation {quoted(missing[0])}: suite {head.name} has {', '.join(listed)}; "
            "mend --relations or name another --suite"
        )
    known = {relation.id for relation in catalogue.relations_of(head.task)}
    unknown = [name for name in listed if name not in known]
    if unknown:
        raise CannotJudge(
            f"suite {head.name}: relation {quoted(unknown[0])} of task {head.task} is unknown to "
            f"mt-gate {__version__}; "
            "use a newer mt-gate or an older suite"
        )
    wanted = settings.relations or _by_default(listed)
    relations = tuple(catalogue.BY_ID[name] for name in listed if name in wanted)
    return draw(suite, relations, settings.sources, head.seed).suite, relations


def _by_default(listed: Sequence[str]) -> list[str]:
    """Return the relations that a run takes where none is asked for by name."""
    return [name for name in listed if catalogue.BY_ID[name].default]


def check_writable(out: Path) -> None:
    """Raise UsageError where reports could not be written, before anything is computed."""
    folder = out
    while not os.path.exists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        if not folder.is_dir():
            raise NotADirectoryError(20, "not a folder", str(folder))
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"--out {out}: cannot be written ({error.strerror}: {folder}); "
            "name a folder that can be"
        ) from None


def load_baseline(
    settings: Settings,
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    source: BaselineSource,
) -> Baseline | None:
    """Read the baseline; None where none is asked for, or it is to be recorded.

    Args:
        settings: of the run; they name the file.
        suite: of the run.
        relations: of the run.
        source: what stands in for the file, if anything does.

    Raises:
        CannotJudge: missing, unreadable, or of another suite, task or groups.
    """
    path = settings.baseline
    if path is None:
        return None
    if source.data is None and settings.record_missing and not os.path.exists(path):
        if settings.relations:
            raise UsageError(
                "--record-missing with --relations would record a part of the suite; leave one out"
            )
        check_name(path.stem)
        return None
    name = _named(path, source)
    baseline = read_baseline(path) if source.data is None else parse_baseline(source.data, name)
    if suite.head.task != relation_extraction.ID:  # there the labels' meaning counts, not known yet
        check_baseline(baseline, suite, relations, name)
    return baseline


def check_baseline(
    baseline: Baseline, suite: Suite, relations: Sequence[MetamorphicRelation], name: str
) -> None:
    """Check a baseline against the suite, before anything is asked.

    Raises:
        CannotJudge: it is of another suite, lacks a relation of the run, or has other groups.
    """
    check_fits(baseline, suite.identity, name)
    recorded = baseline.settings
    if recorded.complete != _is_complete(recorded.relations, suite):
        raise CannotJudge(
            f"{name}: says that its run was {'whole' if recorded.complete else 'partial'}, of "
            f"{', '.join(recorded.relations)[:200] or 'no relation'}; suite {suite.head.name} has "
            f"{', '.join(relation.id for relation in suite.head.relations)[:200]}; record a new "
            "baseline with mt-gate baseline record"
        )
    check_covers(baseline, {item.id: _units(item, suite) for item in relations}, name)


def _is_complete(relations: Sequence[str], suite: Suite) -> bool:
    """Say whether a run of these relations leaves out none that it takes by default."""
    return set(relations).issuperset(_by_default([item.id for item in suite.head.relations]))


def _units(relation: MetamorphicRelation, suite: Suite) -> Units:
    """Return what a run counts a relation in, as the suite has it."""
    if relation.at_run_time:
        binding = (source for source in suite.sources if relation.id in source.bind)
        return Units(True, {source.cluster or source.id for source in binding})
    return Units(False, {group.id for group in suite.groups if group.relation == relation.id})


def _named(path: Path, source: BaselineSource) -> str:
    """Return what messages call the baseline: its file, and the commit it was read from."""
    return f"{path} of base commit {source.commit[:7]}" if source.commit else str(path)


def _told(result: Result, source: BaselineSource) -> Result:
    """Return the result with where its baseline comes from; that stands before other notes."""
    head = result.baseline
    return msgspec.structs.replace(
        result,
        baseline=head and msgspec.structs.replace(head, commit=source.commit, notes=source.notes),
        notes=(*source.notes, *result.notes),
    )


def run_settings(
    settings: Settings, suite: Suite, relations: Sequence[MetamorphicRelation], noise: float
) -> RunSettings:
    """Return the settings that can move a verdict, as they are kept with a result."""
    ids = tuple(relation.id for relation in relations)
    stored = {name: getattr(settings, name) for name in STORED} | {"relations": ids}
    return RunSettings(**stored, complete=_is_complete(ids, suite), noise=noise)


def _audited(counted: Sequence[RelationResult], suite: Suite) -> tuple[RelationResult, ...]:
    """Return the counts with what an audit found of the suite's follow-ups."""
    found = {relation.id: relation.precision for relation in suite.head.relations}
    return tuple(msgspec.structs.replace(item, precision=found[item.id]) for item in counted)


def judge(run: Run, baseline: Baseline | None, settings: Settings, source: BaselineSource) -> Run:
    """Hold a run against a baseline; without one it is only measured."""
    if baseline is None:
        return run
    assert settings.baseline is not None
    return compared(run, baseline, settings.baseline, source)


def compared(
    run: Run,
    baseline: Baseline,
    path: Path,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
) -> Run:
    """Return the run with its comparison, verdict, reasons and changes, and the answers before.

    Args:
        run: measured, or compared with another baseline before.
        baseline: to hold it against.
        path: of the baseline's file; its answers lie beside it.
        source: what stands in for the files, if anything does.

    Raises:
        CannotJudge: the baseline lacks a relation of the run, or has other groups.
    """
    verdicts = verdicts_from_rows(run.rows)
    asked = units_of_run(verdicts, run.result.settings.relations)
    check_covers(baseline, asked, _named(path, source))
    outcome = compare(verdicts, baseline.verdicts(), run.result.settings)
    judged = _with_outcome(run, outcome, baseline, path)
    rows = [_with_change(row, outcome.changes.get(row.id)) for row in run.rows]
    answers = answers_path(path)

    def read() -> bytes | None:
        # The baseline names their digest, so that it does not matter who brings them.
        return read_packed(answers) if source.answers is None else source.answers

    recalled = recall(rows, baseline, _named(answers, source), read)
    if recalled.note:
        judged = msgspec.structs.replace(judged, notes=(*judged.notes, recalled.note))
    return Run(judged, recalled.rows)


def _with_outcome(run: Run, outcome: Outcome, baseline: Baseline, path: Path) -> Result:
    result = run.result
    replace = msgspec.structs.replace
    relations = tuple(
        replace(relation, comparison=outcome.relations.get(relation.id))
        for relation in result.relations
    )
    return replace(
        result,
        verdict=outcome.verdict,
        exit_code=outcome.exit_code,
        reasons=outcome.reasons,
        relations=relations,
        overall=replace(result.overall, comparison=outcome.overall),
        baseline=baseline.head(path),
        profile=replace(result.profile, baseline=baseline.profile),
        notes=(
            *_notes(result.suite, result.checkpoint, run.rows),
            *_identity_notes(baseline.checkpoint, "the baseline's system"),
            *_runtime_notes(result, baseline),
        ),
    )


def _notes(
    suite: SuiteHead, checkpoint: CheckpointHead, rows: Sequence[GroupRow]
) -> tuple[str, ...]:
    return (*_part_notes(suite), *_unread_notes(rows), *_identity_notes(checkpoint))


def _unread_notes(rows: Sequence[GroupRow]) -> tuple[str, ...]:
    """Say how much the system could not be asked."""
    unread = sum(row.reason in {TRUNCATED, QUESTION_TOO_LONG} for row in rows)
    if not unread:
        return ()
    words = f"{unread} group{'s' if unread > 1 else ''}"
    return (
        f"{words} not asked: an input, or its question alone, is longer than the system reads; "
        "see max_length in checkpoint.json, and --max-length",
    )


def _part_notes(suite: SuiteHead) -> tuple[str, ...]:
    """Say what of the suite was run, where that was not all."""
    return tuple(f"a part of {suite.name}: {words}" for words in suite.part)


def _identity_notes(head: CheckpointHead, who: str = "the system") -> tuple[str, ...]:
    """Say where nobody can tell whether it is the same system next time."""
    if head.fingerprint:
        return ()
    return (f"{who}, {head.name}, has {NO_FINGERPRINT}",)


def _runtime_notes(result: Result, baseline: Baseline) -> tuple[str, ...]:
    """Say where the two runs were not computed alike: that can move a few groups."""
    now, then = result.checkpoint.runtime, baseline.checkpoint.runtime
    return tuple(
        f"{field} is {getattr(now, field)}; the baseline was recorded with {getattr(then, field)}"
        for field in ("provider", "precision", "onnxruntime")
        if getattr(now, field) != getattr(then, field)
        if field == "provider" or (getattr(now, field) and getattr(then, field))
    )


def _with_change(row: GroupRow, change: Change | None) -> GroupRow:
    """Return the row with its change; what an earlier comparison left there goes."""
    if row.change is change and row.before is None:
        return row
    return msgspec.structs.replace(row, change=change, before=None)


def write_files(out: Path, run: Run) -> Run:
    """Write the five files of a run into an empty folder, the result last; return it as stored.

    Until it has its result, nothing takes the folder for a run.
    """
    from mt_gate.reporting.writers.write import write_reports

    remove_reports(out)
    rows = without_secrets(run.rows)
    result = result_store.write_rows(out, run.result, rows)
    write_reports(out, result, lambda: rows, TEXTS)
    result_store.write_result(out, result)
    return Run(result, rows)


def _record(path: Path, result: Result, rows: Sequence[GroupRow]) -> None:
    baseline = build_baseline(result, rows, name=path.stem, recorded=result.created)
    record_pair(path, baseline, rows)
