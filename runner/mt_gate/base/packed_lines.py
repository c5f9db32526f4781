"""Lines packed: read as often as they are needed, a block at a time.

What is packed is held in memory; beyond ``held`` it lies in a file without a name, which ends with
the process, in the system's temporary folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from mt_gate.base.chunks import chunks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_BLOCK = 1 << 18
"""Bytes of lines that are packed together."""
_LEVEL = 1
"""Of Zstandard: lines are packed while a system waits to be asked. It packs and unpacks real rows
three times as fast as zlib at its first level, and smaller than at its sixth."""
_AT_ONCE = 16
_HELD = 4 << 20
"""Packed bytes that are held in memory."""


class _Place(NamedTuple):
    """Where a block lies in the file."""

    start: int
    size: int


class PackedLines:
    """Lines that are unpacked block by block in each pass."""

    def __init__(self, lines: Iterable[bytes] = (), held: int | None = None) -> None:
        """Pack lines.

        Args:
            lines: without line feeds, as JSON has none.
            held: packed bytes that are held in memory; ``_HELD`` if it is not said.

        Raises:
            OSError: there is no room in the temporary folder.
        """
        self._blocks: list[bytes | _Place] = []
        self._held = _HELD if held is None else held
        self._file: BinaryIO | None = None
        self._waiting: list[bytes] = []
        self._number = self._size = self._packed = self._written = 0
        # A call for each line would take a fifth of the time of packing.
        for some in chunks(lines, _AT_ONCE):
            self._add(some)

    def add(self, line: bytes) -> None:
        """Add a line.

        Raises:
            OSError: there is no room in the temporary folder.
        """
        self._add([line])

    def _add(self, some: list[bytes]) -> None:
        self._waiting += some
        self._number += len(some)
        self._size += sum(map(len, some))
        if self._size >= _BLOCK:
            self._keep(zstd.compress(b"\n".join(self._waiting), _LEVEL))
            self._waiting.clear()
            self._size = 0

    def _keep(self, block: bytes) -> None:
        self._packed += len(block)
        if self._packed <= self._held:
            self._blocks.append(block)
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - for as long as the lines
        try:
            self._file.write(block)
            self._file.flush()
        except OSError as error:
            error.filename = tempfile.gettempdir()  # the file has no name
            raise
        self._blocks.append(_Place(self._written, len(block)))
        self._written += len(block)

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._number

    def __iter__(self) -> Iterator[bytes]:
        """Yield every line."""
        for block in self._blocks:
            yield from zstd.decompress(self._read(block)).split(b"\n")
        yield from self._waiting

    def _read(self, block: bytes | _Place) -> bytes:
        if isinstance(block, bytes):
            return block
        assert self._file is not None, "it has a place there"
        # Passes may run beside each other: none moves the file's own position.
        return os.pread(self._file.fileno(), block.size, block.start)

    @property
    def size(self) -> int:
        """Bytes that they take, in memory and in the file."""
        return self._packed + self._size
