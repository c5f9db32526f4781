"""A run from its settings to its exit code, as commands show it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.base.console import say

if TYPE_CHECKING:
    from mt_gate.results.result import Result
    from mt_gate.settings.record import Settings


def judged(values: Mapping[str, Any], config: Path | None) -> int:
    """Run and judge, show the verdict and what to do next, return the exit code."""
    from mt_gate import gate
    from mt_gate.base.progress import Progress
    from mt_gate.settings.loading import load

    settings = load(values, config)
    with Progress() as progress:
        finished = gate.run(settings, say, progress)
    return print_verdict(settings, finished.result)


def print_verdict(settings: Settings, result: Result) -> int:
    """Show the verdict and what to do next, return the exit code."""
    from mt_gate.reporting.words.sentences import next_steps
    from mt_gate.reporting.writers.terminal import show_result

    code = show_result(result)
    for line in next_steps(settings, result):
        say(line)
    return code
