"""A system's predictions as a table of scores, and scores of bags of sentences: AVG, ONE, ATT.

A classifier's last layer is linear: a sentence with representation x has the logits z = W x + b.
So the logits are enough for all three.

AVG applies the classifier to the mean representation. W mean(x) + b = mean(W x + b) is the mean of
the logits; the probabilities are its softmax.

ONE (at least one sentence) takes the highest probability of each relation.

ATT is selective attention (Lin et al. 2016), with the rows of the classifier as queries. For
relation r, the weights of the sentences are a = softmax over the bag of x . W_r. Here x . W_r =
z_r - b_r, and b_r is the same in all sentences, so a is the softmax of z_r. The weights add up to
1, so the logits of sum(a x) are sum(a z), and the probability of r is its value in their softmax.
ATT is meaningful only for a checkpoint that was trained with this attention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.evaluating.records import Aggregator, Basis
from mt_gate.evaluating.relation_labels import LabelledPair
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.relation_extraction import NO_RELATION

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]


def softmax(logits: Floats, axis: int = -1) -> Floats:
    """Return probabilities along an axis, without overflow."""
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True), dtype=np.float64)


class SystemScores(NamedTuple):
    """Scores of a system for sentences."""

    basis: Basis  # ``answers``: only the predicted relation has a probability, all others 0
    labels: tuple[str, ...]  # the system's labels, in the order of the columns
    values: Floats  # logits, or probabilities for ``answers``, (sentences, labels)
    answered: Bools  # whether there is a prediction, (sentences,); values are 0 if not

    @property
    def probabilities(self) -> Floats:
        """Probabilities of all labels, (sentences, labels); 0 without a prediction."""
        probabilities = softmax(self.values) if self.basis == "logits" else self.values
        return np.where(self.answered[:, None], probabilities, 0.0)

    def only(self, rows: Sequence[int]) -> SystemScores:
        """Return the scores of some sentences, in that order."""
        return self._replace(values=self.values[[*rows]], answered=self.answered[[*rows]])


def system_scores(predictions: Sequence[Prediction], labels: Sequence[str]) -> SystemScores:
    """Return a system's scores for sentences, in their order.

    ``labels`` are in the order of the system's scores; empty if unknown.
    """
    outputs = [prediction.output for prediction in predictions]
    answered = np.array([output is not None for output in outputs], dtype=np.bool_)
    predicted = [output for output in outputs if output is not None]
    logits = bool(labels and predicted and all("scores" in output for output in predicted))
    names = tuple(labels) or tuple(sorted({output["relation"] for output in predicted}))
    number = {name: at for at, name in enumerate(names)}
    values = np.zeros((len(outputs), len(names)))
    for row, output in enumerate(outputs):
        if output is not None and logits:
            scores = np.asarray(output["scores"], dtype=np.float64)
            if scores.shape != (len(names),) or not np.isfinite(scores).all():
                raise CannotJudge(
                    f"The model returned the scores {quoted(list(output['scores']))}. Expected "
                    f"{len(names)} finite numbers, one per label."
                )
            values[row] = scores
        elif output is not None:
            values[row, number[output["relation"]]] = output.get("score", 1.0)
    return SystemScores("logits" if logits else "answers", names, values, answered)


class Merging(NamedTuple):
    """How labels map to relations: ``matrix`` is (labels, relations), 1 where a label maps.

    A relation's probability is the sum over its labels. There is no column for ``no_relation``.
    """

    relations: tuple[str, ...]
    matrix: Floats

    def merged(self, probabilities: Floats) -> Floats:
        """Return the relations' probabilities, (..., relations)."""
        return np.asarray(probabilities @ self.matrix, dtype=np.float64)


def merging(labels: Sequence[str], mapped: Callable[[str], str]) -> Merging:
    """Return how labels map to relations; ``mapped`` may return ``no_relation``."""
    targets = [mapped(label) for label in labels]
    relations = tuple(sorted({*targets} - {NO_RELATION}))
    matrix = np.array([[float(target == name) for name in relations] for target in targets])
    return Merging(relations, matrix.reshape(len(labels), len(relations)))


class Bags(NamedTuple):
    """Sentences grouped by pair of entities; bags are in the order of their first sentences."""

    order: Integers  # the sentences' positions, bag by bag, (sentences,)
    starts: Integers  # the start of each bag in ``order``, (bags,)
    of: Integers  # the bag of each sentence, (sentences,)

    @property
    def ends(self) -> Integers:
        """The end of each bag in ``order``, (bags,)."""
        return np.append(self.starts[1:], len(self.order)) if len(self.starts) else self.starts

    def union(self, labels: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        """Return the labels of each bag: the union over its sentences."""
        unions: list[set[str]] = [set() for _ in self.starts]
        for bag, own in zip(self.of.tolist(), labels, strict=True):
            unions[bag] |= own
        return [frozenset(own) for own in unions]


def bags_of(pairs: Iterable[LabelledPair]) -> Bags:
    """Group sentences by head and tail; (a, b) and (b, a) are two bags."""
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(item.bag, len(numbers)) for item in pairs]
    bags = np.array(of, dtype=np.int64)
    order = np.argsort(bags, kind="stable").astype(np.int64)
    starts = np.searchsorted(bags[order], np.arange(len(numbers))).astype(np.int64)
    return Bags(order, starts, bags)


def bag_scores(
    aggregator: Aggregator, said: SystemScores, bags: Bags, merge: Merging
) -> tuple[Floats, Bools]:
    """Return one aggregator's scores of bags, (bags, relations), and which bags have scores.

    A sentence without a prediction is omitted from its bag. Without logits, AVG averages
    probabilities, and ATT is not possible.
    """
    order = bags.order[said.answered[bags.order]]
    numbers, starts = np.unique(bags.of[order], return_index=True)
    sizes = np.diff(starts, append=len(order))
    scores = np.zeros((len(bags.starts), len(merge.relations)))
    known = np.zeros(len(bags.starts), dtype=np.bool_)
    known[numbers] = True
    if not len(numbers):
        return scores, known
    if aggregator == "ONE":
        probabilities = merge.merged(said.probabilities)
        scores[numbers] = np.maximum.reduceat(probabilities[order], starts, axis=0)
    elif aggregator == "AVG":
        means = np.add.reduceat(said.values[order], starts, axis=0) / sizes[:, None]
        scores[numbers] = merge.merged(softmax(means) if said.basis == "logits" else means)
    else:
        attended = np.empty((len(starts), said.values.shape[1]))
        for bag, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            own = said.values[order[start : start + size]]
            weights = softmax(own, axis=0)
            attended[bag] = np.diagonal(softmax(weights.T @ own))
        scores[numbers] = merge.merged(attended)
    return scores, known
