"""Damaged copies of a Hugging Face checkpoint, each of a kind that a gate must detect."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

Tensors = dict[str, np.ndarray]


def write_variant(source: Path, target: Path, change: Callable[[Tensors], None]) -> Path:
    """Copy a checkpoint with ``change`` made to its weights."""
    shutil.copytree(source, target, dirs_exist_ok=True, copy_function=shutil.copyfile)
    weights = target / "model.safetensors"
    tensors = load_file(weights)
    change(tensors)
    save_file(tensors, weights, metadata={"format": "pt"})
    return target


def permute_positions(tensors: Tensors) -> None:
    """Permute the position embeddings: word order becomes noise."""
    name = next(name for name in tensors if name.endswith("position_embeddings.weight"))
    rng = np.random.default_rng(7)
    tensors[name] = tensors[name][rng.permutation(len(tensors[name]))]


def shuffle_weights(share: float, layers: str) -> Callable[[Tensors], None]:
    """Return a change that shuffles ``share`` of each matrix of the layers matching ``layers``."""

    def change(tensors: Tensors) -> None:
        rng = np.random.default_rng(7)
        for name in sorted(tensors):
            if not re.search(rf"\.layer\.(?:{layers})\..*weight$", name) or tensors[name].ndim != 2:
                continue
            flat = tensors[name].ravel().copy()
            chosen = rng.choice(flat.size, int(share * flat.size), replace=False)
            flat[chosen] = flat[rng.permutation(chosen)]
            tensors[name] = flat.reshape(tensors[name].shape)

    return change
