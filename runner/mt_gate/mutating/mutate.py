"""``mt-gate mutate``: copy a checkpoint and damage a few neurons of the copy."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import decode_json, read_whole, readable, write_whole
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.onnx_weights import OnnxWeights
from mt_gate.mutating.operators import Mutation, mutate_layers
from mt_gate.sut.card import CARD, MAX_CARD, MODEL, Card, identify, read_card
from mt_gate.sut.folder import CheckpointFolder

CAUSE = "Expected a checkpoint made by mt-gate export, or a Hugging Face folder."
RECORD = "mutation.json"
"""File with the mutation of a Hugging Face folder; exported ones have it in their metadata."""
_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack", "*.gguf")
"""Other forms of the weights, which would still be the original's."""

Change = Callable[[Path, dict[str, Any]], None]
"""Changes the files of a folder, and the card that will be written to it."""


def mutate(checkpoint: Path, mutation: Mutation, out: Path) -> int:
    """Write a mutant of a checkpoint, exported or of Hugging Face, to ``out``.

    Returns:
        The number of layers that were mutated: query, key, value or gate each.

    Raises:
        UsageError: no such checkpoint, or ``out`` is taken or cannot be written.
        CannotJudge: the checkpoint is unfit, or a package is missing.
    """
    if not checkpoint.is_dir():
        raise UsageError(f"Checkpoint folder {quoted(str(checkpoint), 99)} does not exist. {CAUSE}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"--out {out} already exists. Choose a folder that does not.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".mt-gate-", dir=out.parent) as temporary:
            draft = Path(temporary) / "mutant"
            draft.mkdir()
            if (checkpoint / CARD).is_file():
                weights = OnnxWeights(checkpoint / MODEL)
                write_exported(checkpoint, weights, mutation, draft)
                layers = len(weights.layers)
            else:
                layers = _mutate_hugging_face(checkpoint, mutation, draft)
            draft.replace(out)
    except OSError as error:
        raise UsageError(
            f"--out {out} cannot be made from {checkpoint} ({error.strerror}: "
            f"{error.filename or out}). Check permissions and disk space, or choose another folder."
        ) from None
    return layers


def write_exported(
    checkpoint: Path, weights: OnnxWeights, mutation: Mutation, folder: Path
) -> Card:
    """Write a mutant of an exported checkpoint, whose weights are read, to an empty folder.

    Returns:
        Its metadata, with a new fingerprint.
    """

    def change(draft: Path, _: Any) -> None:
        weights.save(mutate_layers(weights.layers, weights.tensors, mutation), draft / MODEL)

    record = msgspec.to_builtins(mutation)
    return derive(checkpoint, folder, change, record, lambda name: name.startswith(MODEL))


def derive(
    checkpoint: Path,
    folder: Path,
    change: Change,
    record: Mapping[str, Any],
    left_out: Callable[[str], bool] = lambda _: False,
) -> Card:
    """Write a changed copy of an exported checkpoint to an empty folder, and return its metadata.

    The card gets ``record``, with the original's fingerprint, and a new fingerprint. ``left_out``
    are files that ``change`` writes itself.
    """
    original = _identify(checkpoint)
    copy(checkpoint, folder, left_out)
    data = read_whole(checkpoint / CARD, limit=MAX_CARD, cause=CAUSE)
    card = decode_json(data, dict[str, Any], path=checkpoint / CARD, cause=CAUSE)
    change(folder, card)
    for outdated in ("fingerprint", "files", "parity"):
        card.pop(outdated, None)
    write_json(folder / CARD, card)
    known = _identify(folder)
    about = {
        "fingerprint": known.fingerprint,
        "files": known.files,
        "mutation": {**record, "of": original.fingerprint},
    }
    write_json(folder / CARD, {**card, **about})
    return known


def _identify(folder: Path) -> Card:
    card = read_card(folder)
    return identify(CheckpointFolder(folder, card.files), card)[0]


def _mutate_hugging_face(checkpoint: Path, mutation: Mutation, draft: Path) -> int:
    has_weights = any(checkpoint.glob(safetensors_weights.PATTERN))
    if not (checkpoint / CONFIG).is_file() or not has_weights:
        raise CannotJudge(f"{checkpoint} has neither {CARD} nor {CONFIG} with safetensors. {CAUSE}")
    tensors = safetensors_weights.load(checkpoint)
    layers = safetensors_weights.find_layers(tensors)
    changed = mutate_layers(layers, safetensors_weights.floats(tensors, layers), mutation)
    copy(checkpoint, draft, lambda name: any(map(Path(name).match, _WEIGHTS)))
    safetensors_weights.save(draft, changed)
    write_json(draft / RECORD, msgspec.to_builtins(mutation))
    return len(layers)


def copy(source: Path, target: Path, left_out: Callable[[str], bool]) -> None:
    """Copy the files of a folder; folders in it are no part of a checkpoint."""
    for path in sorted(source.iterdir()):
        if path.is_file() and not path.name.startswith(".") and not left_out(path.name):
            with (
                files.opened(path, cause=CAUSE, inside=source) as old,
                (target / path.name).open("wb") as new,
            ):
                shutil.copyfileobj(old, new)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON for people to read, whole or not at all."""
    write_whole(path, readable(value))
