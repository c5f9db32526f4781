"""``mt-gate demo``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options


@click.command()
@options.out("mt-gate-demo", default="mt-gate-demo")
def demo(out: Path) -> int:
    """Judge a small checkpoint against another: a real regression, no network needed."""
    from mt_gate.base.progress import Progress
    from mt_gate.demo import afterword, run_demo
    from mt_gate.reporting.writers.terminal import show_result

    with Progress() as progress:
        results = run_demo(out, say, progress)
    for result in results:
        show_result(result)
    for line in afterword(out, results):
        say(line)
    return PASS
