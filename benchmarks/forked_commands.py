"""Commands of mt-gate in forks of a process that has imported what they import.

What is done to a command here, such as ``kill -9``, is done hundreds of times, and starting the
interpreter is most of what a small one costs. What a command starts itself, such as the process of
a checkpoint, starts as ever.
"""

from __future__ import annotations

import contextlib
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

_USED = ("commands", "gate", "reporting", "running", "settings", "sharding", "stored_results")
_OFTEN = 0.02
_GRACE = 60.0
"""Seconds in which a checkpoint's process has to notice that its parent has ended."""


class Ended(NamedTuple):
    """A command that has ended; negative codes are signals."""

    code: int
    seconds: float
    output: str


def prepare() -> None:
    """Import what commands import."""
    for name in _USED:
        package = import_module(f"mt_gate.{name}")
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"mt_gate.{name}."):
            import_module(module.name)


class Command:
    """A command under way, in a process group of its own."""

    def __init__(self, arguments: Sequence[object], log: Path, file_size: int = 0) -> None:
        """Start it.

        Args:
            arguments: of ``mt-gate``.
            log: what it prints goes there.
            file_size: most bytes of a file that it writes; 0 for no limit.
        """
        self._log, self._started = log, time.monotonic()
        self._process = os.fork()
        if not self._process:
            _become([str(argument) for argument in arguments], log, file_size)
        with contextlib.suppress(OSError):  # it may have done so itself, or have ended
            os.setpgid(self._process, self._process)

    def end(self) -> Ended:
        """Wait for its end."""
        _, status = os.waitpid(self._process, 0)
        code = os.waitstatus_to_exitcode(status)
        return Ended(code, time.monotonic() - self._started, self._log.read_text(errors="replace"))

    def killed(self, after: float) -> bool:
        """Send ``kill -9`` after so many seconds; say whether it was still there to be killed.

        Raises:
            RuntimeError: what it started outlives it.
        """
        end = time.monotonic() + after
        while time.monotonic() < end:
            if os.waitpid(self._process, os.WNOHANG)[0]:
                return False
            time.sleep(min(_OFTEN, max(end - time.monotonic(), 0)))
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        self._check_alone()
        return True

    def _check_alone(self) -> None:
        """Wait until nothing of its group is left."""
        end = time.monotonic() + _GRACE
        while time.monotonic() < end:
            try:
                os.killpg(self._process, 0)
            except ProcessLookupError:
                return
            time.sleep(_OFTEN)
        raise RuntimeError(f"a process outlives its killed command by {_GRACE:.0f} s")


def done(arguments: Sequence[object], log: Path, file_size: int = 0) -> Ended:
    """Run a command to its end."""
    return Command(arguments, log, file_size).end()


def _become(arguments: list[str], log: Path, file_size: int) -> None:
    """Be the command; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        _redirect(log)
        if file_size:
            sys.dont_write_bytecode = True  # Python 3.11 would leave cut files
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        code = _exit_code(arguments)
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _redirect(log: Path) -> None:
    for number, name in ((0, os.devnull), (1, str(log)), (2, str(log))):
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        if name == str(log) and number == 1:
            os.truncate(handle, 0)
        os.dup2(handle, number)
        os.close(handle)


def _exit_code(arguments: list[str]) -> int:
    from mt_gate.cli import exit_code

    try:
        sys.exit(exit_code(arguments))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def shows_traceback(output: str) -> bool:
    """Say whether what a command printed is no message to a user."""
    return "Traceback" in output or "internal error" in output
