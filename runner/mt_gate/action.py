"""The GitHub Action's border: inputs from the environment, outputs to GitHub's files.

Inputs never pass through a shell, and no text of theirs becomes a workflow command.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mt_gate import gate, settings
from mt_gate.base_commit import baseline_source
from mt_gate.cache import default_folder
from mt_gate.cli import fail, say
from mt_gate.committed_cache import check_cache
from mt_gate.errors import MtGateError
from mt_gate.out_folder import emptied
from mt_gate.progress import Progress
from mt_gate.pull_requests.comment import Body, body_of, body_of_failure
from mt_gate.pull_requests.step import comment_in_step
from mt_gate.reporting.annotations import annotations_of, command
from mt_gate.reporting.escaping import command_data, log_line, markdown
from mt_gate.reporting.terminal import show
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
    """Run the gate as a step of a workflow and return its exit code."""
    try:
        with emptied(_out(environment)):
            pass  # a run that does not come to its own folder leaves no other's there
        inputs = read_inputs(environment)
        assert inputs.baseline is not None
        choice = step_input(environment, BASELINE_FROM) or None
        check_cache(environment, inputs.cache or default_folder(), choice)
        source = baseline_source(environment, inputs.baseline, choice)
        with Progress() as progress:
            finished = gate.run(inputs, say, progress, source)
    except MtGateError as error:
        return _cannot_judge(environment, error)
    result = finished.result
    show(result, gate.TEXTS)
    for line in gate.afterword(inputs, result):
        say(line)
    out = inputs.out
    _write_outputs(environment, _outputs(result, out))
    _append_summary(environment, (out / "summary.md").read_text(encoding="utf-8"))
    _annotate(environment, result, out)
    _comment(environment, finished)
    return result.exit_code


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
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    # A delimiter that no value can hold: a value with line breaks cannot forge another output.
    end = f"end-{secrets.token_hex(16)}"
    with Path(path).open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def _append_summary(environment: Mapping[str, str], text: str) -> None:
    path = environment.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    room = SUMMARY_LIMIT - (os.path.getsize(path) if os.path.exists(path) else 0)
    if len(text.encode()) > room:
        text = "mt-gate: the summary is left out, the step's summary is full; see report.html\n"
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text)


def _annotate(environment: Mapping[str, str], result: Result, out: Path) -> None:
    gate_name = step_input(environment, "name") or result.suite.task
    for found in annotations_of(result, gate.TEXTS, gate_name, str(out / "report.html")):
        print(command(found), flush=True)


def _comment(environment: Mapping[str, str], run: gate.Run) -> None:
    def body(name: str, link: str) -> Body:
        return body_of(run.result, lambda: run.rows, gate.TEXTS, name, link)

    comment_in_step(environment, body, run.result.suite.task, say)


def _comment_on_failure(environment: Mapping[str, str], error: MtGateError) -> None:
    """Say in the comment, too, that there is no result: else the last one would stand there."""

    def body(name: str, link: str) -> Body:
        return body_of_failure(str(error), name, link)

    comment_in_step(environment, body, _task(environment), say)


def _task(environment: Mapping[str, str]) -> str:
    """Return the task, which may stand in a settings file, as far as it can be read."""
    try:
        return read_inputs(environment).task
    except MtGateError:
        return step_input(environment, "task") or "mt-gate"


def _out(environment: Mapping[str, str]) -> Path:
    """Return the folder of reports, which a settings file may name, as far as it can be read."""
    try:
        return read_inputs(environment).out
    except MtGateError:
        return Path(step_input(environment, "out") or settings.OUT)


def _cannot_judge(environment: Mapping[str, str], error: MtGateError) -> int:
    verdict = GateVerdict.CANNOT_JUDGE.value
    print(f"::error title=mt-gate {verdict}::{command_data(log_line(str(error)))}", flush=True)
    _write_outputs(environment, {"verdict": verdict})
    _append_summary(environment, f"## mt-gate: {verdict}\n\n{markdown(str(error))}\n")
    _comment_on_failure(environment, error)
    return fail(error.exit_code, str(error))
