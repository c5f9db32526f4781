"""``mt-gate repair``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options
from mt_gate.settings.record import SETTINGS


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
def repair(
    result: Path,
    checkpoint: str | None,
    system: str | None,
    timeout: float | None,
    max_memory: float | None,
    system_environment: tuple[str, ...] | None,
    max_length: int | None,
    labels: Path | None,
    out: Path | None,
    top: int,
    min_score: float | None,
    min_cosine: float,
    device: str | None,
    **tools: Any,
) -> int:
    """Find wrong entity predictions in violated cases (experimental).

    Pass the checkpoint or system of the run.
    """
    from mt_gate.base.progress import Progress
    from mt_gate.repairing.repair import RepairRequest, in_words
    from mt_gate.repairing.repair import repair as repair_run
    from mt_gate.repairing.tools import open_tools

    request = RepairRequest(
        result=result,
        checkpoint=checkpoint or "",
        system=system or "",
        allowed=options.allowed(timeout, max_memory),
        system_environment=system_environment or (),
        max_length=max_length,
        labels=labels,
        out=out,
        device=device or SETTINGS["device"].default,
        cache=tools["cache"],
        top=top,
        min_score=min_score,
        min_cosine=min_cosine,
    )
    named = options.tool_names(tools)
    with Progress() as progress:
        done = repair_run(request, lambda: open_tools(named), say, progress)
    for line in in_words(done):
        say(line)
    return PASS
