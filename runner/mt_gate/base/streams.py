"""Standard output and error, as everything that is printed passes them.

Secrets are hidden, what the stream's encoding cannot write is escaped, and in a workflow no line
becomes a command to its runner but those of ``print_command``. A program that stops reading
(``mt-gate run | head``) ends no command.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from mt_gate.base.errors import UsageError
from mt_gate.base.redaction import hide

_COMMAND = re.compile(r"(?:(?<=[\r\n])|\A)[\s\ufeff]*:(?=:)")
"""A runner takes a line for a command that begins so, leading spaces ignored."""
_OLD_COMMAND = re.compile(r"##(?=\w*\[)")
"""It also does so if this occurs anywhere in the line."""
_MOST_PENDING = 1 << 20
"""Characters of an unfinished line that wait for their end."""


class Outlet:
    """A text stream that writes whole lines, in place of ``sys.stdout`` or ``sys.stderr``.

    A line stays back until it is whole, so that a secret printed in two pieces is found; on a
    terminal ``flush`` lets go of what there is.
    """

    def __init__(self, stream: TextIO, name: str = "", *, to_runner: bool) -> None:
        """Stand before a stream, which errors call ``name``: without one nothing can report them.

        ``to_runner`` says whether a workflow's runner reads it and looks for commands.
        """
        self._stream, self._name, self._to_runner = stream, name, to_runner
        self._pending = ""
        self._shut = False

    def __getattr__(self, name: str) -> Any:
        """Be in all else what the stream is, but give no way around this."""
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Take text, and write the lines that are whole.

        Raises OSError: the stream takes no more, its device is full for example.
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
        """Take texts one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Bring whole lines out; on a terminal, all."""
        if not self._shut and self.isatty():
            self.finish()
        else:
            self._attempt(self._stream.flush)

    def finish(self) -> None:
        """Bring everything out."""
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
        """Return whether a text comes out without a line escaped."""
        return not self._to_runner or _harmless(text) == text

    def _write(self, text: str) -> None:
        if not text:
            return
        text = hide(text)
        if self._to_runner:
            text = _harmless(text)
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        known = text.encode(encoding, "backslashreplace").decode(encoding)
        self._attempt(self._stream.write, known)

    def _attempt(self, act: Any, *arguments: str) -> None:
        """Do something to the stream; one that fails is not used again."""
        if self._shut:
            return
        try:
            act(*arguments)
        except ValueError:  # somebody closed it
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
    return _OLD_COMMAND.sub("## ", text) if "##" in text else text


@contextmanager
def installed(environment: Mapping[str, str]) -> Iterator[None]:
    """Have all that the block prints pass outlets; what comes after it fails silently."""
    in_workflow = environment.get("GITHUB_ACTIONS") == "true" or "TF_BUILD" in environment
    before = sys.stdout, sys.stderr
    outlets = []
    for stream, name in zip(before, ("standard output", ""), strict=True):
        if stream is None:  # closed before mt-gate was started
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as we live
        outlets.append(Outlet(stream, name, to_runner=in_workflow and not _is_file(stream)))
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
    """Bring out what was printed. Raises OSError: standard output takes no more."""
    if isinstance(sys.stdout, Outlet):
        sys.stdout.finish()
    else:
        sys.stdout.flush()


def print_command(line: str) -> None:
    """Print a workflow command, escaped: the one kind of line that a runner is to take for one."""
    if isinstance(sys.stdout, Outlet):
        sys.stdout.command(line)
    else:
        print(line, flush=True)


def print_document(text: str) -> None:
    """Print a whole document, which a program may read: as it is, or not at all.

    Raises UsageError: a line of it would be a command to the workflow's runner. OSError: standard
    output takes no more.
    """
    if isinstance(sys.stdout, Outlet) and not sys.stdout.takes_as_it_is(text):
        raise UsageError(
            "A line of standard output would be a command to this workflow's runner. Write it "
            "to a file, with --output if the command has it."
        )
    sys.stdout.write(text)
    finish()
