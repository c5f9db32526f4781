"""``mt-gate merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import Style, say
from mt_gate.commands import options
from mt_gate.settings.record import DECIDING


@click.command()
@click.argument("shards", nargs=-1, required=True, type=options.PATH, metavar="DIR...")
@options.together(
    options.setting("suite", "the shards' suite"),
    options.settings("baseline", "record_missing"),
    options.setting("labels", "the shards' labels"),
    options.settings("out", "name", "mask_offensive", *DECIDING),
)
@options.CONFIG_FILE
@options.shown_as
def merge(shards: tuple[Path, ...], config: Path | None, style: Style, **values: Any) -> int:
    """Combine the shards of a run and judge the result.

    Each DIR is the --out folder of 'mt-gate run --shard I/N'. Pass all N.
    """
    from mt_gate.reporting.writers.terminal import show_run
    from mt_gate.sharding.merging import merge as merged

    settings, run = merged(shards, values, config, say)
    return show_run(run, settings.out, style)
