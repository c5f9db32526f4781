"""Scores to a relation: what all forms of task re have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.protocol import Prediction

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

_DIGITS = 6


def check_labels(labels: Sequence[str], where: str) -> None:
    """Check the labels of a relation classifier: any texts, each once, two or more.

    Raises:
        CannotJudge: they are not.
    """
    twice = [label for index, label in enumerate(labels) if label in labels[:index]]
    if len(labels) < 2 or twice or not all(label.strip() for label in labels):
        found = f"{quoted(twice[0], 60)} twice" if twice else f"{len(labels)}: {quoted(labels[:3])}"
        raise CannotJudge(
            f"{where}: labels are {found}; task re expects the name of each relation once, two or "
            "more, in the order of the scores; fix the file"
        )


def decode(labels: Sequence[str], scores: Array) -> Prediction:
    """Return the likeliest relation with its probability.

    Args:
        labels: names of the relations.
        scores: one logit a label, shape (labels,).
    """
    values = scores.astype(np.float64)
    best = int(values.argmax())
    score = 1 / float(np.exp(values - values[best]).sum())
    margin = float(values[best] - np.delete(values, best).max())
    return Prediction({"relation": labels[best], "score": round(score, _DIGITS)}, margin)


def with_scores(prediction: Prediction, scores: Array) -> Prediction:
    """Return a prediction whose output also lists all logits, in the order of the labels."""
    if prediction.output is None:
        return prediction
    listed = [round(float(score), _DIGITS) for score in scores]
    return prediction._replace(output={**prediction.output, "scores": listed})
