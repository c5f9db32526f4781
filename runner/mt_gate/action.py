"""The GitHub Action's border: inputs from the environment, outputs to GitHub's files.

Inputs never pass through a shell, and no text of theirs becomes a workflow command.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate import files, gate, settings, streams
from mt_gate.base_commit import baseline_source
from mt_gate.cache import default_folder
from mt_gate.cli import fail, say, show_result
from mt_gate.committed_cache import check_cache
from mt_gate.guarding import Failure, guarded, told
from mt_gate.old_reports import remove_reports
from mt_gate.progress import Progress
from mt_gate.pull_requests.comment import Body, body_of, body_of_failure
from mt_gate.pull_requests.step import comment_in_step
from mt_gate.redaction import hide
from mt_gate.reporting.annotations import annotations_of, command
from mt_gate.reporting.escaping import command_data, log_line, markdown
from mt_gate.result import GateVerdict, Result
from mt_gate.workflow import step_input

INPUTS = (
    "checkpoint",
    "system",
    "task",
    "suite",
    "baseline",
    "out",
    "device",
    "timeout",
    "alpha",
    "margin",
    "strict",
    "max-applicability-loss",
    "max-violation-rate",
    "must-hold",
    "relations",
    "record-missing",
    "cache",
    "exclude",
    "sources",
    "answers",
    "max-length",
    "ontology",
)
CONFIG = "config"
BASELINE_FROM = "baseline-from"
"""Not in ``mt-gate.toml``, which a pull request edits as easily as its baseline."""
SUMMARY_LIMIT = 1024 * 1024


def run_action(environment: Mapping[str, str] = os.environ) -> int:
    """Run the gate as a step of a workflow and return its exit code.

    Whatever fails, the step has a verdict; and once there is one, nothing that only tells of it
    changes the exit code.
    """
    done = guarded(lambda: _judged(environment))
    if isinstance(done, Failure):
        return _cannot_judge(environment, done)
    result, out = done.run.result, done.inputs.out
    told("the output", lambda: _write_outputs(environment, _outputs(result, out)), say)
    show_result(result)
    for line in gate.afterword(done.inputs, result):
        say(line)
    told("the job summary", lambda: _append_summary(environment, _summary(out)), say)
    told("annotations", lambda: _annotate(environment, result, out), say)
    told("the comment", lambda: _comment(environment, done.run), say)
    return result.exit_code


class _Done(NamedTuple):
    """A finished run, and what it was asked."""

    inputs: settings.Settings
    run: gate.Run


def _judged(environment: Mapping[str, str]) -> _Done:
    remove_reports(_out(environment))
    inputs = read_inputs(environment)
    assert inputs.baseline is not None
    choice = step_input(environment, BASELINE_FROM) or None
    check_cache(environment, inputs.cache or default_folder(), choice)
    source = baseline_source(environment, inputs.baseline, choice)
    with Progress() as progress:
        return _Done(inputs, gate.run(inputs, say, progress, source))


def read_inputs(environment: Mapping[str, str]) -> settings.Settings:
    """Return the settings; an input that is empty was left out.

    A baseline is always asked for, so that a forgotten one is never green.

    Raises:
        UsageError: an input has a value outside what is allowed.
    """
    given: dict[str, Any] = {
        name.replace("-", "_"): step_input(environment, name) or None for name in INPUTS
    }
    config = step_input(environment, CONFIG)
    read = settings.load(given, Path(config) if config else None)
    if read.baseline is None:
        given["baseline"] = f"baselines/{read.task}.json"
        read = settings.load(given, Path(config) if config else None)
    return read


def _outputs(result: Result, out: Path) -> dict[str, str]:
    comparison = result.overall.comparison
    delta = comparison.delta if comparison else None
    rate = result.overall.violation_rate
    return {
        "verdict": result.verdict.value,
        "violation-rate": "" if rate is None else f"{rate:.6f}",
        "delta": "" if delta is None else f"{delta:.6f}",
        "result": str(out / "result.json"),
        "junit": str(out / "junit.xml"),
        "report": str(out / "report.html"),
    }


def _write_outputs(environment: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    # A delimiter that no value can hold: a value with line breaks cannot forge another output.
    end = f"end-{secrets.token_hex(16)}"
    lines = (f"{name}<<{end}\n{hide(value)}\n{end}\n" for name, value in outputs.items())
    _append(environment.get("GITHUB_OUTPUT"), "".join(lines))


def _summary(out: Path) -> str:
    data = files.read_whole(out / "summary.md", limit=SUMMARY_LIMIT, cause="run the gate again")
    return data.decode("utf-8")


def _append_summary(environment: Mapping[str, str], text: str) -> None:
    path = environment.get("GITHUB_STEP_SUMMARY")
    room = SUMMARY_LIMIT - (os.path.getsize(path) if path and os.path.exists(path) else 0)
    text = hide(text)
    if len(text.encode()) > room:
        text = "mt-gate: the summary is left out, the step's summary is full; see report.html\n"
    _append(path, text)


def _append(path: str | None, text: str) -> None:
    """Append to a file of the runner's, if there is one."""
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def _annotate(environment: Mapping[str, str], result: Result, out: Path) -> None:
    gate_name = step_input(environment, "name") or result.suite.task
    for found in annotations_of(result, gate.TEXTS, gate_name, str(out / "report.html")):
        streams.print_command(command(found))


def _comment(environment: Mapping[str, str], run: gate.Run) -> None:
    def body(name: str, link: str) -> Body:
        return body_of(run.result, lambda: run.rows, gate.TEXTS, name, link)

    comment_in_step(environment, body, run.result.suite.task, say)


def _comment_on_failure(environment: Mapping[str, str], message: str) -> None:
    """Say in the comment, too, that there is no result: else the last one would stand there."""

    def body(name: str, link: str) -> Body:
        return body_of_failure(message, name, link)

    comment_in_step(environment, body, _task(environment), say)


def _task(environment: Mapping[str, str]) -> str:
    """Return the task, which may stand in a settings file, as far as it can be read."""
    read = guarded(lambda: read_inputs(environment).task)
    named = step_input(environment, "task") or "mt-gate"
    return named if isinstance(read, Failure) else read


def _out(environment: Mapping[str, str]) -> Path:
    """Return the folder of reports, which a settings file may name, as far as it can be read."""
    read = guarded(lambda: read_inputs(environment).out)
    named = step_input(environment, "out") or settings.OUT
    return Path(named) if isinstance(read, Failure) else read


def _cannot_judge(environment: Mapping[str, str], failure: Failure) -> int:
    """Tell wherever a verdict is told that there is none."""
    verdict, message = GateVerdict.CANNOT_JUDGE.value, failure.message
    told("the output", lambda: _write_outputs(environment, {"verdict": verdict}), say)
    line = f"::error title=mt-gate {verdict}::{command_data(log_line(message))}"
    told("the annotation", lambda: streams.print_command(line), say)
    summary = f"## mt-gate: {verdict}\n\n{markdown(message)}\n"
    told("the job summary", lambda: _append_summary(environment, summary), say)
    told("the comment", lambda: _comment_on_failure(environment, message), say)
    return fail(*failure)
