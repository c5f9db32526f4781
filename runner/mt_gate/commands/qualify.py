"""``mt-gate qualify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import Style
from mt_gate.commands import options
from mt_gate.commands.run import judged
from mt_gate.settings.record import SETTINGS

_NAMED = ("checkpoint", "system", "against", "baseline", "record_missing", "early_stop")
"""Options that the two arguments replace, or that need a stored baseline."""


@click.command()
@click.argument("base", type=options.PLACE)
@click.argument("candidate", type=options.PLACE)
@options.settings(*(name for name in SETTINGS if name not in _NAMED))
@options.CONFIG_FILE
@options.shown_as
def qualify(base: str, candidate: str, config: Path | None, style: Style, **values: Any) -> int:
    """Compare two checkpoints directly, without a stored baseline.

    BASE and CANDIDATE are checkpoint folders, or other systems as KIND:WHAT. They may be one folder
    in two precisions, on two devices, or with two numbers of threads.
    """
    from mt_gate.sut.systems.kinds import is_system

    tested = "system" if is_system(candidate) else "checkpoint"
    return judged({**values, "against": base, tested: candidate}, config, style)
