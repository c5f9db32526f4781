"""Changes of an input: of a field, where it is JSON, JSON lines or TOML, else of bytes.

What is hostile about a file is seldom its syntax: a field is deleted, renamed, set to another type,
an extreme, an empty or an odd value; items of lists are dropped, doubled and exchanged.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time
from random import Random
from typing import Any

SEPARATOR = b"\n\x1e\n"
"""Between several files of one input: a record separator on a line of its own."""
FIELDS = 0.6
"""Share of the changes that are of fields, where there are some."""
TOKENS = (
    b"\x00", b"\n", b"\r\n", b"\t", b",", b'"', b"'", b"\\", b"{", b"[", b"]", b"}", b"#", b"=",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\\ud800", b"null", b"true",
    b"NaN", b"1e999", b"-1", b"9" * 30, b"9" * 5000, b"[" * 2000, b'{"a":' * 2000, b"PK\x01\x02",
    b"\x1f\x8b\x08", b"\x80" * 12, b"<e1>", b"</e2>", b"PER", b"x" * 5000,
)  # fmt: skip
"""What parsers stumble over."""


@dataclass(frozen=True)
class Raw:
    text: str


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 1_000_000_001, 2**31, 2**63, 2**64, 0.0, -0.0, 0.5, -0.5,
    1.0, 1.0000001, 1e-300, 5e-324, 1e308, -1e308, "", " ", "0", "1", "true", "NaN", "\0", "\n",
    "\u202e", "\ud800", "é" * 300, "x" * 70_000, "../../etc/passwd", "::error::x", [], {}, [None],
    [[]], {"": 1}, {"x": {}}, [0, 0], ["x"], Raw("1e999"), Raw("-1e999"), Raw("NaN"), Raw("inf"),
    Raw("Infinity"), Raw("-Infinity"), Raw("9" * 5000), Raw("0x10"), Raw("01"), Raw("1."),
    Raw("[" * 3000 + "]" * 3000), Raw('{"a":' * 3000 + "1" + "}" * 3000), Raw(""),
    Raw("1979-05-27"), Raw('"\\ud800"'),
)  # fmt: skip


def joined(parts: Iterable[bytes]) -> bytes:
    return SEPARATOR.join(parts)


def split_at(data: bytes, number: int) -> list[bytes]:
    result = data.split(SEPARATOR, number - 1)
    return result + [b""] * (number - len(result))


def changed(data: bytes, rng: Random, others: tuple[bytes, ...] = ()) -> bytes:
    parts = data.split(SEPARATOR)
    at = rng.randrange(len(parts))
    of_fields = _fields(parts[at], rng) if rng.random() < FIELDS else None
    parts[at] = _bytes(parts[at], rng, others) if of_fields is None else of_fields
    return SEPARATOR.join(parts)


def _fields(part: bytes, rng: Random) -> bytes | None:
    for change in (_of_json, _of_lines, _of_toml):
        try:
            return change(part, rng)
        except (ValueError, RecursionError, TypeError, OverflowError, AttributeError):
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
    return as_toml(mutated(tomllib.loads(part.decode()), rng))


def _bytes(part: bytes, rng: Random, others: tuple[bytes, ...]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(part) + 1)
        end = min(len(part), start + rng.choice((1, 2, 4, 8, 32, 256)))
        ways = ["flip", "flip", "token", "token", "drop", "twice", "cut"]
        way = "tail" if others and rng.random() < 0.1 else rng.choice(ways)
        if way == "tail":
            other = rng.choice(others)
            part = part[:start] + other[rng.randrange(len(other) + 1) :]
        elif way == "flip" and start < len(part):
            part = part[:start] + bytes([part[start] ^ 1 << rng.randrange(8)]) + part[start + 1 :]
        elif way in ("flip", "token"):
            part = part[:start] + rng.choice(TOKENS) + part[start + rng.choice((0, 0, 1)) :]
        elif way == "drop":
            part = part[:start] + part[end:]
        else:
            part = part[:end] + part[start:] if way == "twice" else part[:start]
    return part


def mutated(value: Any, rng: Random, most: int = 3) -> Any:
    whole = [copy.deepcopy(value)]
    for _ in range(rng.randint(1, most)):
        slots = [*_slots(whole)][1:]  # the value itself is the first
        if slots:
            _mutate(*rng.choice(slots), rng)
        else:
            whole[0] = rng.choice(ODD)
    return whole[0]


def _slots(holder: Any) -> Iterator[tuple[Any, Any]]:
    items = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for key, inner in items:
        yield holder, key
        if isinstance(inner, dict | list):
            yield from _slots(inner)


def _mutate(holder: Any, key: Any, rng: Random) -> None:
    ways = ["delete", "odd", "odd", "odd", "nudge", "nudge", "rename", "double", "exchange"]
    way = rng.choice(ways)
    if way == "delete":
        del holder[key]
    elif way == "nudge":
        holder[key] = _nudged(holder[key], rng)
    elif way == "rename" and isinstance(holder, dict):
        value = holder.pop(key)
        holder[chr(ord(key[0]) ^ rng.choice([1, 2, 4])) + key[1:] if key else "x"] = value
    elif way == "double" and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    elif way == "double":
        holder[f"{key}x"] = copy.deepcopy(holder[key])
    elif way == "exchange":
        other = rng.choice([*(holder if isinstance(holder, dict) else range(len(holder)))])
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = rng.choice(ODD)


def _nudged(current: Any, rng: Random) -> Any:
    if isinstance(current, bool):
        return not current
    if isinstance(current, int | float):
        return rng.choice([current + 1, current - 1, -current, current * 1e9, current / 2, -1e-9])
    if isinstance(current, str) and current:
        at = rng.randrange(len(current))
        return current[:at] + chr(ord(current[at]) ^ 1) + current[at + 1 :]
    return type(current)() if isinstance(current, list | dict) else current


def as_json(value: Any) -> bytes:
    raw: list[str] = []

    def mark(current: Raw) -> str:
        raw.append(current.text)
        return f"@raw{len(raw) - 1}@"

    text = json.dumps(value, default=mark)
    for number, current in enumerate(raw):
        text = text.replace(f'"@raw{number}@"', current)
    return text.encode()


def as_toml(value: dict[str, Any]) -> bytes:
    lines = (f"{json.dumps(str(key))} = {_toml(inner)}" for key, inner in value.items())
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _toml(value: Any) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        inner = (f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{{', '.join(inner)}}}"
    return value.isoformat() if isinstance(value, date | time) else json.dumps(value)
