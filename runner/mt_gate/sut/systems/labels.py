"""What other systems say of a text, made what the task asks for: labels, scores in [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.protocol import Prediction

MAX_LABEL, MOST = 256, 10_000
"""Characters of a label, and labels of an answer."""


def settled(labels: Sequence[str], scores: Mapping[str, float], system: str) -> Prediction:
    """Return the answer of these labels, each once, the likeliest first.

    Raises CannotJudge: a label that is blank or too long, too many, or a score outside [0, 1].
    """
    if len(labels) > MOST or len(scores) > MOST:
        raise CannotJudge(
            f"{system}: more than {MOST:,} labels in an answer; expected fewer; fix the system's "
            "answers"
        )
    for label in (*labels, *scores):
        if not label.strip() or len(label) > MAX_LABEL:
            raise CannotJudge(
                f"{system}: label {quoted(label, 100)}; expected 1 to {MAX_LABEL} characters that "
                "are not all blank; fix the system's answers"
            )
    for label, score in scores.items():
        if not 0 <= score <= 1:
            raise CannotJudge(
                f"{system}: score {score:g} of {quoted(label, 100)}; expected 0 to 1; fix the "
                "system's answers"
            )
    told = dict.fromkeys(labels)
    ordered = sorted(told, key=lambda label: -scores.get(label, 0.0))
    return Prediction({"labels": ordered, "scores": dict(scores)})
