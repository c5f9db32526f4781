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

import numpy as np
from numpy.typing import NDArray

from mt_gate.evaluating.bags import Bags
from mt_gate.evaluating.protocol_records import Aggregator
from mt_gate.evaluating.system_scores import Merging, SystemScores, softmax

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
