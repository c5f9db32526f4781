"""From the scores of a bag's sentences to those of the bag: AVG, ONE and ATT.

A classifier's last layer is linear: a sentence with representation x has logits
z = W x + b. That is why the logits are enough.

AVG, the classifier on the mean representation: W mean(x) + b = mean(W x + b),
the mean of the logits; the probabilities are its softmax.

ONE, at least one sentence: of each relation the highest probability.

ATT, selective attention (Lin et al. 2016) with the rows of the classifier as its
queries: for relation r the sentences weigh a = softmax over the bag of x . W_r.
As x . W_r = z_r - b_r, and b_r is the same in all sentences, a is the softmax of
z_r. The weights add up to 1, so the logits of sum(a x) are sum(a z); r's
probability is its own in their softmax. It is exact for a checkpoint trained
so; of any other it would say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.evaluating.records import Aggregator
from mt_gate.evaluating.relation_labels import LabelledPair
from mt_gate.evaluating.system_scores import Merging, SystemScores, softmax

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


Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def bag_scores(
    aggregator: Aggregator, said: SystemScores, bags: Bags, merge: Merging
) -> tuple[Floats, Bools]:
    """Return the scores of bags by one aggregator.

    A sentence without an answer is left out of its bag. A system that gives no
    logits is averaged over its probabilities, and has no attention.

    Returns:
        Scores, (bags, relations), and which bags have any, (bags,); the others' are 0.
    """
    some, numbers = bags.only(said.answered)
    logits = said.basis == "logits"
    if aggregator == "ONE":
        own = highest(merge.merged(said.probabilities), some)
    elif aggregator == "AVG":
        means = mean(said.values, some)
        own = merge.merged(softmax(means) if logits else means)
    elif aggregator == "ATT" and logits:
        own = merge.merged(attended(said.values, some))
    else:
        raise ValueError(f"aggregator {aggregator!r} of {said.basis}")
    scores = np.zeros((len(bags.starts), own.shape[1]))
    known = np.zeros(len(bags.starts), dtype=np.bool_)
    scores[numbers], known[numbers] = own, True
    return scores, known


def mean(values: Floats, bags: Bags) -> Floats:
    """Return the mean over each bag's sentences, (sentences, labels) to (bags, labels)."""
    if not len(bags.starts):
        return np.zeros((0, values.shape[1]))
    sums = np.add.reduceat(values[bags.order], bags.starts, axis=0)
    return np.asarray(sums / bags.sizes[:, None], dtype=np.float64)


def highest(values: Floats, bags: Bags) -> Floats:
    """Return the maximum over each bag's sentences, (sentences, labels) to (bags, labels)."""
    if not len(bags.starts):
        return np.zeros((0, values.shape[1]))
    found = np.maximum.reduceat(values[bags.order], bags.starts, axis=0)
    return np.asarray(found, dtype=np.float64)


def attended(logits: Floats, bags: Bags) -> Floats:
    """Return each label's probability by selective attention, (bags, labels)."""
    ends = np.append(bags.starts[1:], len(bags.order))
    found = np.empty((len(bags.starts), logits.shape[1]))
    for bag, (start, end) in enumerate(zip(bags.starts, ends, strict=True)):
        own = logits[bags.order[start:end]]
        weights = softmax(own, axis=0)
        found[bag] = np.diagonal(softmax(weights.T @ own))
    return found
