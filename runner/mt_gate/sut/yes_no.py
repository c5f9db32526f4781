"""Two scores to yes or no: what all forms of task boolq have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mt_gate.sut.answers import AnswerIndices
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.boolq import NO, YES

if TYPE_CHECKING:
    import numpy as np

_DIGITS = 6


def decode(answers: AnswerIndices, scores: np.ndarray[Any, Any], read: int | None) -> Prediction:
    """Return the answer with the probability of yes.

    Args:
        answers: where the two answers stand among the scores.
        scores: one logit a label, shape (labels,).
        read: characters of the passage that fitted; None where all of it did.
    """
    gap = float(scores[answers.yes]) - float(scores[answers.no])
    output: Mapping[str, Any] = {
        "answer": YES if gap > 0 else NO,
        "score": round(_sigmoid(gap), _DIGITS),
    }
    if read is not None:
        output = {**output, "read": read}
    return Prediction(output, abs(gap))


def _sigmoid(value: float) -> float:
    """Return 1 / (1 + exp(-value)) without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    small = math.exp(value)
    return small / (1 + small)
