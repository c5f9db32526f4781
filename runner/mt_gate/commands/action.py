"""``mt-gate action``."""

from __future__ import annotations

import click


@click.command()
def action() -> int:
    """Run as a GitHub Action.

    Reads inputs from INPUT_*, and writes outputs to GITHUB_OUTPUT.
    """
    from mt_gate.github.action import run_action

    return run_action()
