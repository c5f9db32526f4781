"""``mt-gate run``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mt_gate.base.console import Style, say
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options
from mt_gate.commands.judged import judged
from mt_gate.settings.record import SETTINGS

if TYPE_CHECKING:
    from mt_gate.sharding.distributing import Cluster

LOCAL, RAY = "local", "ray"
MOST_SHARDS = 10_000


@click.command()
@options.together(*(options.setting(name) for name in SETTINGS))
@click.option(
    "--shard",
    metavar="I/N|slurm",
    help="Ask shard I of N alone, and store what is answered for 'mt-gate merge'; slurm for the "
    "place in its job array; see docs/shards.md.",
)
@click.option(
    "--executor",
    type=click.Choice([LOCAL, RAY]),
    default=LOCAL,
    show_default=True,
    help="What computes: this process, or workers of a Ray cluster; see docs/shards.md.",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="Cluster of --executor ray [default: RAY_ADDRESS, else one of this machine alone].",
)
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_SHARDS),
    metavar="N",
    help="Shards of --executor ray [default: 4 per worker].",
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
    """Run a suite against a checkpoint, and judge it against a baseline."""
    if executor == LOCAL and (address is not None or shards is not None):
        raise UsageError("--address and --shards require --executor ray; add it, or omit them")
    if executor == RAY:
        if shard is not None:
            raise UsageError("--executor ray runs all shards itself; omit --shard")
        from mt_gate.sharding.distributing import Cluster

        return _on_ray(values, config, Cluster(address or "", shards), style)
    return judged(values, config, style) if shard is None else _run_shard(shard, values, config)


def _on_ray(values: Mapping[str, Any], config: Path | None, cluster: Cluster, style: Style) -> int:
    """Run on a Ray cluster, show the verdict and what to do next, return the exit code."""
    from mt_gate.base.progress import Progress
    from mt_gate.reporting.writers.terminal import show_run
    from mt_gate.settings.loading import load
    from mt_gate.sharding.distributing import run_on_ray

    settings = load(values, config)
    with Progress("asking shards", "shards answered") as progress:
        finished = run_on_ray(settings, cluster, say, progress)
    return show_run(finished, settings.out, style)


def _run_shard(shard: str, values: Mapping[str, Any], config: Path | None) -> int:
    """Run one shard; it has no verdict, so that it passes where it comes to its end."""
    from mt_gate.base.progress import Progress
    from mt_gate.settings.loading import load
    from mt_gate.sharding.answering import run_shard, shard_line
    from mt_gate.sharding.splitting import read_part

    part = read_part(shard, os.environ)
    settings = load(values, config)
    with Progress() as progress:
        outcome = run_shard(settings, part, say, progress)
    say(shard_line(outcome, settings.out))
    return PASS
