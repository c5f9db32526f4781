"""The system under test that the settings name, and the base that runs in the same job."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import remove_abandoned, scratch
from mt_gate.ontologies.ontology import parts_of
from mt_gate.results.result import CheckpointHead, Result
from mt_gate.results.store import BASE
from mt_gate.running.entity_kinds import with_kinds
from mt_gate.running.labels import few
from mt_gate.running.operating import Needs, check_labels, operated
from mt_gate.settings.loading import OF_BOTH
from mt_gate.settings.record import FP32, ONNX, SETTINGS, TORCH, Settings, dashed
from mt_gate.sut import wire
from mt_gate.sut.card import (
    CARD,
    DRAFT,
    HUB,
    Card,
    CheckpointOptions,
    is_exported,
    read_card,
    with_options,
)
from mt_gate.sut.confined import WORKER, ConfinedCheckpoint, Worker
from mt_gate.sut.processes import EXPORT_ANSWERS, Allowed
from mt_gate.sut.protocol import ProgramPlace, System
from mt_gate.sut.systems.endpoint import job_of
from mt_gate.sut.systems.kinds import (
    OPENAI,
    PYTHON,
    check_system,
    is_system,
    open_system,
    runs_own_code,
)
from mt_gate.tasks.table import TASKS

PARITY_INPUTS, PARITY_PROMPTS = 256, 64
"""Inputs on which an export is compared with its original; fewer for a slow language model."""

EXPORTER = "mt_gate.exporting.export"
"""Module of the process that exports checkpoints, or runs them in PyTorch."""
EXPORT_SECONDS, EXPORT_SECONDS_PER_GB = 20, 80
"""Approximate seconds of an export on two cores, and further seconds per GB of weights."""


def open_checkpoint(
    settings: Settings,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
    *,
    scores: bool = False,
) -> ConfinedCheckpoint:
    """Open the checkpoint of the settings; export a Hugging Face folder if it is not cached.

    The export has the precision of the settings. An exported checkpoint must already have that
    precision. Raises UsageError and CannotJudge.
    """
    task, path = settings.task, find_folder(settings.checkpoint)
    options = _options(settings, scores=scores)
    allowed = Allowed(settings.timeout, settings.max_memory)
    if settings.backend == TORCH:
        if (path / CARD).is_file() or settings.precision not in (None, FP32):
            exported = "does not run an exported checkpoint. Pass the folder it was exported from"
            what = exported if (path / CARD).is_file() else "runs only in fp32. Omit --precision"
            raise UsageError(f"--backend torch {what}, or pass --backend {ONNX}.")
    elif not (path / CARD).is_file():
        from mt_gate.exporting.hugging_face import clear, export_folder, inspect, is_exported

        wanted = settings.precision or FP32
        fingerprint = inspect(path, task, options).fingerprint
        folder = export_folder(cache, fingerprint, task, wanted)
        if not is_exported(folder):
            clear(folder)
            of = "" if wanted == FP32 else f" in {wanted}"
            files = filter(Path.is_file, path.glob("*.safetensors"))
            weights = sum(file.stat().st_size for file in files)
            about = EXPORT_SECONDS + round(weights * EXPORT_SECONDS_PER_GB / 1e9, -1)
            say(f"Exporting {path} to ONNX{of}, once, about {about:.0f} s. Stored in {folder}")
            some = inputs[:PARITY_INPUTS]
            export_confined(path, task, folder, wanted, some, options, allowed, fingerprint)
        path = folder
    else:
        _check_precision(settings, read_card(path, task))
    name = Path(settings.checkpoint).resolve().name
    module = EXPORTER if settings.backend == TORCH else WORKER
    return ConfinedCheckpoint(path, task, settings.device, name, options, allowed, module)


def _options(settings: Settings, *, scores: bool = False) -> CheckpointOptions:
    return CheckpointOptions(
        settings.answers,
        settings.max_length,
        scores,
        settings.threads,
        precision=settings.precision or "",
    )


def find_folder(checkpoint: str) -> Path:
    """Return the folder of a checkpoint, fetched if it is ``hub:ORG/NAME``. Raises UsageError."""
    if checkpoint.startswith(HUB):
        from mt_gate.exporting.hugging_face import fetch

        return fetch(checkpoint)
    path = Path(checkpoint)
    if not path.exists():
        raise UsageError(
            f"Checkpoint folder {quoted(checkpoint, 200)} does not exist. Pass a Hugging Face "
            f"folder, one made by mt-gate export, or {HUB}ORG/NAME@REVISION."
        )
    if not path.is_dir():
        raise UsageError(f"Checkpoint {quoted(checkpoint, 200)} is a file. Pass its folder.")
    return path


def _check_precision(settings: Settings, card: Card) -> None:
    if settings.precision and card.precision != settings.precision:
        raise UsageError(
            f"Checkpoint {settings.checkpoint} is exported in {card.precision}, not in "
            f"{settings.precision}. Pass the folder it was exported from, or export it with "
            f"--precision {settings.precision}."
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
    """Export a Hugging Face folder in a separate process, see ``exporting.export.export``."""
    limits = allowed.limits(checkpoint, answers=EXPORT_ANSWERS, loads=2, models=2)
    worker = Worker(str(checkpoint), EXPORTER)
    path = TASKS[task].path
    request = wire.Export(str(checkpoint), path, str(out), precision, inputs, options, expected)
    try:
        return worker.ask(request, wire.Exported, limits).card
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
    opened_before: System | None = None,
) -> System:
    """Open the checkpoint or other system of the settings, with its operating point (task text).

    An export is compared with its original on ``inputs``. With ``scores``, a checkpoint returns all
    scores of a relation (task re). A command runs in ``place``. ``opened_before`` is a system of
    the caller, which the settings only name.
    """
    if settings.checkpoint and not settings.system and not is_exported(settings.checkpoint):
        check_labels(settings, labels_of_named(settings) or (), needs)
    with ExitStack() as opened:
        system: System
        if opened_before is not None:
            system = opened_before
        elif settings.system:
            system = open_system(settings, place)
        else:
            system = open_checkpoint(settings, cache, inputs, say, scores=scores)
        opened.enter_context(closing(system))
        if TASKS[settings.task].label_map:
            system = operated(system, settings, needs)
        elif needs.kinds:
            system = with_kinds(system, settings.label_map, needs)
        opened.pop_all()
    return system


_PROPOSALS = ("pull_request", "pull_request_target", "merge_group")
"""GitHub events whose checkout is not a reviewed branch."""
_MERGE = (
    "CI_MERGE_REQUEST_IID",
    "CHANGE_ID",
    "BITBUCKET_PR_ID",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
)
"""Variables that GitLab, Jenkins, Bitbucket and Azure set if the checkout is not reviewed."""


@contextmanager
def cache_of(
    cache: Path, settings: Settings, now: CheckpointHead, base: CheckpointHead | None = None
) -> Iterator[Path]:
    """Yield the folder of the cache with a system's predictions.

    It is a new folder for a program or a pickle in a pull request's job: the pull request may have
    changed code that the fingerprint does not cover. It is also new for a callable without a
    fingerprint, and if the ``base`` is the same system, because only new predictions show how much
    the system differs between runs.
    """
    unmarked = now.runtime.provider == PYTHON and not now.fingerprint
    proposed = os.environ.get("GITHUB_EVENT_NAME") in _PROPOSALS or any(map(os.environ.get, _MERGE))
    is_one = base is not None and (base.fingerprint, base.runtime) == (now.fingerprint, now.runtime)
    again = is_one and base and (now.fingerprint or base.name == now.name)
    if not again and not unmarked and not (proposed and runs_own_code(settings.system)):
        yield cache
        return
    with scratch() as folder:
        yield folder


def labels_of_named(settings: Settings) -> tuple[str, ...] | None:
    """Return the labels of the system in the settings; None if only its predictions show them.

    Check all that can be checked without opening the system. Raises UsageError and CannotJudge.
    """
    if settings.system.startswith(f"{PYTHON}:"):
        return None
    if settings.system:
        kind, model = check_system(settings.system, settings.task)
        if kind == OPENAI:
            job_of(model, settings)
        return None
    path, options = find_folder(settings.checkpoint), _options(settings)
    if not (path / CARD).is_file():
        from mt_gate.exporting.hugging_face import inspect

        return inspect(path, settings.task, options).labels
    card = with_options(read_card(path, settings.task), options, str(path / CARD))
    _check_precision(settings, card)
    return card.labels


def base_settings(settings: Settings) -> Settings:
    """Return the settings of the base's run: the candidate's, except for the system."""
    named = settings.against
    system = is_system(named)
    return replace(
        settings,
        checkpoint="" if system else named,
        system=named if system else "",
        against="",
        baseline=None,
        out=settings.out / BASE,
        device=settings.base_device or settings.device,
        precision=settings.base_precision,
        threads=settings.base_threads,
        base_precision=None,
        base_device=None,
        base_threads=None,
        prompt=settings.base_prompt or settings.prompt,
        base_prompt=None,
        answers={} if system else settings.answers,
        max_length=None if system else settings.max_length,
        max_violation_rate={},
        must_hold=(),
        required=(),
    )


def base_name(result: Result) -> str:
    """Return a valid baseline name for the base: its name and precision."""
    runtime = result.checkpoint.runtime
    parts = [result.checkpoint.name, runtime.precision]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(filter(None, parts)))
    return plain.strip("._-")[:100] or BASE


def check_sides(settings: Settings) -> None:
    """Check base and candidate before either is exported or run."""
    base = base_settings(settings)
    of_base = ("base_precision", "base_threads") if base.system else ()
    of_both = OF_BOTH if base.system and settings.system else ()
    for name in (*of_base, *of_both):
        if getattr(settings, name) != SETTINGS[name].default:
            who = f"the base {quoted(base.system)}"
            who += " and the candidate are systems" if name in of_both else " is a system"
            raise UsageError(f"--{dashed(name)} is for checkpoints, but {who}. Omit it.")
    before, now = labels_of_named(base), labels_of_named(settings)
    if before is None or now is None or settings.label_map or TASKS[settings.task].answers:
        return  # the task or the user defines the labels
    known, own = _answers(before), _answers(now)
    if known and own and known.isdisjoint(own):
        raise CannotJudge(
            f"The base {settings.against} predicts {few(known)}, but the candidate predicts "
            f"{few(own)}. Pass two checkpoints with the same labels."
        )


def _answers(labels: Iterable[str]) -> set[str]:
    labels_read = (parts_of(label) for label in labels)
    return {f"{parts.kind}{parts.direction}" for parts in labels_read if not parts.says_nothing}
