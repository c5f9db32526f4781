"""Mutations of decoded JSON and TOML, one field at a time, and their text.

What is hostile about a file is seldom its syntax: here a field is deleted, renamed, given another
type, an extreme, an empty or an odd value; items of lists are dropped, doubled and exchanged.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, time
from random import Random
from typing import Any

Slot = tuple[Any, ...]


@dataclass(frozen=True)
class Raw:
    """Text written to a file as it is: what the writers of JSON and TOML do not write."""

    text: str


DEEP = Raw("[" * 3000 + "]" * 3000)
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 1_000_000_001, 2**31, 2**63, 2**64, 0.0, -0.0, 0.5, -0.5,
    1.0, 1.0000001, 1e-300, 5e-324, 1e308, -1e308, "", " ", "0", "1", "true", "NaN", "\0", "\n",
    "\u202e", "\ud800", "é" * 300, "x" * 70_000, "../../etc/passwd", "::error::x", [], {}, [None],
    [[]], {"": 1}, {"x": {}}, [0, 0], ["x"], Raw("1e999"), Raw("-1e999"), Raw("NaN"), Raw("inf"),
    Raw("Infinity"), Raw("-Infinity"), Raw("9" * 5000), Raw("0x10"), Raw("01"), Raw("1."), DEEP,
    Raw('{"a":' * 3000 + "1" + "}" * 3000), Raw(""), Raw("1979-05-27"), Raw('"\\ud800"'),
)  # fmt: skip


def mutated(value: Any, rng: Random, most: int = 3) -> Any:
    """Return a copy with one to ``most`` fields changed; of a plain value, another one."""
    changed = [copy.deepcopy(value)]
    for _ in range(rng.randint(1, most)):
        slots = [*_slots(changed, ())]
        if len(slots) > 1:  # the value itself is the first
            _mutate(changed, rng.choice(slots[1:]), rng)
        else:
            odd(changed, 0, rng)
    return changed[0]


def _slots(value: Any, at: Slot) -> Iterator[Slot]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*at, key)
        yield from _slots(inner, (*at, key))


def _mutate(value: Any, slot: Slot, rng: Random) -> str:
    """Change the value of a slot; return how, and which other field it is exchanged with."""
    for key in slot[:-1]:
        value = value[key]
    key = slot[-1]
    how = rng.choice(_WAYS_OF_ITEMS if isinstance(value, list) else _WAYS)
    other = how(value, key, rng)
    return f"{how.__name__} {other or ''}".rstrip()


def deleted(holder: Any, key: Any, _: Random) -> None:
    """Remove it."""
    del holder[key]


def odd(holder: Any, key: Any, rng: Random) -> None:
    """Put another value in its place, of whatever type."""
    holder[key] = rng.choice(ODD)


def nudged(holder: Any, key: Any, rng: Random) -> None:
    """Put a neighbouring value of the same type in its place."""
    found = holder[key]
    if isinstance(found, bool):
        holder[key] = not found
    elif isinstance(found, int | float):
        holder[key] = rng.choice([found + 1, found - 1, -found, found * 1e9, found / 2, -1e-9])
    elif isinstance(found, str) and found:
        at = rng.randrange(len(found))
        holder[key] = found[:at] + chr(ord(found[at]) ^ 1) + found[at + 1 :]
    elif isinstance(found, list | dict):
        holder[key] = type(found)()


def renamed(holder: Any, key: Any, rng: Random) -> None:
    """Give it another name, a bit away."""
    value = holder.pop(key)
    holder[chr(ord(key[0]) ^ rng.choice([1, 2, 4])) + key[1:] if key else "x"] = value


def doubled(holder: Any, key: Any, rng: Random) -> None:
    """Put it there twice."""
    if isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    else:
        holder[f"{key}x"] = copy.deepcopy(holder[key])


def exchanged(holder: Any, key: Any, rng: Random) -> str:
    """Exchange it with another, whose name is returned."""
    other = rng.choice([*(holder if isinstance(holder, dict) else range(len(holder)))])
    holder[key], holder[other] = holder[other], holder[key]
    return str(other)


Way = Callable[[Any, Any, Random], str | None]
_WAYS: tuple[Way, ...] = (deleted, odd, odd, odd, nudged, nudged, renamed, doubled, exchanged)
_WAYS_OF_ITEMS: tuple[Way, ...] = (deleted, odd, odd, odd, nudged, nudged, doubled, exchanged)


def as_json(value: Any) -> bytes:
    """Write JSON, with raw text for ``Raw``."""
    raw: list[str] = []

    def mark(found: Raw) -> str:
        raw.append(found.text)
        return f"@raw{len(raw) - 1}@"

    text = json.dumps(value, default=mark)
    for number, found in enumerate(raw):
        text = text.replace(f'"@raw{number}@"', found)
    return text.encode()


def as_toml(value: dict[str, Any]) -> bytes:
    """Write TOML, one setting per line."""
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
