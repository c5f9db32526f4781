"""Bags: all sentences of one pair of entities, with the labels of them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.evaluating.relation_labels import LabelledPair

Integers = NDArray[np.int64]


class Bags(NamedTuple):
    """Sentences grouped by pair of entities, bags in the order of their first sentence.

    Args:
        order: the sentences' positions, bag by bag, shape (sentences,).
        starts: where each bag begins in ``order``, shape (bags,).
        of: the bag of each sentence, shape (sentences,).
    """

    order: Integers
    starts: Integers
    of: Integers

    @property
    def sizes(self) -> Integers:
        """Sentences of each bag, shape (bags,)."""
        return np.diff(self.starts, append=len(self.order))

    def only(self, known: NDArray[np.bool_]) -> tuple[Bags, Integers]:
        """Return the bags of some sentences, told by a mask, and these bags' numbers here."""
        kept = self.order[known[self.order]]
        numbers, starts = np.unique(self.of[kept], return_index=True)
        return Bags(kept, starts.astype(np.int64), self.of), numbers.astype(np.int64)

    def union(self, labels: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        """Return the labels of each bag: all that one of its sentences has."""
        found: list[set[str]] = [set() for _ in self.starts]
        for bag, own in zip(self.of.tolist(), labels, strict=True):
            found[bag] |= own
        return [frozenset(own) for own in found]


def bags_of(pairs: Iterable[LabelledPair]) -> Bags:
    """Group sentences by head and tail; (a, b) and (b, a) are two bags."""
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(item.bag, len(numbers)) for item in pairs]
    bags = np.array(of, dtype=np.int64)
    order = np.argsort(bags, kind="stable").astype(np.int64)
    starts = np.searchsorted(bags[order], np.arange(len(numbers))).astype(np.int64)
    return Bags(order, starts, bags)
