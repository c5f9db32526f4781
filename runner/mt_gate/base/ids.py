"""Sets of ids that are asked whether they have one, many of them held as an array."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import chain

FEW = 1 << 16
"""Ids that are as well held as texts: to look each of them up is faster."""


def held_ids(ids: Iterable[str]) -> Set[str]:
    """Return a set of ids."""
    coming = iter(ids)
    first = set[str]()
    for one in coming:
        first.add(one)
        if len(first) > FEW:
            # It imports numpy, and few suites have so many.
            from mt_gate.base.sorted_ids import SortedIds

            return SortedIds(chain(first, coming))
    return frozenset(first)
