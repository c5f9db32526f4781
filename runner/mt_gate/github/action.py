"""The interface of the GitHub Action: inputs from the environment, outputs to GitHub's files.

Inputs never pass through a shell, and their text never becomes a workflow command.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from mt_gate import gate
from mt_gate.base import console, figures, files
from mt_gate.base.console import Failure, Progress, fail, guarded, say, warn_on_failure
from mt_gate.base.errors import PASS, MtGateError, UsageError
from mt_gate.base.escaping import command_data, hide, log_line, markdown
from mt_gate.base.files import write_whole
from mt_gate.baselines.schema import BaselineSource
from mt_gate.github.base_commit import EVENTS, base_of, baseline_source, step_input
from mt_gate.github.base_settings import JudgedSettings, load_judged, task_of
from mt_gate.github.comment import Body, body_of, body_of_failure, comment_in_step
from mt_gate.github.deciding import against_base, check_deciding, check_uncommitted
from mt_gate.reporting.words.texts import gate_name, relation_texts
from mt_gate.reporting.writers import findings
from mt_gate.reporting.writers.findings import annotations_of, command
from mt_gate.reporting.writers.html import failure_page
from mt_gate.reporting.writers.markdown import SUMMARY_LIMIT, heading
from mt_gate.reporting.writers.terminal import show_run
from mt_gate.results.result import GateVerdict, Result
from mt_gate.results.store import BASE, Run, check_unlinked, emptied, replaceable
from mt_gate.running.predicting import default_folder
from mt_gate.running.preparing import RunInputs
from mt_gate.settings.loading import FILES
from mt_gate.settings.record import OUT, SETTINGS, Settings, dashed
from mt_gate.sharding.answering import Shard, read_part, run_shard, shard_line
from mt_gate.sharding.merging import judged, read_shards, shard_folders

INPUTS = tuple(map(dashed, SETTINGS))
CONFIG = "config"
BASELINE_FROM = "baseline-from"
"""Input that is not in ``mt-gate.toml``: whether the baseline is read from base or worktree."""
REPORTS: Mapping[str, Callable[[Result], str]] = {
    "sarif": lambda result: findings.sarif(result, relation_texts(result)),
    "badge": findings.badge,
}
"""Inputs that are not in ``mt-gate.toml``: files to write, in other formats."""
SHARD, MERGE = "shard", "merge"
"""Inputs that are not in ``mt-gate.toml``: the shard of a job, or the folder of shards to merge."""


def run_action(environment: Mapping[str, str] = os.environ) -> int:
    """Run the gate as a step of a workflow and return its exit code.

    Any failure still gives a verdict. Once there is a verdict, a failure to report it does not
    change the exit code.
    """
    inputs = guarded(lambda: _read_or_empty(environment))
    if isinstance(inputs, Failure):
        task = _task(environment)
        return _cannot_judge(environment, inputs, task, step_input(environment, "name") or task)
    settings = inputs.settings
    fail_with = partial(
        _cannot_judge,
        environment,
        task=settings.task,
        gate=settings.name or settings.task,
        notes=inputs.notes,
    )
    if step_input(environment, SHARD):
        shard = guarded(lambda: _run_shard(environment, inputs))
        if isinstance(shard, Failure):  # a shard reports a verdict only if it failed
            return fail_with(shard)
        say(shard_line(shard, settings.out))
        return PASS
    run = guarded(lambda: _judged(environment, inputs))
    if isinstance(run, Failure):
        return fail_with(run)
    _tell(environment, settings, run)
    return run.result.exit_code


def _read_or_empty(environment: Mapping[str, str]) -> JudgedSettings:
    try:
        return read_inputs(environment)
    except MtGateError:  # remove old reports from the folder that the input names
        _empty(environment, Path(step_input(environment, "out") or OUT))
        raise


def read_inputs(environment: Mapping[str, str]) -> JudgedSettings:
    """Return the settings; an empty input counts as not set.

    A baseline is always needed, so that a forgotten baseline cannot pass.
    """
    inputs: dict[str, Any] = {
        name: step_input(environment, dashed(name)) or None for name in SETTINGS
    }
    config = step_input(environment, CONFIG)
    base = base_of(environment, step_input(environment, BASELINE_FROM) or None)
    judged = load_judged(inputs, Path(config) if config else None, base)
    if judged.settings.baseline is not None or judged.settings.against:
        return judged
    default = Path("baselines", f"{judged.settings.task}.json")
    return judged._replace(settings=msgspec.structs.replace(judged.settings, baseline=default))


def _task(environment: Mapping[str, str]) -> str:
    if task := step_input(environment, "task"):
        return task
    config = step_input(environment, CONFIG)
    named = guarded(lambda: task_of(Path(config) if config else None, base_of(environment, None)))
    return named if isinstance(named, str) and named else "mt-gate"


def _empty(environment: Mapping[str, str], out: Path) -> None:
    """Remove the reports of an earlier run, or of the checkout."""
    reports = [Path(place) for name in REPORTS if (place := step_input(environment, name))]
    if environment.get("GITHUB_EVENT_NAME") in EVENTS:
        for folder in (out, *(report.parent for report in reports)):
            check_unlinked(folder)
    with emptied(out):
        pass
    for report in reports:
        with suppress(OSError):
            report.unlink()


def _prepare(environment: Mapping[str, str], read: JudgedSettings) -> tuple[str, ...]:
    """Empty the folder of the run, and check its output paths and its cache.

    Returns notes on the tested checkpoint.
    """
    inputs, base = read.settings, read.base
    _empty(environment, inputs.out)
    tested: tuple[str, ...] = ()
    if base is not None and inputs.checkpoint:
        tested = base.check_tested(Path(inputs.checkpoint))
    if inputs.against:
        _empty(environment, inputs.out / BASE)
    if base is not None and inputs.record_missing and inputs.baseline is not None:
        check_unlinked(inputs.baseline.parent)
    check_uncommitted("cache", inputs.cache or default_folder(), environment, base)
    return tested


def _run_shard(environment: Mapping[str, str], read: JudgedSettings) -> Shard:
    if step_input(environment, MERGE):
        raise UsageError(f"Both {SHARD} and {MERGE} are set. A job either runs a shard or merges.")
    part = read_part(step_input(environment, SHARD), environment)
    _prepare(environment, read)
    with Progress() as progress:
        return run_shard(read.settings, part, say, progress)


def _judged(environment: Mapping[str, str], read: JudgedSettings) -> Run:
    inputs, base, path = read.settings, read.base, read.settings.baseline
    merge = step_input(environment, MERGE)
    folders = shard_folders(merge, inputs)
    tested = _prepare(environment, read)
    if folders:
        # If the jobs of the shards failed, the folder may have old files of the checkout.
        check_uncommitted("merge", Path(merge), environment, base)
    check_deciding(read)
    source = baseline_source(base, path) if path else None
    missing = path is not None and source is not None and source.data is None
    source = source or BaselineSource()
    if missing and base and path and inputs.record_missing and not path.exists():
        # Only if the base has no gate: with a mistyped path, nothing would ever be compared.
        config = step_input(environment, CONFIG)
        configs = [*FILES, *([Path(config)] if config else [])]
        source = source._replace(notes=(base.first_baseline(path, configs), *source.notes))
    with against_base(inputs, base) as against:
        notes = (*source.notes, *against.notes, *read.notes, *tested)
        source = source._replace(notes=notes)
        if folders:
            return judged(read_shards(folders), inputs, say, source)
        with Progress() as progress:
            return gate.run(inputs, say, progress, source, RunInputs(base_place=against.place))


def _tell(environment: Mapping[str, str], inputs: Settings, run: Run) -> None:
    """Report a verdict in every place: outputs, log, summary, annotations and comment."""
    result, out = run.result, inputs.out
    gate, comparison, page = gate_name(result), result.overall.comparison, str(out / "report.html")
    outputs = {
        "verdict": result.verdict.value,
        "violation-rate": figures.output(result.overall.violation_rate),
        "delta": figures.output(comparison.delta if comparison else None),
        "result": str(out / "result.json"),
        "junit": str(out / "junit.xml"),
        "report": page,
    }
    warn_on_failure("the step's outputs", lambda: _write_outputs(environment, outputs), say)
    show_run(run, out)

    def summarise() -> None:
        path = out / "summary.md"
        data = files.read_whole(path, limit=SUMMARY_LIMIT, cause="Run the gate again.")
        _append_summary(environment, data.decode("utf-8"))

    def write_reports() -> None:
        for name, write in REPORTS.items():
            if place := step_input(environment, name):
                Path(place).parent.mkdir(parents=True, exist_ok=True)
                write_whole(Path(place), write(result))

    def annotate() -> None:
        for annotation in annotations_of(result, relation_texts(result), gate, page):
            console.print_command(command(annotation))

    def body(name: str, link: str) -> Body:
        return body_of(result, lambda: run.rows, relation_texts(), name, link)

    warn_on_failure("the job summary", summarise, say)
    warn_on_failure("a report", write_reports, say)
    warn_on_failure("annotations", annotate, say)
    warn_on_failure("the comment", lambda: comment_in_step(environment, body, gate, say), say)


def _write_outputs(environment: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    # A delimiter that no value can hold: a value with line breaks cannot forge another output.
    end = f"end-{secrets.token_hex(16)}"
    lines = (f"{name}<<{end}\n{hide(value)}\n{end}\n" for name, value in outputs.items())
    _append(environment.get("GITHUB_OUTPUT"), "".join(lines))


def _append_summary(environment: Mapping[str, str], text: str) -> None:
    path = environment.get("GITHUB_STEP_SUMMARY")
    room = SUMMARY_LIMIT - (os.path.getsize(path) if path and os.path.exists(path) else 0)
    text = hide(text)
    if len(text.encode()) > room:
        text = "mt-gate wrote no summary: the step's summary is full. See report.html\n"
    _append(path, text)


def _append(path: str | None, text: str) -> None:
    """Append to a file of the runner, if it has one."""
    if not path:
        return
    try:
        # A FIFO without a reader must not prevent the report of the verdict.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, 0o666)
        with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def _cannot_judge(
    environment: Mapping[str, str],
    failure: Failure,
    task: str,
    gate: str,
    notes: tuple[str, ...] = (),
) -> int:
    """Report everywhere that the run cannot be judged; otherwise the last comment would stay."""
    verdict, message = GateVerdict.CANNOT_JUDGE.value, failure.message

    def body(name: str, link: str) -> Body:
        return body_of_failure(message, name, link, notes)

    outputs = {"verdict": verdict}
    warn_on_failure("the step's outputs", lambda: _write_outputs(environment, outputs), say)
    line = f"::error title=mt-gate {verdict}::{command_data(log_line(message))}"
    warn_on_failure("the annotation", lambda: console.print_command(line), say)
    head = heading(GateVerdict.CANNOT_JUDGE, "cannot judge, the check fails")
    summary = "\n\n".join([head, *map(markdown, (message, *notes))]) + "\n"

    def page() -> None:
        out = Path(step_input(environment, "out") or OUT)
        if replaceable(out):  # files of another run, or files that this run was to read
            return
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / "report.html", failure_page(message, task, failure.code, notes))

    guarded(page)  # if it cannot be written, the message is enough
    warn_on_failure("the job summary", lambda: _append_summary(environment, summary), say)
    warn_on_failure("the comment", lambda: comment_in_step(environment, body, gate, say), say)
    return fail(*failure)
