"""Changes of an input: of a field, where it is JSON, JSON lines or TOML, else of bytes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from random import Random
from typing import Any

from fuzz.parts import SEPARATOR
from fuzz.value_mutations import as_json, as_toml, mutated

FIELDS = 0.6
"""Share of the changes that are of fields, where there are some."""
TOKENS = (
    b"\x00", b"\n", b"\r\n", b"\t", b",", b'"', b"'", b"\\", b"{", b"[", b"]", b"}", b"#", b"=",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\\ud800", b"null", b"true",
    b"NaN", b"1e999", b"-1", b"9" * 30, b"9" * 5000, b"[" * 2000, b'{"a":' * 2000, b"PK\x01\x02",
    b"\x1f\x8b\x08", b"\x80" * 12, b"<e1>", b"</e2>", b"PER", b"x" * 5000,
)  # fmt: skip
"""What parsers stumble over."""


def changed(data: bytes, rng: Random, others: tuple[bytes, ...] = ()) -> bytes:
    """Return another input.

    Args:
        data: an input.
        rng: chooses the part, the place and the change.
        others: inputs whose ends may take the place of its own.
    """
    parts = data.split(SEPARATOR)
    at = rng.randrange(len(parts))
    of_fields = _fields(parts[at], rng) if rng.random() < FIELDS else None
    parts[at] = _bytes(parts[at], rng, others) if of_fields is None else of_fields
    return SEPARATOR.join(parts)


def _fields(part: bytes, rng: Random) -> bytes | None:
    """Return a part with fields changed; None where it is no text with fields."""
    for change in (_of_json, _of_lines, _of_toml):
        try:
            return change(part, rng)
        except (ValueError, RecursionError, TypeError, OverflowError):
            continue
    return None


def _of_json(part: bytes, rng: Random) -> bytes:
    return as_json(mutated(json.loads(part), rng))


def _of_lines(part: bytes, rng: Random) -> bytes:
    lines = part.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = _of_json(lines[at], rng)
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def _of_toml(part: bytes, rng: Random) -> bytes:
    value: Any = mutated(tomllib.loads(part.decode()), rng)
    if not isinstance(value, dict):
        raise TypeError
    return as_toml(value)


def _bytes(part: bytes, rng: Random, others: tuple[bytes, ...]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        if rng.random() < 0.1 and others:
            part = part[: rng.randrange(len(part) + 1)] + _tail(rng.choice(others), rng)
        else:
            part = rng.choice(_WAYS)(part, rng)
    return part


def _tail(part: bytes, rng: Random) -> bytes:
    return part[rng.randrange(len(part) + 1) :]


def _flipped(part: bytes, rng: Random) -> bytes:
    if not part:
        return b"\0"
    at = rng.randrange(len(part))
    return part[:at] + bytes([part[at] ^ 1 << rng.randrange(8)]) + part[at + 1 :]


def _with_token(part: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(part) + 1)
    return part[:at] + rng.choice(TOKENS) + part[at + rng.choice((0, 0, 1)) :]


def _piece(part: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(part) + 1)
    return start, min(len(part), start + rng.choice((1, 2, 4, 8, 32, 256)))


def _without(part: bytes, rng: Random) -> bytes:
    start, end = _piece(part, rng)
    return part[:start] + part[end:]


def _twice(part: bytes, rng: Random) -> bytes:
    start, end = _piece(part, rng)
    return part[:end] + part[start:]


def _cut(part: bytes, rng: Random) -> bytes:
    return part[: rng.randrange(len(part) + 1)]


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _flipped, _with_token, _with_token, _without, _twice, _cut,
)  # fmt: skip
