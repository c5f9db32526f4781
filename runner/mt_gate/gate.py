"""The whole run, top to bottom: prepare, measure, judge, report. The file to read first."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base.console import Say
from mt_gate.base.errors import PASS
from mt_gate.base.files import write_whole
from mt_gate.baselines.schema import BaselineSource
from mt_gate.baselines.writing import RunToRecord, build_baseline, in_memory, record_pair
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.results import store as result_store
from mt_gate.results.store import BASE, OF_BASE, Run, as_rows, locked, renewed
from mt_gate.running.judge import judge
from mt_gate.running.measuring import measure
from mt_gate.running.predicting import Clock, Progress
from mt_gate.running.preparing import RunInputs, check_settings, options_of, prepare
from mt_gate.running.systems import base_name, base_settings, cache_of, check_sides
from mt_gate.settings.record import Settings


def run(
    settings: Settings,
    say: Say,
    progress: Progress,
    source: BaselineSource = BaselineSource(),  # noqa: B008 - a tuple
    inputs: RunInputs = RunInputs(),  # noqa: B008 - a tuple
) -> Run:
    """Run a suite against a checkpoint, compare, and write the five files.

    Cheap checks come first. Files of an earlier run stay until all new files are written. ``say``
    gets lines to show immediately, ``progress`` the number of predicted inputs and the total.
    ``source`` is a baseline that was read elsewhere. Raises CannotJudge and UsageError.
    """
    options = options_of(settings) if inputs.options is None else inputs.options
    check_settings(settings)
    with (
        nullcontext() if inputs.holds_out else locked(settings.out),
        renewed(settings.out) as new,
    ):
        if settings.against:
            check_sides(settings)
            settings, made = _with_base(settings, new / BASE, say, progress, inputs)
            source = made._replace(notes=source.notes)
        clock = Clock()
        prepared = prepare(settings, say, clock, source, inputs)
        baseline = prepared.baseline
        base = baseline.runs[0].checkpoint if baseline and source.against else None
        with (
            closing(prepared.system),
            cache_of(prepared.cache, settings, prepared.system.head, base) as cache,
        ):
            measured = measure(prepared._replace(cache=cache), progress, clock)
            measured = Run(replace(measured.result, options=options), measured.rows)
        del prepared  # the suite takes as much memory as judging does
        with clock.phase("compare"):
            judged = judge(measured, baseline, settings.baseline, source)
        finished = report(new, judged, clock)
        missing = settings.record_missing and settings.baseline and baseline is None
        if missing and finished.result.exit_code != PASS:
            say(f"No baseline at {settings.baseline}. This run fails, so it was not recorded.")
        elif missing and settings.baseline:
            words = record(settings.baseline, finished)
            say(f"No baseline at {settings.baseline}. Recorded this run as the baseline.")
            if words:
                say(words)
    return finished


def _with_base(
    settings: Settings, out: Path, say: Say, progress: Progress, inputs: RunInputs
) -> tuple[Settings, BaselineSource]:
    """Run the base; return the candidate's settings, and the base's run as a baseline."""
    base = replace(base_settings(settings), out=out)
    say(f"running the base, {settings.against}")
    of_base = RunInputs(place=inputs.base_place, system=inputs.base_system)
    first = run(base, say, progress, BaselineSource(notes=(OF_BASE,)), of_base)
    recorded = RunToRecord(first.result, verdicts_from_rows(first.rows))
    baseline = build_baseline([recorded], base_name(first.result), accept="run in the same job")
    say(f"running the candidate, {settings.system or settings.checkpoint}")
    final = settings.out / BASE / result_store.RESULT
    judged = replace(settings, baseline=final, against="")
    return judged, in_memory(baseline, first.rows, settings.against)


def report(out: Path, run: Run, clock: Clock | None = None) -> Run:
    """Write the five files of a run into an empty folder, the result last; return the stored run.

    A folder without a result is never read as a run. Without a clock the timing is unchanged.
    """
    from mt_gate.reporting.words.first_screen import gather
    from mt_gate.reporting.writers import findings, html, markdown

    result = replace(run.result, timing=clock.timing()) if clock else run.result
    with (clock or Clock()).phase("report"):
        rows = as_rows(run.rows).without_secrets()
        result = result_store.write_rows(out, result, rows)
        shown = result, gather(result, lambda: rows), relation_texts(result)
        write_whole(out / "junit.xml", findings.junit(*shown))
        write_whole(out / "report.html", html.report(*shown))
        write_whole(out / "summary.md", markdown.summary(*shown))
    result = replace(result, timing=clock.timing()) if clock else result
    result_store.write_result(out, result)
    return Run(result, rows)


def record(path: Path, run: Run) -> str:
    """Record a run as the missing baseline; return why its predictions are not stored, if so."""
    result, rows = run
    recorded = RunToRecord(result, verdicts_from_rows(rows))
    return record_pair(path, build_baseline([recorded], path.stem), rows)
