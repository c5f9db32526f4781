"""Weights by their headers: which files transformers reads, and how much these hold."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import decode_json, read_bytes

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
