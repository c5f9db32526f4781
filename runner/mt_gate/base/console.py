"""Lines on standard error. A failure becomes one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

import click

from mt_gate.base import interrupts, streams
from mt_gate.base.errors import CANNOT_JUDGE, INTERNAL, REGRESSION, USAGE, MtGateError, UsageError
from mt_gate.base.escaping import log_line
from mt_gate.base.interrupts import INTERRUPTED

T = TypeVar("T")

_INTERRUPTED_WORDS = "Interrupted. Predictions made so far are kept in the cache."
_PACKAGE = str(Path(__file__).parents[1])


class Style(StrEnum):
    """How much of a run is printed."""

    BRIEF = "brief"
    QUIET = "quiet"
    VERBOSE = "verbose"
    JSON = "json"


class Failure(NamedTuple):
    """How a failed command ends; without a message nothing is printed."""

    code: int
    message: str = ""


def guarded(work: Callable[[], T]) -> T | Failure:
    """Return what ``work`` returns, or what it failed of; nothing passes, of no base class."""
    try:
        return work()
    except BaseException as error:
        try:
            return _failure(error)
        except BaseException:  # what it failed of, such as a lack of memory, may hinder telling
            if interrupts.came():
                return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
            return Failure(CANNOT_JUDGE, f"{type(error).__name__}, without further information.")


def warn_on_failure(what: str, step: Callable[[], object], say: Callable[[str], None]) -> None:
    """Run a step that only reports a verdict; if it fails, print a line and keep the verdict.

    ``what`` names the step in that line. Raises KeyboardInterrupt: the user has enough.
    """
    done = guarded(step)
    if not isinstance(done, Failure):
        return
    if done.code == INTERRUPTED:
        raise KeyboardInterrupt
    guarded(lambda: say(f"{what}: {done.message} Verdict and exit code are not affected."))


def _failure(error: BaseException) -> Failure:
    match error:
        case MtGateError():
            return Failure(error.exit_code, str(error))
        case click.exceptions.Exit():
            return Failure(error.exit_code if error.exit_code != REGRESSION else USAGE)
        case KeyboardInterrupt() | click.Abort():
            return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
        case _ if interrupts.came():  # in the middle of an import, which makes something else of it
            return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
        case click.ClickException():
            return Failure(USAGE, str(UsageError(" ".join(error.format_message().split()))))
        case OSError():
            return Failure(CANNOT_JUDGE, _refused(error))
        case MemoryError():
            return Failure(CANNOT_JUDGE, f"Out of memory in {_place(error)}. Use a larger machine.")
        case RecursionError():
            return Failure(
                CANNOT_JUDGE,
                f"A file is nested too deeply for {_place(error)}. Fix the file read there.",
            )
        case Exception():
            return Failure(INTERNAL, _defect(error))
        case _:
            return Failure(
                CANNOT_JUDGE,
                f"A library failed with {type(error).__name__} in {_place(error)}: it cannot "
                "read or run its input. Check the checkpoint's files.",
            )


def _refused(error: OSError) -> str:
    name = error.filename if error.filename is not None else _place(error)
    named = os.fsdecode(name) if isinstance(name, (str, bytes)) else str(name)
    why = error.strerror or type(error).__name__
    return f"{named} cannot be read or written ({why}). Check path, permissions and disk space."


def _defect(error: Exception) -> str:
    """Return where mt-gate failed; not the error's words, which may quote any file."""
    if os.environ.get("MT_GATE_TRACEBACK"):
        traceback.print_exception(error)
    return (
        f"Internal error in {_place(error)}: {type(error).__name__}. This is a bug in "
        "mt-gate. Please report it with the traceback that MT_GATE_TRACEBACK=1 prints."
    )


def _place(error: BaseException) -> str:
    steps = [*traceback.walk_tb(error.__traceback__)]
    named = [(frame.f_code.co_filename, line) for frame, line in steps]
    ours = [step for step in named if step[0].startswith(_PACKAGE) and step[0] != __file__]
    file, line = (ours or named or [("mt-gate", 0)])[-1]
    return f"{Path(file).name}:{line}"


Say = Callable[[str], None]
"""Takes a line that the user should read immediately."""


def fail(code: int, message: str) -> int:
    """Print one line to standard error, which no runner takes for a command."""
    if message:
        print(f"mt-gate: {log_line(message)}", file=sys.stderr, flush=True)
    return code


def say(text: str) -> None:
    """Show progress to the user, on standard error."""
    click.echo(f"mt-gate: {log_line(text)}", err=True)


def silent(_: str) -> None:
    """Take a line and show nothing, in place of ``say``."""


def print_table(show: Callable[[], None]) -> None:
    """Print the table of a verdict; a failure to print does not change the verdict."""

    def printed() -> None:
        show()
        streams.finish()

    warn_on_failure("the table", printed, say)
