"""Files of a Hugging Face folder that belong to a checkpoint, and the headers of its weights.

These files are fingerprinted, and an export reads only copies of them. So no other file can change
a prediction, whatever a library looks for.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Annotated, NamedTuple, TypeVar

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.files import decode_json, read_whole

CONFIG, INPUT_FORM, ENTITIES = "config.json", "input_form.json", "entity_vocab.json"
TOKENIZER_CONFIG, CHAT_TEMPLATE = "tokenizer_config.json", "chat_template.jinja"
ADAPTER, MODULES = "adapter_config.json", "modules.json"
POOLING, SETFIT = "1_Pooling/config.json", "config_setfit.json"
SENTENCES = "sentence_bert_config.json"
"""Files of an adapter of PEFT, of the layers of sentence-transformers, and of a SetFit model."""
COUNTED = (
    "*.safetensors",
    "*.safetensors.index.json",
    CONFIG,
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*",
    "merges.txt",
    "bpe.codes",
    "*.model",
    CHAT_TEMPLATE,
    INPUT_FORM,
    ENTITIES,
    "ontology*.json",
    ADAPTER,
    MODULES,
    POOLING,
    SETFIT,
    SENTENCES,
)
MOST_FILES, MOST_BYTES = 1_000, 8 << 30
"""Maximum files of a checkpoint, and their bytes; PyTorch exports at most 2 GiB in fp32."""
_PIECE = 1 << 20
SAVED = "Expected a Hugging Face checkpoint saved with save_pretrained()."

T = TypeVar("T")


def read_json(path: Path, name: str, kind: type[T], limit: int, cause: str) -> T:
    """Decode a JSON file of the folder. Raises CannotJudge."""
    data = read_whole(path / name, limit=limit, cause=cause, inside=path)
    return decode_json(data, kind, path=path / name, cause=cause)


def counted(path: Path, *more: str) -> tuple[str, ...]:
    """Return the sorted names of the files to fingerprint: those of ``COUNTED``, and ``more``."""
    files = (file for pattern in COUNTED for file in path.glob(pattern))
    names = {file.relative_to(path).as_posix() for file in files}
    if len(names) > MOST_FILES:
        raise CannotJudge(f"{path} has {len(names)} checkpoint files, limit {MOST_FILES}. {SAVED}")
    return tuple(sorted(names | set(more)))


def fingerprint(path: Path, names: Iterable[str], into: Path | None = None) -> str:
    """Return the fingerprint of a folder's files; copy the hashed bytes to the folder ``into``."""
    whole, left = hashlib.sha256(), MOST_BYTES
    for name in names:
        if into is not None:
            (into / name).parent.mkdir(exist_ok=True)
        with (
            files.opened(path / name, cause=SAVED, inside=path) as file,
            contextlib.nullcontext() if into is None else (into / name).open("xb") as copy,
        ):
            left -= os.fstat(file.fileno()).st_size
            if left < 0:
                raise CannotJudge(
                    f"{path} has more than {MOST_BYTES >> 30} GiB of weights and vocabulary, the "
                    f"limit of an export. {SAVED}"
                )
            digest = _digest(path / name, file, copy)
        whole.update(f"{name}\0{digest}\n".encode(errors="surrogateescape"))
    return f"sha256:{whole.hexdigest()}"


def _digest(path: Path, file: IO[bytes], copy: IO[bytes] | None) -> str:
    digest = hashlib.sha256()
    for _ in range(MOST_BYTES // _PIECE + 1):  # another program may append to the file for ever
        try:
            piece = file.read(_PIECE)
        except OSError as error:
            raise CannotJudge(f"{path} cannot be read ({error.strerror}). {SAVED}") from None
        if not piece:
            break
        digest.update(piece)
        if copy is not None:
            copy.write(piece)
    return digest.hexdigest()


SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
MOST_SHARDS = 1_000
_MOST_HEADER, _MOST_INDEX = 16 << 20, 16 << 20
_PREFIX = 8
"""Bytes at the beginning of a file that state the length of the header."""
_WIDTHS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64"), 8),
}
"""Bytes of an element, by data type."""
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_AGAIN = "Expected safetensors as save_pretrained() writes them. Save the checkpoint again."
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]


class _Tensor(msgspec.Struct, frozen=True):
    dtype: Annotated[str, msgspec.Meta(max_length=20)]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=16)]
    data_offsets: tuple[_Size, _Size]


class _Index(msgspec.Struct, frozen=True):
    weight_map: dict[str, str]


class Weights(NamedTuple):
    """The weight files that transformers reads, and the tensors and elements in all of them.

    ``names`` may also be an ONNX model that another program exported, and the files of its weights.
    Then the other two fields are upper bounds.
    """

    names: tuple[str, ...]
    tensors: int
    elements: int

    @property
    def onnx(self) -> str:
        """The name of the ONNX model, empty if there is none."""
        return self.names[0] if self.names[0].endswith(".onnx") else ""


ONNX_NAMES = {
    "fp32": ("model.onnx",),
    "fp16": ("model_fp16.onnx",),
    "int8": ("model_quantized.onnx", "model_int8.onnx"),
}
"""Names of the ONNX models that optimum and transformers.js write, by precision."""
_MOST_LAYERS = 1_000


def _find_onnx(path: Path, precision: str) -> Weights | None:
    """Find a folder's ONNX model in a precision, also in its subfolder ``onnx``."""
    there = [*sorted(path.glob("*.onnx")), *sorted(path.glob("onnx/*.onnx"))][:MOST_FILES]
    if not there:
        return None
    wanted = ONNX_NAMES[precision] if precision else sum(ONNX_NAMES.values(), ())
    fitting = [file for name in wanted for file in there if file.name == name]
    if not fitting and (precision or len(there) > 1):
        names = ", ".join(file.relative_to(path).as_posix() for file in there[:6])
        raise CannotJudge(
            f"{path} has no ONNX model called {' or '.join(wanted)}, only {quoted(names, 200)}. "
            "Pass another --precision, or rename one of them."
        )
    chosen = (fitting or there)[0]
    files = (chosen, *sorted(chosen.parent.glob(f"{glob.escape(chosen.name)}?*")))
    elements = 2 * sum(file.stat().st_size for file in files)  # a weight may have 4 bits
    relative = tuple(file.relative_to(path).as_posix() for file in files)
    return Weights(relative, _MOST_LAYERS, elements)


def read_weights(path: Path, precision: str = "") -> Weights:
    """Read the headers of a folder's weight files, but no weights. Raises CannotJudge.

    ``precision`` chooses one of several ONNX models; it has no effect on other weights.
    """
    single, index = (os.path.lexists(path / name) for name in (SINGLE, INDEX))
    if single and index:
        raise CannotJudge(f"{path} has both {SINGLE} and {INDEX}. Remove one, with its shards.")
    if not single and not index and (onnx := _find_onnx(path, precision)):
        return onnx
    pickles = sorted(file.name for pattern in _PICKLES for file in path.glob(pattern))
    if not single and not index and pickles:
        raise CannotJudge(
            f"{path} has pickled weights ({pickles[0]}), which can run code when read. Save them "
            "as safetensors: save_pretrained(..., safe_serialization=True)"
        )
    if not single and not index:
        raise CannotJudge(f"{path} has no weights. Expected {SINGLE}.")
    names = (SINGLE,) if single else _names_of_shards(path)
    tensors = [tensor for name in names for tensor in read_header(path / name, path).values()]
    if not tensors:
        raise CannotJudge(f"{path / names[0]} has no tensors. {_AGAIN}")
    return Weights(names, len(tensors), sum(math.prod(tensor.shape) for tensor in tensors))


def _names_of_shards(path: Path) -> tuple[str, ...]:
    table = read_json(path, INDEX, _Index, _MOST_INDEX, _AGAIN).weight_map
    names = sorted(set(table.values()))
    if not 1 <= len(names) <= MOST_SHARDS:
        raise CannotJudge(
            f"{path / INDEX} names {len(names)} shards. Expected 1 to {MOST_SHARDS}. {_AGAIN}"
        )
    for name in names:
        if not name.endswith(".safetensors") or set(name) & set("/\\\0") or name[0] == ".":
            raise CannotJudge(
                f"{path / INDEX} names the shard {name[:60]!r}. Expected the name of a safetensors "
                "file next to the index. Save the checkpoint again."
            )
    return tuple(names)


def read_header(path: Path, inside: Path) -> Mapping[str, _Tensor]:
    """Return the tensors that the header of a safetensors file describes, by their names.

    Raises CannotJudge.
    """
    with files.opened(path, cause=_AGAIN, inside=inside) as file:
        try:
            size = os.fstat(file.fileno()).st_size - _PREFIX
            length = int.from_bytes(file.read(_PREFIX), "little")
            data = file.read(length) if length <= min(size, _MOST_HEADER) else b""
        except OSError as error:
            raise CannotJudge(f"{path} cannot be read ({error.strerror}). {_AGAIN}") from None
    if not 2 <= length <= min(size, _MOST_HEADER):
        raise CannotJudge(
            f"{path} has no safetensors header ({max(size + _PREFIX, 0):,} bytes in all). {_AGAIN}"
        )
    table = decode_json(data.rstrip(b" "), dict[str, msgspec.Raw], path=path, cause=_AGAIN)
    table.pop("__metadata__", None)
    tensors = {
        name: decode_json(bytes(raw), _Tensor, path=path, cause=_AGAIN)
        for name, raw in table.items()
    }
    size, end = size - length, 0
    for tensor in sorted(tensors.values(), key=lambda tensor: tensor.data_offsets):
        width = _WIDTHS.get(tensor.dtype)
        if width is None:
            raise CannotJudge(
                f"{path} has a tensor of type {tensor.dtype!r}. Expected one of "
                f"{', '.join(_WIDTHS)}. {_AGAIN}"
            )
        start, end = end, end + width * math.prod(tensor.shape)
        if tensor.data_offsets != (start, end):
            raise CannotJudge(
                f"{path} is broken: the header's tensors overlap, leave gaps, or do not have the "
                f"sizes of their shapes. {_AGAIN}"
            )
    if end != size:
        raise CannotJudge(
            f"{path} is broken: it has {size:,} bytes after the header, not {end:,}. {_AGAIN}"
        )
    return tensors
