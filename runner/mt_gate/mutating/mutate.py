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
from mt_gate.base.files import readable, write_whole
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.operators import Mutation, mutate_layers
from mt_gate.sut.card import CARD

CAUSE = "Expected a Hugging Face folder."
RECORD = "mutation.json"
"""File that records the mutation in the mutant's folder."""
_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack", "*.gguf")
"""Weights in other formats. They are not copied, because they would not be mutated."""


def mutate(checkpoint: Path, mutation: Mutation, out: Path) -> int:
    """Write a mutant of a Hugging Face checkpoint to ``out``.

    Returns:
        The number of mutated layers; each is a query, a key, a value or a gate.

    Raises:
        UsageError: no such checkpoint, or ``out`` is taken or cannot be written.
        CannotJudge: the checkpoint is unfit, or a package is missing.
    """
    if (checkpoint / CARD).is_file():
        raise UsageError(
            f"{checkpoint} is an exported checkpoint. Mutate the Hugging Face folder that it was "
            "exported from."
        )
    if not checkpoint.is_dir():
        raise UsageError(f"Checkpoint folder {quoted(str(checkpoint), 99)} does not exist. {CAUSE}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"--out {out} is not an empty folder. Choose a new folder.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".mt-gate-", dir=out.parent) as temporary:
            draft = Path(temporary) / "mutant"
            draft.mkdir()
            layers = _mutate(checkpoint, mutation, draft)
            draft.replace(out)
    except OSError as error:
        raise UsageError(
            f"--out {out} cannot be made from {checkpoint} ({error.strerror}: "
            f"{error.filename or out}). Check permissions and disk space, or choose another folder."
        ) from None
    return layers


def _mutate(checkpoint: Path, mutation: Mutation, draft: Path) -> int:
    has_weights = any(checkpoint.glob(safetensors_weights.PATTERN))
    if not (checkpoint / CONFIG).is_file() or not has_weights:
        raise CannotJudge(f"{checkpoint} has no {CONFIG} with safetensors. {CAUSE}")
    tensors = safetensors_weights.load(checkpoint)
    layers = safetensors_weights.find_layers(tensors)
    changed = mutate_layers(layers, safetensors_weights.floats(tensors, layers), mutation)
    copy(checkpoint, draft, lambda name: any(map(Path(name).match, _WEIGHTS)))
    safetensors_weights.save(draft, changed)
    write_json(draft / RECORD, msgspec.to_builtins(mutation))
    return len(layers)


def copy(source: Path, target: Path, left_out: Callable[[str], bool]) -> None:
    """Copy the files of a folder, without subfolders, hidden files and ``left_out`` names."""
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
