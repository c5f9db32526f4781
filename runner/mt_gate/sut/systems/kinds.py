"""From the text after ``--system`` to a system under test."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
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

    Args:
        system: for example ``spacy:en_core_web_sm``.
        task: the run's task.
        options: device for systems in process, time-out for the others, variables for a command.

    Raises:
        UsageError: an unknown kind, a task that such systems cannot do, or nothing of that name.
        CannotJudge: a package is missing, or the system is unfit.
    """
    kind, what = check_system(system, task)
    opener, extra = KINDS[kind]
    try:
        return opener(what, options._replace(task=task))
    except ImportError as error:
        raise CannotJudge(
            f"--system {kind}: {error.name} is not installed; pip install 'mt-gate[{extra}]'"
        ) from None


def check_system(system: str, task: str) -> tuple[str, str]:
    """Return the kind and what of ``KIND:WHAT``, if such systems can do the task.

    Raises:
        UsageError: they cannot, or there is no such kind.
    """
    kind, _, what = system.partition(":")
    if kind not in KINDS or not what.strip():
        raise UsageError(
            f"--system {system}: expected KIND:WHAT, the kind one of: {', '.join(KINDS)}"
        )
    if kind not in TASKS[task].other_systems:
        known = listed(lambda spec: kind in spec.other_systems)
        raise UsageError(
            f"--system {system}: such systems are for task {known}, this run is for {task}; "
            "name a --checkpoint"
        )
    return kind, what.strip()


def _spacy(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.spacy_pipeline import SpacyPipeline

    return SpacyPipeline(what, options.device)


def _flair(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.flair_tagger import FlairTagger

    return FlairTagger(what, options.device)


def _command(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.command import CommandSystem

    exchange = resolve(TASKS[options.task].exchange)
    return CommandSystem(what, options.timeout, options.environment, exchange, options.place)


def _aws(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.aws_comprehend import AwsComprehend

    return AwsComprehend(what, options.timeout)


def _azure(what: str, options: SystemOptions) -> System:
    from mt_gate.sut.systems.azure_language import AzureLanguage

    return AzureLanguage(what, options.timeout)


PROGRAM = "command:"
"""How ``--system`` begins where it is a program, whose arguments may hold secrets."""
KINDS: dict[str, tuple[Opener, str]] = {
    "spacy": (_spacy, "spacy"),
    "flair": (_flair, "flair"),
    "command": (_command, "cpu"),
    "aws-comprehend": (_aws, "aws"),
    "azure-language": (_azure, "azure"),
}
"""Each kind with what opens it and the extra that it needs."""


def is_command(system: str) -> bool:
    """Whether ``KIND:WHAT`` names a command."""
    return system.partition(":")[0] == "command"


def is_system(text: str) -> bool:
    """Whether a text names a system of a known kind, and no folder that is there."""
    kind, colon, _ = text.partition(":")
    return bool(colon) and kind in KINDS and not os.path.exists(text)
