"""``mt-gate run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.commands import options
from mt_gate.commands.judged import judged
from mt_gate.settings.record import SETTINGS


@click.command()
@options.settings(*SETTINGS)
@options.CONFIG_FILE
def run(config: Path | None, **given: Any) -> int:
    """Run a suite against a checkpoint, and judge it against a baseline."""
    return judged(given, config)
