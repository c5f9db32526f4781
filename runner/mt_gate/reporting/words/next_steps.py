"""What to say when a run has been shown: where to look, and what comes next."""

from __future__ import annotations

import shlex

from mt_gate.results.out_folder import BASE
from mt_gate.results.result import Result, is_loss
from mt_gate.settings.record import Settings


def next_steps(settings: Settings, result: Result) -> list[str]:
    """Return a line for each thing to do, or to look at, after a run."""
    lines = [f"report: {settings.out / 'report.html'}"]
    if settings.against:
        return [*lines, f"the base's own report: {settings.out / BASE / 'report.html'}"]
    record = shlex.join(["mt-gate", "baseline", "record", str(settings.out)])
    if settings.baseline is None and result.settings.complete and not result.suite.part:
        lines.append(f"to judge later runs by this one: {record} --name {settings.task}")
    stopped = result.early is not None and result.early.stopped
    if settings.baseline and is_loss(result.verdict) and not stopped:
        name = shlex.quote(settings.baseline.stem)
        lines.append(
            f'if this loss is acceptable: {record} --name {name} --accept "reason", '
            "in a separate pull request (docs/baselines.md)"
        )
    return lines
