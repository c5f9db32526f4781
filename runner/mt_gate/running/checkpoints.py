"""From the text after ``--checkpoint`` to a system under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.base.errors import UsageError
from mt_gate.base.scratch import remove_abandoned
from mt_gate.settings.record import FP32
from mt_gate.sut import wire
from mt_gate.sut.card import (
    CARD,
    DRAFT,
    Card,
    CheckpointOptions,
    read_card_for,
    with_options,
)
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import Allowed
from mt_gate.sut.process import Worker
from mt_gate.tasks.table import TASKS


def open_checkpoint(
    checkpoint: str,
    task: str,
    device: str,
    *,
    cache: Path,
    parity_inputs: Callable[[], Sequence[Mapping[str, Any]]],
    say: Callable[[str], None],
    asked: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
    allowed: Allowed = Allowed(),  # noqa: B008 - immutable
    precision: str | None = None,
) -> ConfinedCheckpoint:
    """Load an exported checkpoint; export a Hugging Face folder first, once.

    With a ``precision`` it is exported in that one; what is exported already must have it.

    Raises:
        UsageError: no such folder, or it cannot be read as it is ``asked``.
        CannotJudge: what is there is unfit.
    """
    path = _folder(checkpoint)
    if not (path / CARD).is_file():
        wanted = precision or FP32
        path = _exported(path, task, wanted, asked, allowed, cache, parity_inputs, say)
    system = ConfinedCheckpoint(path, task, device, _name(checkpoint), asked, allowed)
    try:
        _check_precision(checkpoint, system.card, precision)
    except UsageError:
        system.close()
        raise
    return system


def _name(checkpoint: str) -> str:
    return Path(checkpoint).resolve().name


def labels_of(
    checkpoint: str, task: str, asked: CheckpointOptions, precision: str | None
) -> tuple[str, ...]:
    """Return a checkpoint's labels after the checks that need none of its weights; raises alike."""
    path = _folder(checkpoint)
    if not (path / CARD).is_file():
        from mt_gate.exporting.hugging_face import inspect

        return inspect(path, task, asked).labels
    card = with_options(read_card_for(path, task), asked, str(path / CARD))
    _check_precision(checkpoint, card, precision)
    return card.labels


def _folder(checkpoint: str) -> Path:
    path = Path(checkpoint)
    if not path.exists():
        raise UsageError(
            f"checkpoint {checkpoint}: no such folder; expected one made by 'mt-gate export', "
            "or a Hugging Face checkpoint"
        )
    if not path.is_dir():
        raise UsageError(f"checkpoint {checkpoint}: a file; expected the folder that holds it")
    return path


def _check_precision(checkpoint: str, card: Card, wanted: str | None) -> None:
    """Check that what was exported already has the precision that is asked for, if any is."""
    if wanted and card.precision != wanted:
        raise UsageError(
            f"checkpoint {checkpoint}: exported in {card.precision}, asked for {wanted}; "
            f"name the folder it was exported from, or export it with --precision {wanted}"
        )


def export_confined(
    checkpoint: Path,
    task: str,
    out: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    asked: CheckpointOptions,
    allowed: Allowed = Allowed(),  # noqa: B008 - immutable
    expected: str = "",
) -> Card:
    """Export a Hugging Face folder in a process of its own, see ``exporting.export.export``."""
    worker = Worker(str(checkpoint), "mt_gate.exporting.process")
    path = TASKS[task].path
    request = wire.Export(str(checkpoint), path, str(out), precision, inputs, asked, expected)
    try:
        return worker.ask(request, wire.Exported, allowed.exporting(checkpoint)).card
    finally:
        worker.kill()
        remove_abandoned(out.parent, DRAFT)


def _exported(
    path: Path,
    task: str,
    precision: str,
    asked: CheckpointOptions,
    allowed: Allowed,
    cache: Path,
    parity_inputs: Callable[[], Sequence[Mapping[str, Any]]],
    say: Callable[[str], None],
) -> Path:
    """Return the folder of a checkpoint's export, which is made where it is not kept."""
    from mt_gate.exporting.hugging_face import inspect
    from mt_gate.exporting.keeping import clear, is_kept, kept_folder

    fingerprint = inspect(path, task, asked).fingerprint
    folder = kept_folder(cache, fingerprint, task, precision)
    if not is_kept(folder):
        clear(folder)
        told = "" if precision == FP32 else f" in {precision}"
        say(f"exporting {path} to ONNX{told} (once; kept in {folder})")
        inputs = parity_inputs()
        export_confined(path, task, folder, precision, inputs, asked, allowed, fingerprint)
    return folder
