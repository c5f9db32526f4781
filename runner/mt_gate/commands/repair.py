"""``mt-gate repair``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.commands import options


@click.command()
@click.argument("result", metavar="RESULT_DIR", type=options.PATH)
@options.SYSTEM
@options.LIMITS
@options.settings("system_environment", "max_length")
@options.setting("labels")
@options.out("RESULT_DIR")
@click.option(
    "--top", type=int, default=50, show_default=True, help="Number of candidates per masked word."
)
@click.option("--min-score", type=float, help="Lowest score of a candidate [default: the tool's].")
@click.option(
    "--min-cosine",
    type=float,
    default=0.45,
    show_default=True,
    help="Lowest similarity of a candidate.",
)
@options.settings("device")
@options.TOOLS
def repair(timeout: float | None, max_memory: float | None, **values: Any) -> None:
    """Find wrong entity predictions in violated cases (experimental).

    Pass the checkpoint or system of the run.
    """
    from mt_gate.base.console import Progress
    from mt_gate.repairing.repair import RepairRequest, in_words
    from mt_gate.repairing.repair import repair as repair_run
    from mt_gate.repairing.vote import open_tools

    chosen = [field.name for field in fields(RepairRequest) if values.get(field.name) is not None]
    request = RepairRequest(
        allowed=options.allowed(timeout, max_memory), **{name: values[name] for name in chosen}
    )
    named = options.tool_names(values)
    with Progress() as progress:
        done = repair_run(request, lambda: open_tools(named), say, progress)
    for line in in_words(done):
        say(line)
