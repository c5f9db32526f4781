"""``mt-gate demo``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base.console import say
from mt_gate.commands import options


@click.command()
@options.out("mt-gate-demo", default="mt-gate-demo")
def demo(out: Path) -> None:
    """Show a real regression in about two minutes, without network access."""
    from mt_gate.base.console import Progress
    from mt_gate.demo import reports_of, run_demo
    from mt_gate.reporting.writers.terminal import show_run

    with Progress() as progress:
        runs = run_demo(out, say, progress)
    for run in runs:
        click.echo(f"── {run.result.suite.task}, {run.result.suite.name} ──")
        show_run(run, reports_of(out, run))
        click.echo()
    say("the demo succeeded, so its exit code is 0. Each gate above shows its own exit code")
