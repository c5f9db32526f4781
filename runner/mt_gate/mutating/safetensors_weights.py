"""The weights of a Hugging Face folder: read by their names, changed in their own type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.mutating.layers import (
    GATES,
    KEY,
    QUERY,
    ROLES,
    VALUE,
    Layer,
    TensorPart,
    Tensors,
    thirds,
    to_float32,
)

PATTERN = "*.safetensors"
_CAUSE = "Expected safetensors as save_pretrained() writes them. Save the checkpoint again."
_ROLES = (
    (QUERY, r"query|q_lin|q_proj|query_proj|w2e_query|e2w_query|e2e_query|q"),
    (KEY, r"key|k_lin|k_proj|key_proj|k"),
    (VALUE, r"value|v_lin|v_proj|value_proj|v"),
)
_SEPARATE = re.compile(
    r"(?P<base>.*att.*\.)(?:" + "|".join(f"(?P<{role}>{names})" for role, names in _ROLES) + r")"
    r"\.weight",
    re.IGNORECASE,
)
_FUSED = re.compile(r"(?P<base>.*?)(?:in_proj_|Wqkv\.|(?P<transposed>c_attn\.))weight")
_LSTM = re.compile(r"(?P<base>.*)weight_ih_(?P<end>l\d+(?:_reverse)?)")


def load(folder: Path) -> dict[str, Any]:
    """Return every tensor by name, in its own type; all shards together.

    Raises CannotJudge: a file is broken, or holds a type that numpy has not.
    """
    safe_open = _library().safe_open
    tensors: dict[str, Any] = {}
    for path in sorted(folder.glob(PATTERN)):
        try:
            with safe_open(str(path), "np") as file:
                tensors |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except Exception as error:  # the library's error shares no base class but Exception
            text = reported(error, 200)
            raise CannotJudge(f"{path} cannot be read ({text}). {_CAUSE}") from None
    return tensors


def save(folder: Path, tensors: Tensors) -> None:
    """Write changed tensors into the files of ``folder``, in the type that each has there."""
    from safetensors.numpy import save_file

    for path in sorted(folder.glob(PATTERN)):
        with _library().safe_open(str(path), "np") as file:
            known = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = file.metadata()
        for name in known.keys() & tensors.keys():
            known[name] = np.ascontiguousarray(tensors[name].astype(known[name].dtype))
        mode = path.stat().st_mode
        save_file(known, str(path), metadata=metadata)
        path.chmod(mode)  # the library leaves a file that only its owner may read


def floats(tensors: Mapping[str, Any], layers: Sequence[Layer]) -> dict[str, Any]:
    """Return the tensors of the layers in float32.

    Raises CannotJudge: one of them holds no floating-point numbers.
    """
    names = {part.tensor for layer in layers for part in (*layer.weights, *layer.biases)}
    for name in sorted(names):
        if str(tensors[name].dtype) not in {"float64", "float32", "float16", "bfloat16"}:
            raise CannotJudge(
                f"{name} is of type {tensors[name].dtype}. Save the checkpoint in float32, float16 "
                "or bfloat16."
            )
    return {name: to_float32(tensors[name]) for name in names}


def find_layers(tensors: Mapping[str, Any]) -> list[Layer]:
    """Return query, key, value and gates by name, layer after layer."""
    layers: list[tuple[Any, Layer]] = []
    for name in tensors:
        layers += _separate(name, tensors) or _fused(name, tensors) or _gates(name, tensors)
    return [layer for _, layer in sorted(layers, key=lambda item: item[0])]


def _separate(name: str, tensors: Mapping[str, Any]) -> list[tuple[Any, Layer]]:
    match = _SEPARATE.fullmatch(name)
    if not match:
        return []
    role = next(role for role, _ in _ROLES if match[role])
    biases = _present(tensors, name.removesuffix("weight") + "bias")
    layer = Layer(name, (TensorPart(name),), tuple(TensorPart(bias) for bias in biases), role)
    return [((*_natural(match["base"]), ROLES.index(role), name), layer)]


def _fused(name: str, tensors: Mapping[str, Any]) -> list[tuple[Any, Layer]]:
    match = _FUSED.fullmatch(name)
    if not match:
        return []
    transposed = bool(match["transposed"])
    rows = tensors[name].shape[1 if transposed else 0]
    bias = next(iter(_present(tensors, name.removesuffix("weight") + "bias")), None)
    layers = thirds(name, name, rows, bias, transposed=transposed)
    return [((*_natural(match["base"]), at, name), layer) for at, layer in enumerate(layers)]


def _gates(name: str, tensors: Mapping[str, Any]) -> list[tuple[Any, Layer]]:
    match = _LSTM.fullmatch(name)
    if not match:
        return []
    base, end = match["base"], match["end"]
    recurrent = f"{base}weight_hh_{end}"
    # A GRU has weights of the same names, with three gates.
    if recurrent not in tensors or tensors[name].shape[0] != 4 * tensors[recurrent].shape[1]:
        return []
    hidden = tensors[recurrent].shape[1]  # PyTorch's gates are in the order of GATES
    biases = _present(tensors, f"{base}bias_ih_{end}", f"{base}bias_hh_{end}")
    gates = []
    for at, gate in enumerate(GATES):
        rows = (slice(at * hidden, (at + 1) * hidden),)
        layer = Layer(
            f"{base}{end} {gate} gate",
            (TensorPart(name, rows), TensorPart(recurrent, rows)),
            tuple(TensorPart(bias, rows) for bias in biases),
        )
        gates.append(((*_natural(f"{base}{end}"), at, name), layer))
    return gates


def _present(tensors: Mapping[str, Any], *names: str) -> list[str]:
    return [name for name in names if name in tensors]


def _natural(text: str) -> tuple[tuple[int, ...] | str, ...]:
    parts = re.split(r"(\d+)", text)
    return (tuple(int(part) for part in parts[1::2]), "".join(parts[::2]))


def _library() -> Any:
    try:
        import ml_dtypes  # noqa: F401 - numpy has bfloat16 from it
        import safetensors
    except ImportError as error:
        raise CannotJudge(
            f"{error.name} is not installed, but is needed to mutate a Hugging Face checkpoint. "
            "Run pip install 'mt-gate[export]', or mutate an exported checkpoint."
        ) from None
    return safetensors
