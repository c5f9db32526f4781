"""``mt-gate run``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import print_table, say
from mt_gate.base.errors import PASS, UsageError
from mt_gate.commands import options
from mt_gate.commands.judged import judged, told_of
from mt_gate.settings.record import SETTINGS

LOCAL, RAY = "local", "ray"
MOST_SHARDS = 10_000
_REPEATED = ("checkpoint",)
"""What may be given more than once: a run each."""


@click.command()
@options.together(
    *(
        options.setting(name, multiple=True) if name in _REPEATED else options.setting(name)
        for name in SETTINGS
    )
)
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
def run(
    config: Path | None,
    shard: str | None,
    executor: str,
    address: str | None,
    shards: int | None,
    checkpoint: tuple[str, ...],
    **given: Any,
) -> int:
    """Run a suite against a checkpoint, and judge it against a baseline.

    With --checkpoint more than once each is run, with a folder of its own in --out.
    """
    given["checkpoint"] = checkpoint[0] if checkpoint else None
    if executor == LOCAL and (address is not None or shards is not None):
        raise UsageError("--address, --shards: of --executor ray; add it, or omit them")
    if executor == RAY:
        if shard is not None or len(checkpoint) > 1:
            raise UsageError(
                "--executor ray: of a whole run of one checkpoint; omit --shard, or run each "
                "--checkpoint alone"
            )
        return _on_ray(given, config, address or "", shards)
    if len(checkpoint) > 1:
        if shard is not None:
            raise UsageError("--shard: of a run of one checkpoint; run each checkpoint's shards")
        return _several(checkpoint, given, config)
    return judged(given, config) if shard is None else _asked(shard, given, config)


def _on_ray(given: Mapping[str, Any], config: Path | None, address: str, shards: int | None) -> int:
    """Run on a Ray cluster, show the verdict and what to do next, return the exit code."""
    from mt_gate.base.progress import Progress
    from mt_gate.settings.loading import load
    from mt_gate.sharding.on_cluster import Cluster, run_on_ray

    settings = load(given, config)
    with Progress("asking shards", "shards answered") as progress:
        finished = run_on_ray(settings, Cluster(address, shards), say, progress)
    return told_of(settings, finished.result)


def _several(checkpoints: tuple[str, ...], given: Mapping[str, Any], config: Path | None) -> int:
    """Run several checkpoints, show what each came to, return the worst exit code."""
    from mt_gate.base.progress import Progress
    from mt_gate.reporting.words.texts import stopped_early
    from mt_gate.reporting.writers.checkpoint_table import show_checkpoints
    from mt_gate.settings.loading import load
    from mt_gate.several_checkpoints import run_several, worst

    settings = load(given, config)
    with Progress() as progress:
        outcomes = run_several(checkpoints, settings, say, progress)
    print_table(lambda: show_checkpoints([(one.name, one.result or one.words) for one in outcomes]))
    for one in outcomes:
        if one.result:
            for told in stopped_early(one.result):
                say(told)
            say(f"report: {one.settings.out / 'report.html'}")
    return worst(outcomes)


def _asked(shard: str, given: Mapping[str, Any], config: Path | None) -> int:
    """Run one shard; it has no verdict, so that it passes where it comes to its end."""
    from mt_gate.base.progress import Progress
    from mt_gate.settings.loading import load
    from mt_gate.sharding.answering import run_shard, shard_line
    from mt_gate.sharding.splitting import read_part

    part = read_part(shard, os.environ)
    settings = load(given, config)
    with Progress() as progress:
        asked = run_shard(settings, part, say, progress)
    say(shard_line(asked, settings.out))
    return PASS
