"""The system under test that the settings name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from mt_gate.base.console import Say
from mt_gate.base.scratch import scratch
from mt_gate.running.checkpoints import labels_of, open_checkpoint
from mt_gate.running.loading import PARITY_INPUTS
from mt_gate.running.operating import Needs, check_labels, operated, scores_needed
from mt_gate.settings.record import Settings
from mt_gate.sut.card import CheckpointOptions, is_exported
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import Allowed
from mt_gate.sut.protocol import ProgramPlace, System
from mt_gate.sut.systems.kinds import SystemOptions, check_system, is_command, open_system


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
    """Open the checkpoint or other system that the settings name.

    Args:
        settings: of the run.
        cache: folder for exports.
        inputs: of the task, for an export's parity; the first so many are taken.
        say: told of an export.
        scores: whether a checkpoint is to give all its scores beside a relation (task ``re``).
        needs: what is asked of its labels (task ``text``).
        place: where a command runs; None for the working folder.
    """
    if settings.checkpoint and not settings.system and not is_exported(settings.checkpoint):
        check_labels(settings, labels_of_named(settings) or (), needs)
    with ExitStack() as opened:
        system = opened.enter_context(
            closing(_opened(settings, cache, inputs, say, scores, needs, place))
        )
        found = operated(system, settings, needs)
        opened.pop_all()
    return found


def _opened(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    scores: bool,
    needs: Needs,
    place: ProgramPlace | None,
) -> System:
    if settings.system:
        options = SystemOptions(
            settings.device, settings.timeout, settings.system_environment, place=place
        )
        return open_system(settings.system, settings.task, options)
    asked = _options(settings)._replace(scores=scores, told=scores_needed(settings, needs))
    return _open_onnx(settings, cache, inputs, say, asked)


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
def cache_of(cache: Path, settings: Settings) -> Iterator[Path]:
    """Give the folder that keeps a system's predictions.

    For a command in a pull request's job it is new: the command's fingerprint need not cover the
    modules that it imports, and the pull request may have changed them.
    """
    proposed = os.environ.get("GITHUB_EVENT_NAME") in _PROPOSALS or any(map(os.environ.get, _MERGE))
    if not (proposed and is_command(settings.system)):
        yield cache
        return
    with scratch() as folder:
        yield folder


def open_onnx(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
) -> ConfinedCheckpoint:
    """Open the checkpoint that the settings name, exported first where need be."""
    return _open_onnx(settings, cache, inputs, say, _options(settings))


def _open_onnx(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    asked: CheckpointOptions,
) -> ConfinedCheckpoint:
    return open_checkpoint(
        settings.checkpoint,
        settings.task,
        settings.device,
        cache=cache,
        parity_inputs=lambda: inputs[:PARITY_INPUTS],
        say=say,
        asked=asked,
        precision=settings.precision,
        allowed=_allowed(settings),
    )


def _allowed(settings: Settings) -> Allowed:
    return Allowed(settings.timeout, settings.max_memory)


def labels_of_named(settings: Settings) -> tuple[str, ...] | None:
    """Return the labels of what the settings name, None where they are told by its answers alone.

    Raises:
        UsageError: it is not there, or cannot be opened as the settings say.
        CannotJudge: what is there is unfit, as far as is seen without opening it.
    """
    if settings.system:
        check_system(settings.system, settings.task)
        return None
    return labels_of(settings.checkpoint, settings.task, _options(settings), settings.precision)


def _options(settings: Settings) -> CheckpointOptions:
    return CheckpointOptions(settings.answers, settings.max_length, threads=settings.threads)
