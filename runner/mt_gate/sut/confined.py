"""A checkpoint as a system under test, in a separate process with limits."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mt_gate.base import errors
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut import wire
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.processes import (
    EXPORT_ANSWERS,
    Allowed,
    Child,
    Limits,
    MessageEndings,
    allowed,
    limit_processor,
    usable_cores,
)
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.table import TASKS

MAX_LINE = 64 << 20
_RENEW = 1.0
"""Seconds between two updates of the process's limit of processor time."""
_PACKAGE = Path(__file__).parents[2]
_START = "from {module} import main; main()"
_WORDS = MessageEndings(
    "The checkpoint must load, and predict a batch of inputs, in that time. If it needs longer, "
    "raise --timeout.",
    "Expected a checkpoint that its libraries can load and run. Export it again.",
    "Expected replies of a plausible size. Export it again.",
    shown=False,
)

R = TypeVar("R", bound=wire.Reply)


WORKER = "mt_gate.sut.worker"
"""Module of the process that runs ONNX models."""


class Worker:
    """The process of a checkpoint, which handles one request after another."""

    def __init__(self, checkpoint: str, module: str = WORKER) -> None:
        arguments = [sys.executable, "-P", "-c", _START.format(module=module)]
        self._where = f"checkpoint {checkpoint}"
        passed = allowed(os.environ)
        if sys.flags.ignore_environment:  # with -I, this run ignores Python's variables as well
            passed = {name: text for name, text in passed.items() if name[:6] != "PYTHON"}
        paths = [str(_PACKAGE), passed.get("PYTHONPATH", "")]
        passed["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self._child = Child(arguments, self._where, passed, _WORDS)
        self.kill = self._child.kill  # no data is lost
        self._lines: list[bytes] = []
        self._limited: Limits | None = None
        self._limited_at = 0.0

    def ask(self, request: wire.Request, kind: type[R], limits: Limits) -> R:
        """Return the one reply to a request. Raises CannotJudge and UsageError."""
        self.send(request)
        return self.reply(kind, limits)

    def send(self, request: wire.Request) -> None:
        """Send a request without waiting. Raises UsageError: a path in it is not UTF-8."""
        try:
            line = msgspec.json.encode(request) + b"\n"
        except UnicodeEncodeError:
            self.kill()
            raise UsageError(
                f"{self._where}: the path of the checkpoint or of the cache is not UTF-8. Rename "
                "the folder."
            ) from None
        self._child.send(line)

    def reply(self, kind: type[R], limits: Limits) -> R:
        """Return the next reply; on any failure, end the process."""
        try:
            if not self._lines:
                now = time.monotonic()
                if self._limited != limits or now > self._limited_at + _RENEW:
                    self._limited, self._limited_at = limits, now
                    seconds = (limits.seconds + _RENEW) * usable_cores()
                    limit_processor(self._child.process, seconds)
                self._lines = self._child.lines(limits.seconds, limits.memory, MAX_LINE)[::-1]
            message = wire.REPLIES.decode(self._lines.pop())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.kill()
            raise CannotJudge(f"{self._where} sent an invalid reply. {_WORDS.ended}") from None
        except BaseException:
            self.kill()
            raise
        if isinstance(message, wire.Failed):
            self.kill()
            error = UsageError if message.exit_code == errors.USAGE else CannotJudge
            # The message of an unexpected failure does not name the checkpoint.
            raise error(f"{self._where}: {message.message}" if message.bare else message.message)
        if not isinstance(message, kind):
            raise self.out_of_turn()
        return message

    def out_of_turn(self) -> CannotJudge:
        """End the process, and return the error that it replied without a request."""
        self.kill()
        return CannotJudge(f"{self._where} replied without a request. {_WORDS.ended}")


NOISE_ANSWERS = 6
"""Time limit of measuring noise, as a multiple of a prediction's: it loads the model twice."""


class ConfinedCheckpoint:
    """A checkpoint that was opened from ``folder`` by a ``module``.

    The module of ONNX models opens an export. Another one may export or copy the folder first.
    """

    def __init__(
        self,
        folder: Path,
        task: str,
        device: str,
        name: str = "",
        options: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
        allowed: Allowed = Allowed(),  # noqa: B008 - immutable
        module: str = WORKER,
    ) -> None:
        self.folder = folder
        self._allowed = allowed
        self._worker = Worker(name or folder.name, module)
        self.close = self._worker.kill
        request = wire.Open(str(folder), TASKS[task].path, device, name, options)
        limits = allowed.limits(folder, loads=1)
        if module != WORKER:
            limits = allowed.limits(folder, answers=EXPORT_ANSWERS, loads=2, models=2)
        opened = self._worker.ask(request, wire.Opened, limits)
        self.head = opened.head
        self.cache_key = opened.cache_key
        self.card = opened.card
        self.labels = opened.card.labels
        self.reads_types = opened.reads_types

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input, batch by batch. Raises CannotJudge."""
        limits = self._allowed.limits(self.folder)
        try:
            for start in range(0, len(inputs), WINDOW):
                some = inputs[start : start + WINDOW]
                self._worker.send(wire.Predict(some))
                waiting = set(range(len(some)))
                while not (answers := self._worker.reply(wire.Answers, limits)).last:
                    batch = [(at, Prediction.unpacked(fields)) for at, fields in answers.items]
                    answered = {index for index, _ in batch}
                    if len(answered) < len(batch) or not answered <= waiting:
                        raise self._worker.out_of_turn()
                    waiting -= answered
                    yield [(start + index, answer) for index, answer in batch]
                if waiting:
                    raise self._worker.out_of_turn()
        except BaseException:  # the request is not finished, so that no other can follow
            self._worker.kill()
            raise

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how much scores of an unchanged input differ."""
        limits = self._allowed.limits(self.folder, answers=NOISE_ANSWERS)
        return self._worker.ask(wire.MeasureNoise(inputs), wire.MeasuredNoise, limits).noise
