"""``mt-gate mutate``: a copy of a checkpoint with a few neurons damaged."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.deriving import CAUSE, copy, derive, write_json
from mt_gate.mutating.layers import mutate_layers
from mt_gate.mutating.onnx_weights import OnnxWeights
from mt_gate.mutating.operators import Mutation
from mt_gate.sut.card import CARD, MODEL, Card

RECORD = "mutation.json"
"""File with the mutation of a Hugging Face folder; exported ones have it in their metadata."""
_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack", "*.gguf")
"""Other forms of the weights, which would still be the original's."""


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
    write = _exported if (checkpoint / CARD).is_file() else _hugging_face
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".mt-gate-", dir=out.parent) as temporary:
            draft = Path(temporary) / "mutant"
            draft.mkdir()
            layers = write(checkpoint, mutation, draft)
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

    return derive(
        checkpoint, folder, change, _record(mutation), lambda name: name.startswith(MODEL)
    )


def _exported(checkpoint: Path, mutation: Mutation, draft: Path) -> int:
    weights = OnnxWeights(checkpoint / MODEL)
    write_exported(checkpoint, weights, mutation, draft)
    return len(weights.layers)


def _hugging_face(checkpoint: Path, mutation: Mutation, draft: Path) -> int:
    has_weights = any(checkpoint.glob(safetensors_weights.PATTERN))
    if not (checkpoint / CONFIG).is_file() or not has_weights:
        raise CannotJudge(f"{checkpoint} has neither {CARD} nor {CONFIG} with safetensors. {CAUSE}")
    tensors = safetensors_weights.load(checkpoint)
    layers = safetensors_weights.find_layers(tensors)
    changed = mutate_layers(layers, safetensors_weights.floats(tensors, layers), mutation)
    copy(checkpoint, draft, lambda name: any(map(Path(name).match, _WEIGHTS)))
    safetensors_weights.save(draft, changed)
    write_json(draft / RECORD, _record(mutation))
    return len(layers)


def _record(mutation: Mutation) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(mutation)
    return record
