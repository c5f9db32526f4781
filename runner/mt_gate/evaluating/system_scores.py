"""A system's answers to sentences as one table of scores, and its labels put as relations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.evaluating.records import Basis
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.relation_extraction import NO_RELATION

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def softmax(logits: Floats, axis: int = -1) -> Floats:
    """Return probabilities along an axis, without overflow."""
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True), dtype=np.float64)


class SystemScores(NamedTuple):
    """What a system says of sentences.

    Args:
        basis: ``logits`` where it gave those of all labels; ``answers`` where it
            gave its relation with a probability, all others count as 0 then.
        labels: the system's labels, in the order of the columns.
        values: logits, or probabilities where there are none, (sentences, labels).
        answered: whether the system answered, (sentences,); where not, values are 0.
    """

    basis: Basis
    labels: tuple[str, ...]
    values: Floats
    answered: Bools

    @property
    def probabilities(self) -> Floats:
        """Probabilities of all labels, (sentences, labels); 0 without an answer."""
        found = softmax(self.values) if self.basis == "logits" else self.values
        return np.where(self.answered[:, None], found, 0.0)

    def only(self, rows: Sequence[int]) -> SystemScores:
        """Return the scores of some sentences, in the order given."""
        return self._replace(values=self.values[[*rows]], answered=self.answered[[*rows]])


class Merging(NamedTuple):
    """How labels become relations: ``matrix`` is (labels, relations), 1 where one becomes one.

    A relation's probability is the sum of its labels'. A label that becomes no
    relation has no column.
    """

    relations: tuple[str, ...]
    matrix: Floats

    def merged(self, probabilities: Floats) -> Floats:
        """Return the relations' probabilities, (..., relations)."""
        return np.asarray(probabilities @ self.matrix, dtype=np.float64)


def merging(labels: Sequence[str], mapped: Callable[[str], str]) -> Merging:
    """Return how labels become relations; ``mapped`` gives ``no_relation`` for none."""
    targets = [mapped(label) for label in labels]
    relations = tuple(sorted({*targets} - {NO_RELATION}))
    matrix = np.array([[float(target == name) for name in relations] for target in targets])
    return Merging(relations, matrix.reshape(len(labels), len(relations)))


def system_scores(predictions: Sequence[Prediction], labels: Sequence[str]) -> SystemScores:
    """Return what a system says of sentences, in their order.

    Args:
        predictions: outputs of task ``re``.
        labels: of the system in the order of its scores; empty where nobody knows them.

    Raises:
        CannotJudge: scores that are not as many as the labels, or not finite.
    """
    outputs = [prediction.output for prediction in predictions]
    answered = np.array([output is not None for output in outputs], dtype=np.bool_)
    given = [output for output in outputs if output is not None]
    if labels and given and all("scores" in output for output in given):
        values = np.zeros((len(outputs), len(labels)))
        for row in np.nonzero(answered)[0].tolist():
            values[row] = _checked((outputs[row] or {})["scores"], len(labels))
        return SystemScores("logits", tuple(labels), values, answered)
    names = tuple(labels) or tuple(sorted({output["relation"] for output in given}))
    number = {name: at for at, name in enumerate(names)}
    values = np.zeros((len(outputs), len(names)))
    for row, output in enumerate(outputs):
        if output is not None:
            values[row, number[output["relation"]]] = output.get("score", 1.0)
    return SystemScores("answers", names, values, answered)


def _checked(scores: Sequence[float], number: int) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (number,) or not np.isfinite(values).all():
        raise CannotJudge(
            f"the system: scores {quoted(list(scores))}; expected {number} finite numbers, one "
            "per label; fix its answers"
        )
    return values
