"""Open the system under test that the text after ``--system`` names."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.settings.record import Settings
from mt_gate.sut.protocol import ProgramPlace, System
from mt_gate.tasks.table import TASKS, listed


def open_system(settings: Settings, place: ProgramPlace | None = None) -> System:
    """Open the system of the settings; a command runs in ``place``, or in the working folder.

    Raises UsageError and CannotJudge.
    """
    from mt_gate.sut.systems.command import CommandSystem

    system, environment = settings.system, settings.system_environment
    kind, what = check_system(system, settings.task)
    exchange = resolve_name(TASKS[settings.task].exchange)
    if kind == "command":
        return CommandSystem(what, settings.timeout, environment, exchange, place)
    if kind == "spacy":
        from mt_gate.sut.systems.spacy_pipeline import SpacyPipeline

        try:
            return SpacyPipeline(what, settings.device)
        except ImportError as error:
            raise _missing(kind, str(error.name), "spacy") from None
    adapter = ADAPTERS[kind]
    if not re.fullmatch(adapter.form, what):
        raise UsageError(f"--system {system} is not valid. Expected {adapter.expected}.")
    try:
        installed = find_spec(adapter.package) is not None
    except (ModuleNotFoundError, ValueError):  # no parent package; or a test hides the package
        installed = False
    if not installed:
        raise _missing(kind, adapter.package, adapter.extra)
    # -P: a module of the working folder must not replace the module that gets a key.
    python = [sys.executable, "-P", "-m", f"mt_gate.adapters.{adapter.module}"]
    variables = [n for n in os.environ if adapter.variables and n.startswith(adapter.variables)]
    if kind == OPENAI:
        from mt_gate.sut.systems.endpoint import EndpointSystem

        program = shlex.join(python)
        return EndpointSystem(what, settings, exchange, program, [*environment, *variables])
    device = f" --device {settings.device}" if adapter.computes else ""
    return CommandSystem(
        f"{shlex.join(python)} {what}{device}",
        settings.timeout,
        [*environment, *variables],
        exchange,
        title=f"{kind}:{what}",
    )


def _missing(kind: str, package: str, extra: str) -> CannotJudge:
    return CannotJudge(
        f"--system {kind}: {package} is not installed. Run pip install 'mt-gate[{extra}]'"
    )


def check_system(system: str, task: str) -> tuple[str, str]:
    """Return the parts of ``KIND:WHAT``. Raises UsageError: this kind does not support the task."""
    kind, _, what = system.partition(":")
    if kind not in SYSTEMS or not what.strip():
        raise UsageError(f"--system must be KIND:WHAT, with a KIND of: {', '.join(SYSTEMS)}.")
    if kind not in TASKS[task].other_systems:
        known = listed(lambda spec: kind in spec.other_systems)
        raise UsageError(
            f"--system {system} works only with task {known}, but this run is for task {task}. "
            "Pass a --checkpoint."
        )
    return kind, what.strip()


class Adapter(NamedTuple):
    """A program of mt-gate that uses the protocol of ``command:``.

    It needs ``package``, which ``extra`` installs. Its arguments match the pattern ``form``, which
    ``expected`` describes. It gets environment variables that begin with one of ``variables``.
    """

    module: str
    package: str
    extra: str
    form: str
    expected: str
    variables: tuple[str, ...] = ()
    computes: bool = False
    """Whether the program computes on this machine, and so on a device."""


ADAPTERS = {
    "flair": Adapter(
        "flair",
        "flair",
        "flair",
        r".+ --trusted",
        "FILE --trusted (a Flair file can run any program when it is read)",
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
    "openai": Adapter(
        "openai_chat",
        "openai",
        "openai",
        r"[^\x00-\x1f\x7f]{1,200}",
        "a model's name",
        ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT"),
    ),
}
OPENAI = "openai"
PROGRAM = "command:"
"""Prefix of ``--system`` for a program, whose arguments may contain secrets."""
PYTHON = "python"
"""Kind of a callable, which only the Python API can pass: ``python:NAME``."""
SYSTEMS = ("spacy", "command", *ADAPTERS)
"""Kinds that ``--system`` may begin with."""


def is_command(system: str) -> bool:
    """Whether ``KIND:WHAT`` names a command."""
    return system.partition(":")[0] == "command"


def runs_own_code(system: str) -> bool:
    """Whether ``KIND:WHAT`` runs the user's code, or reads a pickle, which can run any code."""
    return is_command(system) or system.partition(":")[0] in ("flair", PYTHON)


def path_of(system: str) -> Path | None:
    """Return the file or folder that a system is read from; None for all others."""
    kind, _, what = system.partition(":")
    if kind == "flair":
        with suppress(ValueError, IndexError):  # such a text names no file
            what = shlex.split(what)[0]
    path = Path(what.strip())
    return None if is_command(system) or not os.path.lexists(path) else path


def is_system(text: str) -> bool:
    """Whether a text names a system of a known kind, and not an existing path."""
    kind, colon, _ = text.partition(":")
    return bool(colon) and kind in (*SYSTEMS, PYTHON) and not os.path.exists(text)
