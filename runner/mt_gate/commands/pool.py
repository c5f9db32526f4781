"""``mt-gate pool``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.commands import options


@click.command()
@click.argument("runs", type=options.PATH, nargs=-1, required=True, metavar="RUN RUN...")
def pool(runs: tuple[Path, ...]) -> int:
    """Judge compared runs of a checkpoint on several suites as one.

    Finds a loss that each suite has a little of, and none shows. Each RUN is a folder, or its
    result.json, of a run that was compared with a baseline; no two suites may share sources.
    """
    from mt_gate.reporting.writers.terminal import show_result
    from mt_gate.several_suites import judge_as_one

    return show_result(judge_as_one(runs))
