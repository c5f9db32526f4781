"""What to say when a run has been shown: where to look, and what comes next."""

from __future__ import annotations

import shlex

from mt_gate.reporting.words.advice import first_name
from mt_gate.results.out_folder import BASE
from mt_gate.results.result import Result, is_loss
from mt_gate.settings.record import Settings


def next_steps(settings: Settings, result: Result) -> list[str]:
    """Return a line for each thing to do, or to look at, after a run."""
    lines = [f"report: {settings.out / 'report.html'}"]
    if settings.against:
        return [*lines, f"the base's own report: {settings.out / BASE / 'report.html'}"]
    record = shlex.join(["mt-gate", "baseline", "record", str(settings.out)])
    whole = result.settings.complete and not result.suite.part
    if settings.baseline is None and whole and not result.exit_code:
        name = first_name(result.suite)
        usual = name == settings.task  # where the action looks by itself
        then = "" if usual else f", and name it: --baseline baselines/{name}.json"
        lines.append(f"to judge later runs by this one: {record} --name {name}{then}")
    stopped = result.early is not None and result.early.stopped
    if settings.baseline and is_loss(result.verdict) and not stopped:
        name = shlex.quote(settings.baseline.stem)
        lines.append(
            f'if this loss is acceptable: {record} --name {name} --accept "reason", '
            "in a separate pull request (docs/baselines.md)"
        )
    return lines
