"""``mt-gate run``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import Say, Style, say
from mt_gate.base.errors import PASS, UsageError, page
from mt_gate.commands import options
from mt_gate.settings.record import SETTINGS

LOCAL, RAY = "local", "ray"
MOST_SHARDS = 10_000


def judged(values: Mapping[str, Any], config: Path | None, style: Style) -> int:
    """Run and judge, show the verdict and what to do next, return the exit code."""
    from mt_gate import gate
    from mt_gate.base.console import Progress
    from mt_gate.reporting.writers.terminal import show_run
    from mt_gate.settings.loading import load

    settings = load(values, config)
    quiet = style is Style.QUIET
    speak: Say = (lambda _: None) if quiet else say
    usual = Path("baselines", f"{settings.task}.json")
    if settings.baseline is None and not settings.against and usual.is_file():
        speak(f"{usual} exists, but this run does not use it. To use it: --baseline {usual}")
    with Progress(shown=not quiet) as progress:
        finished = gate.run(settings, speak, progress)
    return show_run(finished, settings.out, style)


@click.command()
@options.together(*(options.setting(name) for name in SETTINGS))
@click.option(
    "--shard",
    metavar="I/N|slurm",
    help="Run one shard, such as 1/3, for mt-gate merge. 'slurm' takes both numbers from the job "
    f"array. See {page('shards')}",
)
@click.option(
    "--executor",
    type=click.Choice([LOCAL, RAY]),
    default=LOCAL,
    show_default=True,
    help=f"local: in this process. ray: on a Ray cluster. See {page('shards', 'ray')}",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="Address of the Ray cluster [default: RAY_ADDRESS, or a new cluster on this machine].",
)
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_SHARDS),
    metavar="N",
    help="Number of shards on a Ray cluster [default: 1 per worker].",
)
@options.CONFIG_FILE
@options.shown_as
def run(
    config: Path | None,
    style: Style,
    shard: str | None,
    executor: str,
    address: str | None,
    shards: int | None,
    **values: Any,
) -> int:
    """Run a suite on a checkpoint, and compare it with a baseline."""
    if executor == LOCAL and (address is not None or shards is not None):
        raise UsageError("--address and --shards need --executor ray. Add that, or omit them.")
    if executor == RAY:
        if shard is not None:
            raise UsageError("--executor ray runs all shards itself. Omit --shard.")
        return _on_ray(values, config, address or "", shards, style)
    return judged(values, config, style) if shard is None else _run_shard(shard, values, config)


def _on_ray(
    values: Mapping[str, Any], config: Path | None, address: str, shards: int | None, style: Style
) -> int:
    """Run on a Ray cluster, show the verdict and what to do next, return the exit code."""
    from mt_gate.base.console import Progress
    from mt_gate.reporting.writers.terminal import show_run
    from mt_gate.settings.loading import load
    from mt_gate.sharding.distributing import run_on_ray

    settings = load(values, config)
    with Progress("running shards", "shards done") as progress:
        finished = run_on_ray(settings, address, shards, say, progress)
    return show_run(finished, settings.out, style)


def _run_shard(shard: str, values: Mapping[str, Any], config: Path | None) -> int:
    """Run one shard; it has no verdict, so it passes unless the run fails."""
    from mt_gate.base.console import Progress
    from mt_gate.settings.loading import load
    from mt_gate.sharding.answering import read_part, run_shard, shard_line

    part = read_part(shard, os.environ)
    settings = load(values, config)
    with Progress() as progress:
        outcome = run_shard(settings, part, say, progress)
    say(shard_line(outcome, settings.out))
    return PASS
