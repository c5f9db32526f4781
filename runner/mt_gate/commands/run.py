"""``mt-gate run``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options
from mt_gate.commands.judged import judged
from mt_gate.settings.record import SETTINGS


@click.command()
@options.settings(*SETTINGS)
@click.option(
    "--shard",
    metavar="I/N|slurm",
    help="Ask shard I of N alone, and store what is answered for 'mt-gate merge'; slurm for the "
    "place in its job array; see docs/shards.md.",
)
@options.CONFIG_FILE
def run(config: Path | None, shard: str | None, **given: Any) -> int:
    """Run a suite against a checkpoint, and judge it against a baseline."""
    return judged(given, config) if shard is None else _asked(shard, given, config)


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
