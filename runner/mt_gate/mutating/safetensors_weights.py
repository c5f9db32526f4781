"""The weights of a Hugging Face folder: find layers by name, and save changes in the same type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.mutating.operators import (
    GATES,
    KEY,
    QUERY,
    ROLES,
    VALUE,
    Layer,
    TensorPart,
    Tensors,
    tensor_names,
    thirds,
)

PATTERN = "*.safetensors"
_CAUSE = "Expected safetensors as save_pretrained() writes them. Save the checkpoint again."
_SEPARATE = re.compile(
    rf"(?P<base>.*att.*\.)(?:(?P<{QUERY}>query|q_lin|q_proj|query_proj|w2e_query|e2w_query"
    rf"|e2e_query|q)|(?P<{KEY}>key|k_lin|k_proj|key_proj|k)"
    rf"|(?P<{VALUE}>value|v_lin|v_proj|value_proj|v))\.weight",
    re.IGNORECASE,
)
_FUSED = re.compile(r"(?P<base>.*?)(?:in_proj_|Wqkv\.|(?P<transposed>c_attn\.))weight")
_LSTM = re.compile(r"(?P<base>.*)weight_ih_(?P<end>l\d+(?:_reverse)?)")


def load(folder: Path) -> dict[str, Any]:
    """Return the tensors of all shards by name, each in its own type.

    Raises CannotJudge: a file is broken, or has a type that numpy does not support.
    """
    safe_open = _library().safe_open
    tensors: dict[str, Any] = {}
    for path in sorted(folder.glob(PATTERN)):
        try:
            with safe_open(str(path), "np") as file:
                tensors |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except Exception as error:  # the library's errors have no other common base class
            text = reported(error, 200)
            raise CannotJudge(f"{path} cannot be read ({text}). {_CAUSE}") from None
    return tensors


def save(folder: Path, tensors: Tensors) -> None:
    """Write changed tensors into the files of ``folder``; each tensor keeps its type there."""
    from safetensors.numpy import save_file

    for path in sorted(folder.glob(PATTERN)):
        with _library().safe_open(str(path), "np") as file:
            known = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = file.metadata()
        for name in known.keys() & tensors.keys():
            known[name] = np.ascontiguousarray(tensors[name].astype(known[name].dtype))
        mode = path.stat().st_mode
        save_file(known, str(path), metadata=metadata)
        path.chmod(mode)  # the library makes files readable by their owner only


def floats(tensors: Mapping[str, Any], layers: Sequence[Layer]) -> dict[str, Any]:
    """Return the tensors of the layers in float32.

    Raises CannotJudge: a tensor is not floating-point.
    """
    names = tensor_names(layers)
    for name in names:
        if str(tensors[name].dtype) not in {"float64", "float32", "float16", "bfloat16"}:
            raise CannotJudge(
                f"{name} is of type {tensors[name].dtype}. Save the checkpoint in float32, float16 "
                "or bfloat16."
            )
    return {name: tensors[name].astype(np.float32) for name in names}


def find_layers(tensors: Mapping[str, Any]) -> list[Layer]:
    """Find query, key, value and gates by tensor name; return them sorted by layer number."""
    ordered: list[tuple[Any, Layer]] = []
    for name in tensors:
        bias = name.removesuffix("weight") + "bias"
        known_bias = bias if bias in tensors else None
        if match := _SEPARATE.fullmatch(name):
            number = next(number for number, role in enumerate(ROLES) if match[role])
            biases = (TensorPart(known_bias),) if known_bias else ()
            layer = Layer(name, (TensorPart(name),), biases, ROLES[number])
            ordered.append(((*_natural(match["base"]), number, name), layer))
        elif match := _FUSED.fullmatch(name):
            transposed = bool(match["transposed"])
            rows = tensors[name].shape[1 if transposed else 0]
            for number, layer in enumerate(thirds(name, rows, known_bias, transposed=transposed)):
                ordered.append(((*_natural(match["base"]), number, name), layer))
        elif match := _LSTM.fullmatch(name):
            base = f"{match['base']}{match['end']}"
            for number, layer in enumerate(_gates(match["base"], match["end"], tensors)):
                ordered.append(((*_natural(base), number, name), layer))
    return [layer for _, layer in sorted(ordered, key=lambda item: item[0])]


def _gates(base: str, end: str, tensors: Mapping[str, Any]) -> list[Layer]:
    weights, recurrent = f"{base}weight_ih_{end}", f"{base}weight_hh_{end}"
    # A GRU has weights of the same names, with three gates.
    if recurrent not in tensors or tensors[weights].shape[0] != 4 * tensors[recurrent].shape[1]:
        return []
    hidden = tensors[recurrent].shape[1]  # PyTorch's gates are in the order of GATES
    biases = [name for name in (f"{base}bias_ih_{end}", f"{base}bias_hh_{end}") if name in tensors]
    gates = []
    for number, gate in enumerate(GATES):
        rows = (slice(number * hidden, (number + 1) * hidden),)
        parts = (TensorPart(weights, rows), TensorPart(recurrent, rows))
        own_biases = tuple(TensorPart(bias, rows) for bias in biases)
        gates.append(Layer(f"{base}{end} {gate} gate", parts, own_biases))
    return gates


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
