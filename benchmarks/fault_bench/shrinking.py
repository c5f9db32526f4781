"""Parts of a Hugging Face checkpoint left out: attention heads, last layers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fault_bench.faults import Fault
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import decode_json, read_whole
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.exporting.hugging_face import MAX_CONFIG
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.mutate import CAUSE, copy, write_json
from mt_gate.mutating.operators import VALUE

_LAYER = re.compile(r"(?:^|\.)layers?\.(\d+)\.")
_DEPTHS = ("num_hidden_layers", "n_layers")
_HEADS = ("num_key_value_heads", "num_attention_heads", "n_heads")
"""Those of the values, which may be fewer than those of the queries, come first."""


def drop_layers(checkpoint: Path, fault: Fault, folder: Path) -> None:
    """Write a checkpoint without its last layers to an empty folder.

    Raises:
        CannotJudge: it has not so many, or its weights' names do not tell them.
    """
    config = _config(checkpoint)
    name, depth = _number(config, _DEPTHS)
    kept = depth - int(fault.strength)
    if kept < 1:
        raise CannotJudge(f"it has {depth} layers, so {fault.strength:g} cannot be dropped")
    copy(checkpoint, folder, lambda file: file == CONFIG)
    if not _remove(folder, lambda tensor: _layer(tensor) >= kept):
        raise CannotJudge("the names of its weights do not show their layers")
    write_json(folder / CONFIG, {**config, name: kept})


def drop_heads(checkpoint: Path, fault: Fault, folder: Path) -> None:
    """Write a checkpoint with a share of each layer's heads silenced to an empty folder.

    A head is silent where its values are 0.

    Raises:
        CannotJudge: its heads cannot be identified.
    """
    _, heads = _number(_config(checkpoint), _HEADS)
    tensors = safetensors_weights.load(checkpoint)
    layers = safetensors_weights.find_layers(tensors)
    floats = safetensors_weights.floats(tensors, layers)
    rng = np.random.default_rng([fault.seed, round(1000 * fault.strength)])
    values = [layer for layer in layers if layer.role == VALUE]
    for layer in values:
        silent = rng.permutation(heads)[: max(1, round(fault.strength * heads))]
        for part in (*layer.weights, *layer.biases):
            rows = part.of(floats)
            if len(rows) % heads:
                raise CannotJudge(f"{layer.name} has {len(rows)} neurons, no multiple of {heads}")
            rows[np.isin(np.arange(len(rows)) * heads // len(rows), silent)] = 0
    if not values:
        raise CannotJudge("no attention was found by the names of its weights")
    copy(checkpoint, folder, lambda _: False)
    safetensors_weights.save(folder, floats)


def _layer(name: str) -> int:
    found = _LAYER.search(name)
    return int(found[1]) if found else -1


def _config(checkpoint: Path) -> dict[str, Any]:
    path = checkpoint / CONFIG
    data = read_whole(path, limit=MAX_CONFIG, cause=CAUSE)
    return decode_json(data, dict[str, Any], path=path, cause=CAUSE)


def _number(config: dict[str, Any], names: tuple[str, ...]) -> tuple[str, int]:
    for name in names:
        if isinstance(config.get(name), int) and config[name] > 0:
            return name, config[name]
    raise CannotJudge(f"{CONFIG} has no {' or '.join(names)}")


_ACTS = {"layers-dropped": drop_layers, "heads-dropped": drop_heads}
KINDS = tuple(_ACTS)


def shrink(checkpoint: Path, fault: Fault, folder: Path) -> None:
    """Write what a fault leaves of a Hugging Face checkpoint to an empty folder; raises alike."""
    _ACTS[fault.kind](checkpoint, fault, folder)


def _remove(folder: Path, gone: Callable[[str], bool]) -> int:
    """Take tensors out of the files of ``folder``, by their names; return how many went."""
    from safetensors import safe_open
    from safetensors.numpy import save_file

    taken = 0
    for path in sorted(folder.glob(safetensors_weights.PATTERN)):
        with safe_open(str(path), "np") as file:
            names = list(file.keys())
            kept = {name: file.get_tensor(name) for name in names if not gone(name)}
            metadata = file.metadata()
        mode = path.stat().st_mode
        save_file(kept, str(path), metadata=metadata)
        path.chmod(mode)
        taken += len(names) - len(kept)
    return taken
