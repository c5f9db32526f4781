"""A run from its settings to its exit code, as commands show it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mt_gate.base.console import say


def judged(given: Mapping[str, Any], config: Path | None) -> int:
    """Run and judge, show the verdict and what to do next, return the exit code."""
    from mt_gate import gate
    from mt_gate.base.progress import Progress
    from mt_gate.reporting.words.next_steps import next_steps
    from mt_gate.reporting.writers.terminal import show_result
    from mt_gate.settings.loading import load

    settings = load(given, config)
    with Progress() as progress:
        finished = gate.run(settings, say, progress)
    code = show_result(finished.result)
    for line in next_steps(settings, finished.result):
        say(line)
    return code
