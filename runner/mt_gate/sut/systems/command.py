"""Any program as a system under test: JSON lines over standard input and output."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.child_environment import MODEL_PLACES, allowed
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import sha256_file
from mt_gate.base.redaction import names_secret
from mt_gate.domain import NotApplicable
from mt_gate.results.result import CheckpointHead
from mt_gate.sut.limits import cpu_name
from mt_gate.sut.protocol import Prediction, ProgramPlace
from mt_gate.sut.systems.answers import ENTITIES, Exchange, Identity, Unscored, head, key, read_line
from mt_gate.sut.systems.child import Program

WINDOW = 64
"""Requests that a program may have unanswered: enough to batch, few enough to hold."""


class CommandSystem(Unscored):
    """A program that answers a line with a line."""

    def __init__(
        self,
        command: str,
        timeout: float,
        environment: Sequence[str] = (),
        exchange: Exchange = ENTITIES,
        place: ProgramPlace | None = None,
        title: str = "",
    ) -> None:
        """Start the program and send it one short input, so that an unfit program fails early.

        ``command`` is quoted as for a shell, and no shell runs it; ``environment`` names further
        variables that it gets; messages call it ``title``, or by the name of the program. Raises
        UsageError and CannotJudge.
        """
        self._exchange = exchange
        folder = place.folder if place else Path.cwd()
        arguments = _split(command)
        program = _title(arguments, folder)
        variables = allowed(os.environ, environment)
        if place:
            arguments = [*map(place.moved, arguments)]
            variables = {name: place.moved(value) for name, value in variables.items()}
        self._arguments = arguments
        self._files = _files(arguments, folder)
        self._where, self._title = title or f"command {program}", title or program
        self._timeout = timeout
        self._requests = 0
        self._lines: list[bytes] = []
        # Of variables that may name the model; ASCII, whatever bytes a value has.
        names = {name for name in (*environment, *MODEL_PLACES) if not names_secret(name)}
        named = json.dumps(sorted(item for item in variables.items() if item[0] in names))
        self._variables = hashlib.sha256(named.encode()).hexdigest()
        self._child = Program(arguments, self._where, variables, place.folder if place else None)
        try:
            identity = Identity(self._title)
            probe = self._exchange.task.probe
            waiting = {self._ask(probe): 0}
            first = self._next_line()
            introduced = read_line(first, self._where, self._exchange)
            if isinstance(introduced, Identity):
                identity = introduced
            else:
                self._lines.append(first)
            self._answer([probe], waiting)
            self._identity = identity
        except BaseException:
            self._child.kill()
            raise

    @property
    def head(self) -> CheckpointHead:
        """The name that the program states, or the name of its file."""
        name, fingerprint = self._identity.name, self._identity.fingerprint
        return head(name, "command", fingerprint=fingerprint, cpu=cpu_name())

    @property
    def cache_key(self) -> str:
        """The command line, the files and variables that it names, who the program says it is.

        Two programs may say the same of themselves, so the files count all the same; and a variable
        may name the model.
        """
        return key(
            "command",
            self._arguments,
            self._files,
            os.getcwd(),
            self._variables,
            self._identity.name,
            *([] if self._exchange is ENTITIES else [self._exchange.field]),
            fingerprint=self._identity.fingerprint,
        )

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Ask all inputs, up to ``WINDOW`` ahead; an answer is yielded as it comes."""
        try:
            waiting: dict[int, int] = {}
            sent = 0
            while sent < len(inputs) or waiting:
                while sent < len(inputs) and len(waiting) < WINDOW:
                    waiting[self._ask(inputs[sent])] = sent
                    sent += 1
                yield [self._answer(inputs, waiting)]
        except BaseException:
            self._child.kill()
            raise

    def close(self) -> None:
        """End the program and its children."""
        self._child.end()

    def _ask(self, value: Mapping[str, Any]) -> int:
        number = self._requests
        self._requests += 1
        texts = {name: value[name] for name in self._exchange.task.names(value)}
        self._child.send(msgspec.json.encode({"id": number, **texts}) + b"\n")
        return number

    def _answer(
        self, inputs: Sequence[Mapping[str, Any]], waiting: dict[int, int]
    ) -> tuple[int, Prediction]:
        answer = read_line(self._next_line(), self._where, self._exchange)
        if isinstance(answer, Identity):
            raise CannotJudge(f"{self._where} names itself after its first line. Fix the program.")
        number = answer.id
        assert number is not None, "an answer has one"
        if number not in waiting:
            fault = "answered twice" if 0 <= number < self._requests else "never asked"
            raise CannotJudge(
                f"{self._where} replied to request {number}, which was {fault}. Expected one "
                "reply per request, with its id. Fix the program."
            )
        index = waiting.pop(number)
        if answer.truncated:
            return index, Prediction(None, reason=NotApplicable.TRUNCATED)
        return index, self._exchange.settled(inputs[index], answer, self._where)

    def _next_line(self) -> bytes:
        if not self._lines:
            self._lines = self._child.lines(self._timeout)[::-1]
        return self._lines.pop()


def _split(command: str) -> list[str]:
    if os.name != "posix":
        raise UsageError("--system command: needs Linux or macOS. Run mt-gate in a container.")
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"--system command:{command} cannot be split into arguments ({error}). Fix its quotes."
        ) from None
    if not arguments:
        raise UsageError("--system command: names no program. Expected command:PROGRAM ARGUMENTS")
    return arguments


def _files(arguments: Sequence[str], folder: Path) -> list[list[str]]:
    """Return the sha256 of the program and of every argument that is a file, from a folder on."""
    program = shutil.which(arguments[0])
    files = []
    for name in (*([program] if program else []), *arguments[1:]):
        if _is_file(folder / name):
            with contextlib.suppress(OSError):
                files.append([name, sha256_file(folder / name)])
    return files


def _title(arguments: Sequence[str], folder: Path) -> str:
    script = len(arguments) > 1 and _is_file(folder / arguments[1])
    return Path(arguments[int(script)]).name[:100] or "program"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
