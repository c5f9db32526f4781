"""Console output: standard output and error, progress, and a failure in one line.

Standard output and error become ``Outlet`` streams. An outlet hides secrets and escapes characters
that the stream cannot encode. In a workflow it also escapes lines that the runner would execute,
except those of ``print_command``. If the reader stops (``mt-gate run | head``), the command
continues. A failure becomes one line and an exit code.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar, cast

import click

from mt_gate.base import interrupts
from mt_gate.base.errors import CANNOT_JUDGE, INTERNAL, REGRESSION, USAGE, MtGateError, UsageError
from mt_gate.base.escaping import OLD_COMMAND, hide, log_line
from mt_gate.base.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

T = TypeVar("T")

_INTERRUPTED_WORDS = "Interrupted. The cache keeps the predictions made so far."
_PACKAGE = str(Path(__file__).parents[1])


class Style(StrEnum):
    """How much of a run is printed."""

    BRIEF = "brief"
    QUIET = "quiet"
    VERBOSE = "verbose"
    JSON = "json"


class Failure(NamedTuple):
    """Exit code and message of a failed command; an empty message is not printed."""

    code: int
    message: str = ""


def guarded(work: Callable[[], T]) -> T | Failure:
    """Return the result of ``work``, or its failure; no exception escapes, not even an exit."""
    try:
        return work()
    except BaseException as error:
        try:
            return _failure(error)
        except BaseException:  # the same cause, such as a lack of memory, may break the report
            if interrupts.came():
                return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
            return Failure(CANNOT_JUDGE, f"{type(error).__name__}, without further details.")


def warn_on_failure(what: str, step: Callable[[], object], say: Callable[[str], None]) -> None:
    """Run a step that only reports a verdict, and flush the output.

    If that fails, print a line that names the step (``what``), and keep the verdict. Raises
    KeyboardInterrupt: the user interrupted the step.
    """
    done = guarded(step)
    if not isinstance(done, Failure):
        done = guarded(finish)
    if not isinstance(done, Failure):
        return
    if done.code == INTERRUPTED:
        raise KeyboardInterrupt
    unchanged = "The verdict and the exit code do not change."
    guarded(lambda: say(f"could not write {what}: {done.message} {unchanged}"))


def _failure(error: BaseException) -> Failure:
    match error:
        case MtGateError():
            return Failure(error.exit_code, str(error))
        case click.exceptions.Exit():
            return Failure(error.exit_code if error.exit_code != REGRESSION else USAGE)
        case KeyboardInterrupt() | click.Abort():
            return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
        case _ if interrupts.came():  # an import can turn an interrupt into another exception
            return Failure(INTERRUPTED, _INTERRUPTED_WORDS)
        case click.ClickException():
            return Failure(USAGE, str(UsageError(" ".join(error.format_message().split()))))
        case OSError():
            return Failure(CANNOT_JUDGE, describe_refusal(error))
        case MemoryError():
            return Failure(CANNOT_JUDGE, f"Out of memory in {_place(error)}. Use a larger machine.")
        case RecursionError():
            return Failure(
                CANNOT_JUDGE,
                f"{_place(error)} cannot read a file: it is nested too deeply. Fix that file.",
            )
        case Exception():
            return Failure(INTERNAL, _defect(error))
        case _:
            return Failure(
                CANNOT_JUDGE,
                f"A library failed with {type(error).__name__} in {_place(error)}: it cannot "
                "read or run its input. Check the checkpoint's files.",
            )


def describe_refusal(error: OSError) -> str:
    """Return the message on a file that cannot be read or written."""
    name = error.filename if error.filename is not None else _place(error)
    named = os.fsdecode(name) if isinstance(name, (str, bytes)) else str(name)
    why = error.strerror or type(error).__name__
    return f"{named} cannot be read or written ({why}). Check path, permissions and disk space."


def _defect(error: Exception) -> str:
    """Return the message for a bug: its place, but not the error's text, which may quote a file."""
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
"""A function that shows a line to the user immediately."""


def fail(code: int, message: str) -> int:
    """Print one line to standard error, escaped for workflow runners; return the exit code."""
    if message:
        print(f"mt-gate: {log_line(message)}", file=sys.stderr, flush=True)
    return code


def say(text: str) -> None:
    """Show progress to the user, on standard error."""
    click.echo(f"mt-gate: {log_line(text)}", err=True)


EVERY = 15.0
"""Seconds between two lines of progress if standard error is no terminal."""
_DUMB = ("dumb", "unknown")


@dataclass(eq=False)
class Progress(AbstractContextManager["Progress"]):
    """Progress of a round; call it with the inputs done and their total. A context manager.

    Nothing is shown before the first call. ``doing`` names the work in a bar, ``done`` in a line.
    """

    doing: str = "predicting"
    done: str = "predicted"
    shown: bool = True
    _bar: Bar | None = None
    _began: float = field(default_factory=time.monotonic)
    _said: float = field(default_factory=time.monotonic)
    _first: int = 0
    _last: int = sys.maxsize
    _draws: bool | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show how many inputs are done, and about how long the others take."""
        if not self.shown:
            return
        if done <= self._last:  # a new round; inputs that were cached take no time
            self._first, self._began = done, time.monotonic()
        self._last = done
        if self._draws is None:  # decided once, since this is called for every batch
            self._draws = sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in _DUMB
        if self._draws:
            if self._bar is None:
                from rich.console import Console
                from rich.progress import Progress as Bar

                self._bar = Bar(console=Console(stderr=True), transient=True)
                self._bar.start()
                self._bar.add_task(self.doing)
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)
            if done >= total:
                self._bar.stop()
                self._bar = None
        elif done > self._first and time.monotonic() - self._said > EVERY:
            now = self._said = time.monotonic()
            left = (now - self._began) / max(done - self._first, 1) * (total - done)
            line = f"mt-gate: {self.done} {done} of {total}, about {left:.0f} s left"
            print(line, file=sys.stderr, flush=True)


_COMMAND = re.compile(r"(?:(?<=[\r\n])|\A)[\s\ufeff]*:(?=:)")
"""Beginning of a line that runners execute as a command; they ignore leading spaces."""
_MOST_PENDING = 1 << 20
"""Maximum characters of an unfinished line that wait for the end of the line."""


@dataclass(eq=False, repr=False)
class Outlet:
    """A text stream that writes whole lines, in place of ``sys.stdout`` or ``sys.stderr``.

    Text waits until its line is whole, so that a secret printed in two pieces is found. On a
    terminal, ``flush`` also writes an unfinished line. Errors name the stream ``_name``; if that is
    empty, they are ignored. ``to_runner``: a workflow's runner reads it and looks for commands.
    """

    _stream: TextIO
    to_runner: bool
    _name: str = ""
    _pending: str = ""
    _shut: bool = False

    def __getattr__(self, name: str) -> Any:
        """Return the stream's attribute, except those that would bypass the outlet."""
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Append text, and write all whole lines.

        Raises OSError: the stream cannot be written, for example because its device is full.
        """
        if not isinstance(text, str):
            raise TypeError(f"expected str, got {type(text).__name__}")
        whole, end, rest = (self._pending + text).rpartition("\n")
        if len(rest) > _MOST_PENDING:
            whole, rest = whole + end + rest, ""
        self._pending = rest
        self._write(whole + end)
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write whole lines; on a terminal, everything."""
        if not self._shut and self.isatty():
            self.finish()
        else:
            self._attempt(self._stream.flush)

    def finish(self) -> None:
        """Write everything, including an unfinished line."""
        pending, self._pending = self._pending, ""
        self._write(pending)
        self._attempt(self._stream.flush)

    def command(self, line: str) -> None:
        """Write a workflow command, on a separate line."""
        self._pending += "\n" if self._pending else ""
        self.finish()
        self._attempt(self._stream.write, f"{hide(line)}\n")
        self._attempt(self._stream.flush)

    def takes_as_it_is(self, text: str) -> bool:
        """Return whether no line of a text would be escaped for the runner."""
        return not self.to_runner or _harmless(text) == text

    def _write(self, text: str) -> None:
        if not text:
            return
        text = hide(text)
        if self.to_runner:
            text = _harmless(text)
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        known = text.encode(encoding, "backslashreplace").decode(encoding)
        self._attempt(self._stream.write, known)

    def _attempt(self, act: Any, *arguments: str) -> None:
        """Call a method of the stream; after a failure, do not use the stream again."""
        if self._shut:
            return
        try:
            act(*arguments)
        except ValueError:  # other code closed the stream
            self._shut = True
        except OSError as error:
            self._shut = True
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)
            if self._name and not isinstance(error, BrokenPipeError):
                raise OSError(error.errno, error.strerror, self._name) from None


def _harmless(text: str) -> str:
    if "::" in text:
        text = _COMMAND.sub(lambda match: f"{match[0]} ", text)
    return OLD_COMMAND.sub("## ", text) if "##" in text else text


@contextmanager
def installed(environment: Mapping[str, str]) -> Iterator[None]:
    """Route the block's output through outlets; ignore failures of the last flush."""
    in_workflow = environment.get("GITHUB_ACTIONS") == "true" or "TF_BUILD" in environment
    before = sys.stdout, sys.stderr
    outlets = []
    for stream, name in zip(before, ("standard output", ""), strict=True):
        if stream is None:  # closed before mt-gate was started
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as we live
        outlets.append(Outlet(stream, in_workflow and not _is_file(stream), name))
    sys.stdout, sys.stderr = (cast("TextIO", outlet) for outlet in outlets)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for outlet in outlets:
            with suppress(OSError):
                outlet.finish()


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def finish() -> None:
    """Flush the output. Raises OSError: standard output is closed or full."""
    if isinstance(sys.stdout, Outlet):
        sys.stdout.finish()
    else:
        sys.stdout.flush()


def print_command(line: str) -> None:
    """Print a workflow command, escaped by the caller; a runner executes no other output."""
    if isinstance(sys.stdout, Outlet):
        sys.stdout.command(line)
    else:
        print(line, flush=True)


def print_document(text: str) -> None:
    """Print a whole document that a program may read: unchanged, or not at all.

    Raises UsageError: the workflow's runner would execute a line of it. OSError: standard output
    cannot be written.
    """
    if isinstance(sys.stdout, Outlet) and not sys.stdout.takes_as_it_is(text):
        raise UsageError(
            "The workflow's runner would execute a line of this output as a command. Write the "
            "output to a file: with --output if the command has it, or with > FILE."
        )
    sys.stdout.write(text)
    finish()
