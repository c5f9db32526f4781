"""What mt-gate says beside its results: lines on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from mt_gate.base import streams
from mt_gate.base.escaping import log_line
from mt_gate.base.guarding import told

Say = Callable[[str], None]
"""Told what the user should know at once."""


def fail(code: int, message: str) -> int:
    """Print one line to standard error, which no runner takes for a command."""
    if message:
        print(f"mt-gate: {log_line(message)}", file=sys.stderr, flush=True)
    return code


def say(text: str) -> None:
    """Tell the user what goes on, on standard error."""
    click.echo(f"mt-gate: {log_line(text)}", err=True)


def print_table(show: Callable[[], None]) -> None:
    """Print what a verdict stands in; that it cannot be printed does not change it."""

    def printed() -> None:
        show()
        streams.finish()

    told("the table", printed, say)
