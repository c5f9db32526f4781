"""``mt-gate doctor``."""

from __future__ import annotations

import click

from mt_gate.commands import options


@click.command()
@options.settings("checkpoint", "device")
def doctor(checkpoint: str | None, device: str | None) -> int:
    """Check the installation and the available devices."""
    from mt_gate.doctor import examine, show

    return show(examine(checkpoint, device))
