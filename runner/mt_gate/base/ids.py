"""Sets of ids that are asked whether they have one: of many, digests alone are held."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import chain, islice

FEW = 1 << 16
"""Ids that are as well held as texts: to look each of them up is faster."""
_AT_ONCE = 1 << 16
_SIZE = 16
"""Bytes of a digest and of its end; of a million ids no two have the same one."""


class DigestedIds:
    """Ids that do not change, each once."""

    def __init__(self, ids: Iterable[str]) -> None:
        """Take ids; one that comes again counts once."""
        import numpy as np  # few suites have so many ids, and all commands import this

        coming = iter(ids)
        parts = [np.empty(0, f"S{_SIZE}")]
        while some := {*map(_digest, islice(coming, _AT_ONCE))}:
            parts.append(np.array([*some], dtype=f"S{_SIZE}"))
        rising = np.concatenate(parts)
        parts.clear()
        rising.sort()
        # np.unique would hold them several times.
        is_new = np.ones(len(rising), np.bool_)
        is_new[1:] = rising[1:] != rising[:-1]
        self._digests = rising[is_new]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._digests)

    def __contains__(self, item: str) -> bool:
        """Say whether an id is among them."""
        digest = _digest(item)
        at = int(self._digests.searchsorted(digest))
        return at < len(self._digests) and bool(self._digests[at] == digest)


HeldIds = frozenset[str] | DigestedIds


def held_ids(ids: Iterable[str]) -> HeldIds:
    """Return a set of ids, by their digests where they are more than ``FEW``."""
    coming = iter(ids)
    first = set[str]()
    for one in coming:
        first.add(one)
        if len(first) > FEW:
            return DigestedIds(chain(first, coming))
    return frozenset(first)


def _digest(one: str) -> bytes:
    text = one.encode("utf-8", "surrogatepass")
    # An array takes away NULs at the end.
    return hashlib.blake2b(text, digest_size=_SIZE - 1).digest() + b"."
