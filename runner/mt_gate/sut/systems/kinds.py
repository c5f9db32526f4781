"""From the text after ``--system`` to a system under test."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.lazy import resolve
from mt_gate.sut.protocol import ProgramPlace, System
from mt_gate.tasks.table import TASKS, listed


class SystemOptions(NamedTuple):
    """How a system is run: its ``device``, seconds an answer, names of further variables, task.

    ``place`` is where a command runs; None for the working folder.
    """

    device: str
    timeout: float
    environment: Sequence[str] = ()
    task: str = ""
    place: ProgramPlace | None = None


Opener = Callable[[str, SystemOptions], System]


def open_system(system: str, task: str, options: SystemOptions) -> System:
    """Open the system that ``KIND:WHAT`` names.

    Raises UsageError: an unknown kind, a task that such systems cannot do, or nothing of that name.
    CannotJudge: a package is missing, or the system is unfit.
    """
    kind, what = check_system(system, task)
    if kind in ADAPTERS:
        return ADAPTERS[kind].open(kind, what, options._replace(task=task))
    opener, extra = KINDS[kind]
    try:
        return opener(what, options._replace(task=task))
    except ImportError as error:
        raise _missing(kind, str(error.name), extra) from None


def _missing(kind: str, package: str, extra: str) -> CannotJudge:
    return CannotJudge(
        f"--system {kind}: {package} is not installed; pip install 'mt-gate[{extra}]'"
    )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ModuleNotFoundError, ValueError):  # of its parent; or a test says that it is not there
        return False


def check_system(system: str, task: str) -> tuple[str, str]:
    """Return the kind and what of ``KIND:WHAT``, if such systems can do the task.

    Raises UsageError: they cannot, or there is no such kind.
    """
    kind, _, what = system.partition(":")
    if kind not in SYSTEMS or not what.strip():
        raise UsageError(
            f"--system {system}: expected KIND:WHAT, the kind one of: {', '.join(SYSTEMS)}"
        )
    if kind not in TASKS[task].other_systems:
        known = listed(lambda spec: kind in spec.other_systems)
        raise UsageError(
            f"--system {system}: such systems are for task {known}, this run is for {task}; name "
            "a --checkpoint"
        )
    return kind, what.strip()


def _spacy(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.spacy_pipeline import SpacyPipeline

    return SpacyPipeline(what, options.device)


def _command(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.command import CommandSystem

    exchange = resolve(TASKS[options.task].exchange)
    return CommandSystem(what, options.timeout, options.environment, exchange, options.place)


class Adapter(NamedTuple):
    """A program of ours that speaks the protocol of ``command:``.

    It needs ``package``, which ``extra`` installs. Its arguments must have the ``form`` that
    ``expected`` describes. It gets the variables whose names begin with one of ``variables``.
    """

    module: str
    package: str
    extra: str
    form: str
    expected: str
    variables: tuple[str, ...] = ()
    computes: bool = False
    """Whether it computes here, and so on a device."""

    def open(self, kind: str, what: str, options: SystemOptions) -> System:
        """Start the program for the text after ``--system KIND:``."""
        from mt_gate.sut.systems.command import CommandSystem

        if not re.fullmatch(self.form, what):
            raise UsageError(f"--system {kind}:{what}: expected {self.expected}")
        if not _is_installed(self.package):
            raise _missing(kind, self.package, self.extra)
        # -P: a module of the working folder must not take the place of one that gets a key.
        python = [sys.executable, "-P", "-m", f"mt_gate.adapters.{self.module}"]
        variables = [name for name in os.environ if name.startswith(self.variables)]
        device = f" --device {options.device}" if self.computes else ""
        return CommandSystem(
            f"{shlex.join(python)} {what}{device}",
            options.timeout,
            [*options.environment, *(variables if self.variables else ())],
            resolve(TASKS[options.task].exchange),
            title=f"{kind}:{what}",
        )


ADAPTERS = {
    "flair": Adapter(
        "flair",
        "flair",
        "flair",
        r".+ --trusted",
        "FILE --trusted: a Flair file can run any program when it is read",
        computes=True,
    ),
    "aws-comprehend": Adapter(
        "aws_comprehend",
        "boto3",
        "aws",
        r"[a-z]{2}(-[a-z]+)+-\d{1,2}",
        "a region, like eu-west-1",
        ("AWS_",),
    ),
    "azure-language": Adapter(
        "azure_language",
        "azure.ai.textanalytics",
        "azure",
        # A key must not go over the network in the clear.
        r"(https://[\w.-]+|http://(localhost|127\.0\.0\.1))(:\d+)?/?",
        "the resource's endpoint, like https://NAME.cognitiveservices.azure.com",
        ("AZURE_LANGUAGE_KEY",),
    ),
}
PROGRAM = "command:"
"""How ``--system`` begins where it is a program, whose arguments may hold secrets."""
KINDS: dict[str, tuple[Opener, str]] = {
    "spacy": (_spacy, "spacy"),
    "command": (_command, "cpu"),
}
"""Each kind with what opens it and the extra that it needs."""
SYSTEMS = (*KINDS, *ADAPTERS)
"""What ``--system`` may begin with."""


def is_command(system: str) -> bool:
    """Whether ``KIND:WHAT`` names a command."""
    return system.partition(":")[0] == "command"


def runs_own_code(system: str) -> bool:
    """Whether ``KIND:WHAT`` is a program of the user's, or a pickle, which can run any program."""
    return is_command(system) or system.partition(":")[0] == "flair"


def path_of(system: str) -> Path | None:
    """Return the file or folder that a system is read from; None for all others."""
    kind, _, what = system.partition(":")
    if kind == "flair":
        with suppress(ValueError, IndexError):  # such a text names no file
            what = shlex.split(what)[0]
    path = Path(what.strip())
    return None if is_command(system) or not os.path.lexists(path) else path


def is_system(text: str) -> bool:
    """Whether a text names a system of a known kind, and no folder that is there."""
    kind, colon, _ = text.partition(":")
    return bool(colon) and kind in SYSTEMS and not os.path.exists(text)
