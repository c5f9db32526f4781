"""``mt-gate run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.commands import options
from mt_gate.settings.record import SETTINGS


@click.command()
@options.settings(*SETTINGS)
@options.CONFIG_FILE
def run(config: Path | None, **given: Any) -> int:
    """Run a suite against a checkpoint, and judge it against a baseline."""
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
