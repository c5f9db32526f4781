"""Lines packed in memory: read as often as they are needed, a block at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_BLOCK = 1 << 18
"""Bytes of lines that are packed together."""
_LEVEL = 1
"""Of zlib: lines are packed while a system waits to be asked."""


class PackedLines:
    """Lines that are unpacked block by block in each pass."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        """Pack lines.

        Args:
            lines: without line feeds, as JSON has none.
        """
        self._blocks: list[bytes] = []
        self._waiting: list[bytes] = []
        self._number = self._size = 0
        for line in lines:
            self.add(line)

    def add(self, line: bytes) -> None:
        """Add a line."""
        self._waiting.append(line)
        self._number += 1
        self._size += len(line)
        if self._size >= _BLOCK:
            self._blocks.append(zlib.compress(b"\n".join(self._waiting), _LEVEL))
            self._waiting.clear()
            self._size = 0

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._number

    def __iter__(self) -> Iterator[bytes]:
        """Yield every line."""
        for block in self._blocks:
            yield from zlib.decompress(block).split(b"\n")
        yield from self._waiting

    @property
    def size(self) -> int:
        """Bytes that they take."""
        return sum(map(len, self._blocks)) + self._size
