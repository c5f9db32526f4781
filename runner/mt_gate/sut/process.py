"""The process of a checkpoint, as the run sees it: asked one thing after another, with limits."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TypeVar

import msgspec

from mt_gate.base import child_environment, errors
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut import wire
from mt_gate.sut.limits import Limits, limit_processor
from mt_gate.sut.systems.child import Child, MessageEndings

MAX_LINE = 64 << 20
_RENEW = 1.0
"""Seconds between two looks at the processor time that the process has taken."""
_PACKAGE = Path(__file__).parents[2]
_START = "from {module} import main; main()"
_WORDS = MessageEndings(
    "expected it to load, and to answer a batch of inputs, in that time; raise --timeout if "
    "yours needs longer",
    "expected a checkpoint that its libraries can load and run; export it again",
    "expected answers of a plausible size; export it again",
    told=False,
)

R = TypeVar("R", bound=wire.Reply)


class Worker:
    """The process of a checkpoint, asked one thing after another."""

    def __init__(self, checkpoint: str, module: str = "mt_gate.sut.worker") -> None:
        """Start it; no checkpoint is loaded yet."""
        arguments = [sys.executable, "-P", "-c", _START.format(module=module)]
        self._where = f"checkpoint {checkpoint}"
        self._child = Child(arguments, self._where, _environment(), _WORDS)
        self._lines: list[bytes] = []
        self._held: tuple[float, Limits] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._child.is_alive

    def ask(self, request: wire.Request, kind: type[R], limits: Limits) -> R:
        """Return the one reply to a request.

        Raises CannotJudge, UsageError: as the process says, or it broke a limit or ended.
        """
        self.send(request)
        return self.reply(kind, limits)

    def send(self, request: wire.Request) -> None:
        """Ask without waiting. Raises UsageError: a path is no text."""
        try:
            line = wire.line(request)
        except UnicodeEncodeError:
            self.kill()
            raise UsageError(
                f"{self._where}: its path, or the cache's, has bytes that are not UTF-8; expected "
                "names that can be printed; rename the folder"
            ) from None
        self._child.send(line)

    def reply(self, kind: type[R], limits: Limits) -> R:
        """Return the next reply; the process is ended where it fails."""
        try:
            found = self._next(limits)
        except BaseException:
            self.kill()
            raise
        if isinstance(found, wire.Failed):
            self.kill()
            raise self._failure(found)
        if not isinstance(found, kind):
            raise self.out_of_turn()
        return found

    def out_of_turn(self) -> CannotJudge:
        """End the process, and return what it did: it answered what was not asked."""
        self.kill()
        return CannotJudge(f"{self._where}: its process answered without a request; {_WORDS.ended}")

    def kill(self) -> None:
        """End the process; it holds nothing that could be lost."""
        self._child.kill()

    def _next(self, limits: Limits) -> wire.Reply:
        if not self._lines:
            self._hold(limits)
            found = self._child.lines(limits.seconds, limits.memory, MAX_LINE)
            self._lines = found[::-1]
        try:
            return wire.read_reply(self._lines.pop())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise CannotJudge(
                f"{self._where}: its process sent something that is not an answer; {_WORDS.ended}"
            ) from None

    def _hold(self, limits: Limits) -> None:
        now = time.monotonic()
        if self._held and self._held[1] == limits and now < self._held[0] + _RENEW:
            return
        self._held = now, limits
        longer = limits._replace(seconds=limits.seconds + _RENEW)
        limit_processor(self._child.process, longer.processor)

    def _failure(self, failed: wire.Failed) -> errors.MtGateError:
        kind = UsageError if failed.exit_code == errors.USAGE else CannotJudge
        # What the process had no words for says nothing of where.
        return kind(f"{self._where}: {failed.message}" if failed.bare else failed.message)


def _environment() -> dict[str, str]:
    passed = child_environment.allowed(os.environ)
    if sys.flags.ignore_environment:  # a run that hears none of Python's variables: -I
        passed = {name: value for name, value in passed.items() if not name.startswith("PYTHON")}
    paths = [str(_PACKAGE), passed.get("PYTHONPATH", "")]
    return {**passed, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
