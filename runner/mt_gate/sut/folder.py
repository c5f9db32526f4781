"""The files of a checkpoint, each read once, so that the fingerprint is of the loaded bytes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge

CAUSE = "Export the checkpoint again with mt-gate export, or fix the file."


class CheckpointFolder:
    """A checkpoint's folder, which stores the digest of every file that is read through it.

    ``stated`` are the sha256 digests, hex, that files must have, by name.
    """

    def __init__(self, path: Path, stated: Mapping[str, str] = MappingProxyType({})) -> None:
        self.path = path
        self._stated = stated
        self._digests: dict[str, str] = {}

    @property
    def digests(self) -> Mapping[str, str]:
        """The sha256, hex, of every file that was read so far, by its name in the folder."""
        return dict(sorted(self._digests.items()))

    def read(self, name: str, *, limit: int, cause: str = CAUSE) -> bytes:
        """Return the bytes of a file, and store its digest. Raises CannotJudge."""
        path = self.path / name
        data = files.read_whole(path, limit=limit, cause=cause, inside=self.path)
        self._keep(name, hashlib.sha256(data).hexdigest())
        return data

    def count(self, name: str, *, cause: str = CAUSE) -> None:
        """Store the digest of a file that nothing reads. Raises CannotJudge: as ``read``."""
        self._keep(name, files.digest(self.path / name, cause=cause, inside=self.path))

    def _keep(self, name: str, digest: str) -> None:
        if self._stated.get(name, digest) != digest:
            raise CannotJudge(
                f"{self.path / name} is not the file that checkpoint.json describes (sha256 "
                f"differs). {CAUSE}"
            )
        if self._digests.setdefault(name, digest) != digest:
            raise CannotJudge(
                f"{self.path / name} changed while the checkpoint was read. Run again when nothing "
                "writes there."
            )


MAX_MODEL = (2 << 30) - 1
"""Maximum bytes of a model, which is one protobuf message."""
MAX_WEIGHTS = 64 << 30
MOST_NODES = 200_000
"""Maximum nodes, those of a function once per call; exported encoders have a few thousand."""
MOST_FIELDS = 5_000_000
MOST_DEPTH = 20
"""Maximum depth of graphs within nodes, and of functions within functions."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
_NESTED: dict[str, dict[int, str]] = {
    "model": {7: "main graph", 25: "function"},
    "main graph": {1: "node", 5: "weight", 15: "sparse"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "weight": {13: "entry"},
    "tensor": {13: "entry"},
}
"""For each message, the fields to walk through, and the messages in these fields."""
_NAMES = {"node": (7, 4), "function": (10, 1)}
"""Field numbers of domain and name in a node or function."""
_PLACE, _EXTERNAL = 14, 1
_INTEGERS = re.compile(rb"[Qq]uant|Integer|NBits|^Q[A-Z]")
"""Matches operators that multiply small integers, or that a runtime may convert to such."""
_LONGEST_NAME = 200
_LARGEST_KEY = (1 << 32) - 1
"""Largest key of a field. ONNX Runtime drops higher bits, and so reads another field."""
_NO_MODEL = "it is not an ONNX model, or truncated"
_ORT_FORMAT = b"ORTM"

Called = tuple[bytes, bytes]
"""Domain and name of an operator or function."""


class Model(NamedTuple):
    """A model in memory, and its weight files by the names in the model.

    ``integers``: some operators quantise, so the model may be computed in 8-bit integers.
    """

    where: Path
    data: bytes
    weights: Mapping[str, bytes]
    integers: bool = False

    @property
    def size(self) -> int:
        """Size of the whole model in bytes."""
        return len(self.data) + sum(map(len, self.weights.values()))


def read_model(folder: CheckpointFolder, name: str) -> Model:
    """Read an ONNX model and every file that it keeps weights in. Raises CannotJudge."""
    where = folder.path / name
    data = folder.read(name, limit=MAX_MODEL)
    names, integers = examine(data, where)
    cause = f"{name} has weights in that file. {CAUSE}"
    weights = {file: folder.read(file, limit=MAX_WEIGHTS, cause=cause) for file in names}
    return Model(where, data, weights, integers)


class _Broken(Exception):  # noqa: N818 - it becomes a message
    """Why the bytes are not an ONNX model that a run accepts."""


def examine(data: bytes, where: Path) -> tuple[tuple[str, ...], bool]:
    """Return the names of weight files, and whether operators quantise. Raises CannotJudge."""
    try:
        if data[4:8] == _ORT_FORMAT:
            raise _Broken("it is in ORT format, expected ONNX")
        scan = _Scan()
        scan.walk(memoryview(data), "model", scan.main, 0)
        nodes = scan.expanded(scan.main, ())
        if nodes > MOST_NODES:
            raise _Broken(f"it has {nodes:,} nodes with its functions, limit {MOST_NODES:,}")
        called = set(scan.main).union(*scan.functions.values())
        return tuple(scan.locations), any(_INTEGERS.search(name) for _, name in called)
    except _Broken as broken:
        raise CannotJudge(f"{where}: {broken}. {CAUSE}") from None


class _Scan:
    """One pass over a model's messages."""

    def __init__(self) -> None:
        self.main: Counter[Called] = Counter()
        self.functions: dict[Called, Counter[Called]] = {}
        self.locations: dict[str, None] = {}
        self._fields = 0
        self._sizes: dict[Called, int] = {}

    def walk(self, data: memoryview, kind: str, calls: Counter[Called], depth: int) -> None:
        """Walk through a message; count the calls of its nodes in ``calls``."""
        if depth > MOST_DEPTH * 3:  # a graph in a node is three messages down
            raise _Broken(f"its graphs are nested more than {MOST_DEPTH} deep")
        if kind == "function":
            calls = Counter()
        named = dict.fromkeys(_NAMES.get(kind, ()), b"")
        external = False
        for number, value in self._read(data):
            nested = _NESTED[kind].get(number)
            if isinstance(value, int):
                external |= kind in {"weight", "tensor"} and (number, value) == (_PLACE, _EXTERNAL)
            elif nested == "entry":
                external = True
                self._note(value, kind)
            elif nested:
                self.walk(value, nested, calls, depth + 1)
            elif number in named:
                named[number] = bytes(value[:_LONGEST_NAME])
        if kind == "tensor" and external:
            raise _Broken(
                "it has a tensor in another file that is not a weight of its main graph, but only "
                "weights may be in other files"
            )
        if kind == "node":
            calls[_called(named.values())] += 1
        if kind == "function":  # overloads share a name, so keep the larger counts
            own = _called(named.values())
            self.functions[own] = self.functions.get(own, Counter()) | calls

    def _note(self, entry: memoryview, kind: str) -> None:
        pair = {number: value for number, value in self._read(entry) if not isinstance(value, int)}
        if bytes(pair.get(1, b"")) == b"location" and kind == "weight":
            try:
                text = bytes(pair.get(2, b"")).decode("utf-8")
            except UnicodeDecodeError:
                raise _Broken("it has weights in a file whose name is not UTF-8") from None
            path = PurePosixPath(text)
            fits = text.isprintable() and 0 < len(text) <= 255 and "\\" not in text and path.name
            if not fits or path.is_absolute() or ".." in path.parts:
                raise _Broken(
                    "it has weights outside of its folder, or in a file without a usable name. "
                    "Expected names of files next to it"
                )
            self.locations[text] = None

    def expanded(self, calls: Counter[Called], within: tuple[Called, ...]) -> int:
        """Return the number of nodes; each call of a function counts as the function's nodes."""
        return sum(times * self._size(called, within) for called, times in calls.items())

    def _size(self, called: Called, within: tuple[Called, ...]) -> int:
        function = self.functions.get(called)
        if function is None:
            return 1
        if called in within or len(within) > MOST_DEPTH:
            raise _Broken("its functions call themselves, or call each other too deeply")
        if called not in self._sizes:
            self._sizes[called] = self.expanded(function, (*within, called))
        return self._sizes[called]

    def _read(self, data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
        at, end = 0, len(data)
        while at < end:
            self._fields += 1
            if self._fields > MOST_FIELDS:
                raise _Broken(f"it has more than {MOST_FIELDS:,} fields, the limit for a model")
            key, at = _varint(data, at)
            if key > _LARGEST_KEY:
                raise _Broken(_NO_MODEL)
            number, wire = key >> 3, key & 7
            if wire == _VARINT:
                value, at = _varint(data, at)
                yield number, value
            elif wire == _BYTES:
                length, at = _varint(data, at)
                if length > end - at:
                    raise _Broken(_NO_MODEL)
                yield number, data[at : at + length]
                at += length
            elif wire in _WIDTHS and at + _WIDTHS[wire] <= end:
                at += _WIDTHS[wire]
            else:
                raise _Broken(_NO_MODEL)


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _Broken(_NO_MODEL)


def _called(named: Iterable[bytes]) -> Called:
    domain, name = named
    return b"" if domain == b"ai.onnx" else domain, name
