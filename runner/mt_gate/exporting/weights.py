"""Weights by their headers: which files transformers reads, and how much these hold."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.sut.card import MOST_LABELS

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
MOST_SHARDS = 1_000
_MOST_HEADER, _MOST_INDEX = 16 << 20, 16 << 20
_PREFIX = 8
"""Bytes before a header: its length."""
_SIZES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64"), 8),
}
"""Bytes of an element."""
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_CAUSE = "expected safetensors as save_pretrained() writes them; save the checkpoint again"
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]


class _Tensor(msgspec.Struct, frozen=True):
    dtype: Annotated[str, msgspec.Meta(max_length=20)]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=16)]
    data_offsets: tuple[_Size, _Size]

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


class _Index(msgspec.Struct, frozen=True):
    weight_map: dict[str, str]


class Weights(NamedTuple):
    """The files that transformers reads, and the tensors and elements in all of them."""

    names: tuple[str, ...]
    tensors: int
    elements: int


def read_weights(path: Path) -> Weights:
    """Read the headers of a folder's weights; none of the weights.

    Raises:
        CannotJudge: none, pickled ones only, both a file and an index of shards, a shard that is
            no file of the folder itself, or a file whose header does not fit it.
    """
    names = _names(path)
    found = [_header(path / name, path) for name in names]
    tensors = [tensor for header in found for tensor in header]
    if not tensors:
        raise CannotJudge(f"{path / names[0]}: holds no tensors; {_CAUSE}")
    return Weights(names, len(tensors), sum(tensor.elements for tensor in tensors))


def check_header(path: Path, inside: Path) -> None:
    """Raise CannotJudge where a file's header does not fit it."""
    _header(path, inside)


def _names(path: Path) -> tuple[str, ...]:
    single, index = (os.path.lexists(path / name) for name in (SINGLE, INDEX))
    if single and index:
        raise CannotJudge(
            f"{path}: holds both {SINGLE} and {INDEX}; expected the weights once; remove one of "
            "the two, with its shards"
        )
    if single:
        return (SINGLE,)
    if index:
        return _shards(path)
    pickles = sorted(file.name for pattern in _PICKLES for file in path.glob(pattern))
    if pickles:
        raise CannotJudge(
            f"{path}: weights are pickled ({pickles[0]}), which can run code when read; expected "
            "safetensors: save again with save_pretrained(..., safe_serialization=True)"
        )
    raise CannotJudge(f"{path}: no weights; expected {SINGLE}")


def _shards(path: Path) -> tuple[str, ...]:
    """Return the names of the shards: files of the folder itself, so that each one is counted."""
    where = path / INDEX
    data = read_bytes(where, limit=_MOST_INDEX, cause=_CAUSE, inside=path)
    names = sorted(set(decode_json(data, _Index, path=where, cause=_CAUSE).weight_map.values()))
    if not 1 <= len(names) <= MOST_SHARDS:
        raise CannotJudge(
            f"{where}: names {len(names)} shards; expected 1 to {MOST_SHARDS}; {_CAUSE}"
        )
    for name in names:
        if not _is_plain(name):
            raise CannotJudge(
                f"{where}: names the shard {name[:60]!r}; expected the name of a safetensors file "
                "next to the index; save the checkpoint again"
            )
    return tuple(names)


def _is_plain(name: str) -> bool:
    """Whether a name is that of a file of the folder itself, which counts by its ending."""
    return name.endswith(".safetensors") and not set(name) & set("/\\\0") and name[0] != "."


def _header(path: Path, inside: Path) -> list[_Tensor]:
    """Return what the header of a safetensors file describes, held against the file's size."""
    with files.opened(path, cause=_CAUSE, inside=inside) as file:
        try:
            size = os.fstat(file.fileno()).st_size - _PREFIX
            length = int.from_bytes(file.read(_PREFIX), "little")
            data = file.read(length) if length <= min(size, _MOST_HEADER) else b""
        except OSError as error:
            raise CannotJudge(f"{path}: cannot be read ({error.strerror}); {_CAUSE}") from None
    if not 2 <= length <= min(size, _MOST_HEADER):
        raise CannotJudge(
            f"{path}: no safetensors header ({max(size + _PREFIX, 0):,} bytes in total); {_CAUSE}"
        )
    table = decode_json(data.rstrip(b" "), dict[str, msgspec.Raw], path=path, cause=_CAUSE)
    table.pop("__metadata__", None)
    tensors = [decode_json(bytes(raw), _Tensor, path=path, cause=_CAUSE) for raw in table.values()]
    _check_places(path, tensors, size - length)
    return tensors


def _check_places(path: Path, tensors: Iterable[_Tensor], size: int) -> None:
    """Check that tensors fill the bytes after the header, each with those that its shape takes."""
    end = 0
    for tensor in sorted(tensors, key=lambda tensor: tensor.data_offsets):
        width = _SIZES.get(tensor.dtype)
        if width is None:
            raise CannotJudge(
                f"{path}: holds a tensor of type {tensor.dtype!r}; expected one of "
                f"{', '.join(_SIZES)}; {_CAUSE}"
            )
        start, after = end, tensor.data_offsets[1]
        end = start + width * tensor.elements
        if tensor.data_offsets[0] != start or after != end:
            raise CannotJudge(
                f"{path}: broken: the header's tensors overlap, leave gaps, or do not have the "
                f"sizes of their shapes; {_CAUSE}"
            )
    if end != size:
        raise CannotJudge(
            f"{path}: broken: {size:,} bytes after the header, which describes {end:,}; {_CAUSE}"
        )


MOST_DEPTH = 20
MOST_POSITIONS = 10_000_000
_OF_ITS_OWN = "its own code"
_ELSEWHERE: Mapping[str, str] = {
    "auto_map": _OF_ITS_OWN,
    "custom_pipelines": _OF_ITS_OWN,
    "custom_generate": _OF_ITS_OWN,
    "kernel_config": _OF_ITS_OWN,
    "use_kernels": _OF_ITS_OWN,
    "transformers_weights": "weights from another file",
    "backbone": "weights of another checkpoint",
    "quantization_config": "code for its quantised weights",
    "compression_config": "code for its quantised weights",
}
"""Keys by which a configuration leads to what is not in its weights."""
_ATTENTION = "attn_implementation"
_ATTENTIONS = ("eager", "sdpa")
"""Any other name would be looked for among installed packages, or fetched as a repository."""
_LAYERS = re.compile(r"(?:.*_)?layers?")
_SHARING = 64
"""Layers that may share their weights (ALBERT), and so be more than there are tensors."""
_DIMENSIONS = {
    "vocab_size", "hidden_size", "intermediate_size", "embedding_size", "type_vocab_size",
    "num_attention_heads", "num_key_value_heads", "head_dim", "entity_vocab_size",
    "entity_emb_size", "d_model", "d_ff", "d_kv", "num_heads", "dim", "hidden_dim", "n_heads",
    "n_head", "n_embd", "encoder_ffn_dim", "decoder_ffn_dim",
}  # fmt: skip
_MOST = {
    "num_labels": MOST_LABELS,
    **dict.fromkeys(
        ("max_position_embeddings", "n_positions", "relative_attention_num_buckets"),
        MOST_POSITIONS,
    ),
}
_COUNTS = {"num_hidden_layers", "num_layers", "num_decoder_layers", "n_layer", "n_layers"}
_TABLES = {"id2label", "label2id"}
_MADE = "save the checkpoint again, or fix the file"


def check_config(path: Path, config: Mapping[str, Any], weights: Weights) -> None:
    """Check a configuration before anything is built from it.

    Raises:
        CannotJudge: it leads to code or weights elsewhere, or has a size that is none, or one that
            the weights cannot hold.
    """
    for key, value in walk(path, config):
        _check_elsewhere(path, key, value)
        if value is not None:
            _check_size(path, key, value, weights)


def walk(path: Path, config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value with the name that it has, at any depth; labels are no names.

    Raises:
        CannotJudge: nested too deeply.
    """
    left: list[tuple[str, Any, int]] = [("", config, 0)]
    while left:
        key, value, depth = left.pop()
        if depth > MOST_DEPTH:
            raise CannotJudge(
                f"{path}: nested more than {MOST_DEPTH} levels deep; expected fewer; {_MADE}"
            )
        yield key, value
        if isinstance(value, dict):
            named = key not in _TABLES
            left += [(name if named else "", inner, depth + 1) for name, inner in value.items()]
        elif isinstance(value, list):
            left += [(key, inner, depth + 1) for inner in value]


def _check_elsewhere(path: Path, key: str, value: Any) -> None:
    if value and key in _ELSEWHERE:
        raise CannotJudge(
            f"{path}: asks for {_ELSEWHERE[key]} ({key}), which mt-gate never runs; "
            "export the model to ONNX yourself and write a checkpoint.json next to it"
        )
    if _ATTENTION not in key:
        return
    for name in value.values() if isinstance(value, dict) else [value]:
        if isinstance(name, (str, dict, list)) and name not in _ATTENTIONS:
            raise CannotJudge(
                f"{path}: {key[:60]} is {str(name)[:60]!r}; expected eager or sdpa, "
                "since others are code from elsewhere; remove the key from the file"
            )


def _check_size(path: Path, key: str, value: Any, weights: Weights) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    most, least = _bounds(key, weights)
    if least is not None:
        is_fit = is_whole and least <= value <= most
    else:
        is_fit = not is_whole or abs(value) <= most
    if not is_fit:
        raise CannotJudge(
            f"{path}: {key[:60]} is {str(value)[:40]!r}; expected a whole number"
            f"{'' if least is None else f' from {least}'} up to {most:,}, which is what the "
            f"weights allow; {_MADE}"
        )


def _bounds(key: str, weights: Weights) -> tuple[int, int | None]:
    """Return the most that a number may be, and the least where it must be one."""
    layers = max(weights.tensors, _SHARING)
    if key in _MOST:
        return _MOST[key], 1
    if key == "pad_token_id":
        return weights.elements, -1
    if key in _COUNTS:
        return layers, 0
    if key in _DIMENSIONS:  # DeBERTa has no types of tokens: none may be meant
        return weights.elements, 0
    return (layers if _LAYERS.fullmatch(key) else (1 << 63) - 1), None
