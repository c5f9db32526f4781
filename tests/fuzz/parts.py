"""Several files as one input of a fuzzer: their bytes, with a separator between."""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = b"\n\x1e\n"
"""A record separator on a line of its own: no text that is read has one."""


def joined(parts: Iterable[bytes]) -> bytes:
    """Return parts as one input."""
    return SEPARATOR.join(parts)


def apart(data: bytes, number: int) -> list[bytes]:
    """Return the parts of an input; those that it lacks are empty."""
    found = data.split(SEPARATOR, number - 1)
    return found + [b""] * (number - len(found))
