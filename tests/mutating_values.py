"""Seeded changes of JSON values: something deleted, of another type, or extreme."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
STRANGE = (
    *(None, True, False, 0, -1, 1, 1 << 31, 1 << 63, 10**30, 1e308, -0.5),
    *("", " ", "x", "x" * 300, "a\nb\x1b[31m", "\U0001f600" * 9, "NaN"),
    *([], {}, [[]], [1], [0, 0, 0], ["x", "y", "z"], {"text": []}, {"": {}}, DEEP),
)


def mutated(value: Any, rng: Random) -> Any:
    """Return a copy of a JSON value with one to three places changed."""
    changed = [copy.deepcopy(value)]
    for _ in range(rng.randint(1, 3)):
        parent, key = rng.choice([*_places(changed)])
        rng.choice(_CHANGES)(parent, key, rng)
        if not changed:
            return None
    return changed[0]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place in a value as what holds it, and its key there."""
    keys = range(len(value)) if isinstance(value, list) else [*value]
    for key in keys:
        yield value, key
        if isinstance(value[key], list | dict):
            yield from _places(value[key])


def _replace(parent: Any, key: Any, rng: Random) -> None:
    parent[key] = copy.deepcopy(rng.choice(STRANGE))


def _delete(parent: Any, key: Any, rng: Random) -> None:  # noqa: ARG001 - as its siblings
    del parent[key]


def _double(parent: Any, key: Any, rng: Random) -> None:  # noqa: ARG001 - as its siblings
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[f"{key}2"] = parent[key]


def _shift(parent: Any, key: Any, rng: Random) -> None:
    found = parent[key]
    if isinstance(found, bool) or not isinstance(found, int):
        return _replace(parent, key, rng)
    parent[key] = found + rng.choice((-1000, -1, 1, 1000))
    return None


_CHANGES: tuple[Callable[[Any, Any, Random], None], ...] = (_replace, _delete, _double, _shift)
