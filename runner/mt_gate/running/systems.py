"""The system under test that the settings name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.files import remove_abandoned, scratch
from mt_gate.results.result import CheckpointHead
from mt_gate.running.operating import Needs, check_labels, operated, scores_needed
from mt_gate.settings.record import FP32, Settings
from mt_gate.sut import wire
from mt_gate.sut.card import (
    CARD,
    DRAFT,
    Card,
    CheckpointOptions,
    is_exported,
    read_card_for,
    with_options,
)
from mt_gate.sut.confined import ConfinedCheckpoint, Worker
from mt_gate.sut.limits import Allowed
from mt_gate.sut.protocol import ProgramPlace, System
from mt_gate.sut.systems.kinds import SystemOptions, check_system, open_system, runs_own_code
from mt_gate.tasks.table import TASKS

PARITY_INPUTS = 256
"""Inputs that an export is compared with its original on."""

EXPORT_SECONDS, EXPORT_SECONDS_PER_GB = 20, 80
"""Approximate time of an export on two cores, by the size of the weights."""


def open_checkpoint(
    checkpoint: str,
    task: str,
    device: str,
    *,
    cache: Path,
    parity_inputs: Callable[[], Sequence[Mapping[str, Any]]],
    say: Callable[[str], None],
    options: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
    allowed: Allowed = Allowed(),  # noqa: B008 - immutable
    precision: str | None = None,
) -> ConfinedCheckpoint:
    """Load an exported checkpoint; export a Hugging Face folder first, once.

    With a ``precision`` it is exported in that one; what is exported already must have it. Raises
    UsageError and CannotJudge.
    """
    path = _folder(checkpoint)
    if not (path / CARD).is_file():
        from mt_gate.exporting.hugging_face import clear, export_folder, inspect, is_exported

        wanted = precision or FP32
        fingerprint = inspect(path, task, options).fingerprint
        folder = export_folder(cache, fingerprint, task, wanted)
        if not is_exported(folder):
            clear(folder)
            of = "" if wanted == FP32 else f" in {wanted}"
            files = filter(Path.is_file, path.glob("*.safetensors"))
            weights = sum(file.stat().st_size for file in files)
            about = EXPORT_SECONDS + round(weights * EXPORT_SECONDS_PER_GB / 1e9, -1)
            say(f"Exporting {path} to ONNX{of}, about {about:.0f} s (once; kept in {folder})")
            inputs = parity_inputs()
            export_confined(path, task, folder, wanted, inputs, options, allowed, fingerprint)
        path = folder
    else:
        _check_precision(checkpoint, read_card_for(path, task), precision)
    return ConfinedCheckpoint(path, task, device, Path(checkpoint).resolve().name, options, allowed)


def _folder(checkpoint: str) -> Path:
    path = Path(checkpoint)
    if not path.exists():
        raise UsageError(
            f"Checkpoint folder {quoted(checkpoint, 200)} does not exist. Pass a Hugging Face "
            "folder or one made by mt-gate export."
        )
    if not path.is_dir():
        raise UsageError(f"Checkpoint {quoted(checkpoint, 200)} is a file. Pass its folder.")
    return path


def _check_precision(checkpoint: str, card: Card, wanted: str | None) -> None:
    if wanted and card.precision != wanted:
        raise UsageError(
            f"Checkpoint {checkpoint} is exported in {card.precision}, not in "
            f"{wanted}. Pass the folder it was exported from, or export it with --precision "
            f"{wanted}."
        )


def export_confined(
    checkpoint: Path,
    task: str,
    out: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    options: CheckpointOptions,
    allowed: Allowed = Allowed(),  # noqa: B008 - immutable
    expected: str = "",
) -> Card:
    """Export a Hugging Face folder in a process of its own, see ``exporting.export.export``."""
    worker = Worker(str(checkpoint), "mt_gate.exporting.process")
    path = TASKS[task].path
    request = wire.Export(str(checkpoint), path, str(out), precision, inputs, options, expected)
    try:
        return worker.ask(request, wire.Exported, allowed.exporting(checkpoint)).card
    finally:
        worker.kill()
        remove_abandoned(out.parent, DRAFT)


def open_named(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    *,
    scores: bool = False,
    needs: Needs = Needs(),  # noqa: B008 - immutable
    place: ProgramPlace | None = None,
) -> System:
    """Open the checkpoint or other system that the settings name, read as this run reads it.

    ``inputs`` are of the task, for an export's parity; with ``scores`` a checkpoint gives all
    scores of a relation (task re); a command runs in ``place``.
    """
    if settings.checkpoint and not settings.system and not is_exported(settings.checkpoint):
        check_labels(settings, labels_of_named(settings) or (), needs)
    with ExitStack() as opened:
        system: System
        if settings.system:
            options = SystemOptions(
                settings.device, settings.timeout, settings.system_environment, place=place
            )
            system = open_system(settings.system, settings.task, options)
        else:
            scored = scores_needed(settings, needs)
            system = open_onnx(settings, cache, inputs, say, scores=scores, scored=scored)
        opened.enter_context(closing(system))
        reading = operated(system, settings, needs)
        opened.pop_all()
    return reading


_PROPOSALS = ("pull_request", "pull_request_target", "merge_group")
"""GitHub's events whose checkout is not that of a branch people have reviewed."""
_MERGE = (
    "CI_MERGE_REQUEST_IID",
    "CHANGE_ID",
    "BITBUCKET_PR_ID",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
)
"""Variables that GitLab, Jenkins, Bitbucket and Azure set in the same place."""


@contextmanager
def cache_of(
    cache: Path, settings: Settings, now: CheckpointHead, base: CheckpointHead | None = None
) -> Iterator[Path]:
    """Give the folder that keeps a system's predictions.

    For a program or a pickle in a pull request's job it is new: the fingerprint need not cover all
    code that runs, and the pull request may have changed it. So it is where the ``base`` is the
    same system: to show what one system answers twice, its answers are predicted again.
    """
    proposed = os.environ.get("GITHUB_EVENT_NAME") in _PROPOSALS or any(map(os.environ.get, _MERGE))
    is_one = base is not None and (base.fingerprint, base.runtime) == (now.fingerprint, now.runtime)
    again = is_one and base and (now.fingerprint or base.name == now.name)
    if not again and not (proposed and runs_own_code(settings.system)):
        yield cache
        return
    with scratch() as folder:
        yield folder


def open_onnx(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    *,
    scores: bool = False,
    scored: tuple[str, ...] | None = None,
) -> ConfinedCheckpoint:
    """Open the checkpoint that the settings name, exported first where need be."""
    return open_checkpoint(
        settings.checkpoint,
        settings.task,
        settings.device,
        cache=cache,
        parity_inputs=lambda: inputs[:PARITY_INPUTS],
        say=say,
        options=_options(settings)._replace(scores=scores, scored=scored),
        precision=settings.precision,
        allowed=Allowed(settings.timeout, settings.max_memory),
    )


def labels_of_named(settings: Settings) -> tuple[str, ...] | None:
    """Return the labels of what the settings name, None where its predictions alone tell them.

    Checks all that can be checked without opening it. Raises UsageError and CannotJudge.
    """
    if settings.system:
        check_system(settings.system, settings.task)
        return None
    options, path = _options(settings), _folder(settings.checkpoint)
    if not (path / CARD).is_file():
        from mt_gate.exporting.hugging_face import inspect

        return inspect(path, settings.task, options).labels
    card = with_options(read_card_for(path, settings.task), options, str(path / CARD))
    _check_precision(settings.checkpoint, card, settings.precision)
    return card.labels


def _options(settings: Settings) -> CheckpointOptions:
    return CheckpointOptions(settings.answers, settings.max_length, threads=settings.threads)
