"""From the text after ``--system`` to a system under test."""

from __future__ import annotations

from collections.abc import Callable

from mt_gate.errors import CannotJudge, UsageError
from mt_gate.sut.protocol import System

TASK = "ner"

Opener = Callable[[str, str, float], System]


def open_system(system: str, task: str, device: str, timeout: float) -> System:
    """Open the system that ``KIND:WHAT`` names.

    Args:
        system: for example ``spacy:en_core_web_sm``.
        task: the run's task.
        device: auto, cpu or cuda, for systems in process.
        timeout: seconds that an answer may take.

    Raises:
        UsageError: an unknown kind, a task that such systems cannot do, or nothing of that name.
        CannotJudge: a package is missing, or the system is unfit.
    """
    kind, _, what = system.partition(":")
    if kind not in KINDS or not what.strip():
        raise UsageError(
            f"--system {system}: expected KIND:WHAT, the kind one of: {', '.join(KINDS)}"
        )
    if task != TASK:
        raise UsageError(
            f"--system {system}: such systems are for task {TASK}, this run is for {task}; "
            "name a --checkpoint"
        )
    opener, extra = KINDS[kind]
    try:
        return opener(what.strip(), device, timeout)
    except ImportError as error:
        raise CannotJudge(
            f"--system {kind}: {error.name} is not installed; pip install 'mt-gate[{extra}]'"
        ) from None


def _spacy(what: str, device: str, _: float) -> System:
    from mt_gate.sut.systems.spacy_pipeline import SpacyPipeline

    return SpacyPipeline(what, device)


def _flair(what: str, device: str, _: float) -> System:
    from mt_gate.sut.systems.flair_tagger import FlairTagger

    return FlairTagger(what, device)


def _command(what: str, _: str, timeout: float) -> System:
    from mt_gate.sut.systems.command import CommandSystem

    return CommandSystem(what, timeout)


def _aws(what: str, _: str, timeout: float) -> System:
    from mt_gate.sut.systems.aws_comprehend import AwsComprehend

    return AwsComprehend(what, timeout)


def _azure(what: str, _: str, timeout: float) -> System:
    from mt_gate.sut.systems.azure_language import AzureLanguage

    return AzureLanguage(what, timeout)


KINDS: dict[str, tuple[Opener, str]] = {
    "spacy": (_spacy, "spacy"),
    "flair": (_flair, "flair"),
    "command": (_command, "cpu"),
    "aws-comprehend": (_aws, "aws"),
    "azure-language": (_azure, "azure"),
}
"""Each kind with what opens it and the extra that it needs."""
