"""Two scores to yes or no, and which label means which: what all forms of task boolq share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.boolq import NO, YES

if TYPE_CHECKING:
    import numpy as np
from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, quoted

KNOWN = (("yes", "no"), ("true", "false"), ("y", "n"))
"""Labels that say themselves what they mean, whatever their letter case."""
_MOST_SHOWN = 6


class AnswerIndices(NamedTuple):
    """The index of each answer among the labels."""

    yes: int
    no: int

    def named(self, labels: Sequence[str]) -> dict[str, str]:
        """Return the labels by answer, as ``checkpoint.json`` holds them."""
        return {YES: labels[self.yes], NO: labels[self.no]}


def read_answers(labels: Sequence[str], named: Mapping[str, str], *, where: str) -> AnswerIndices:
    """Find yes and no among a checkpoint's labels.

    Raises CannotJudge: not two labels, or nothing says which one is yes.
    """
    listed = ", ".join(labels[:_MOST_SHOWN]) + (", ..." if len(labels) > _MOST_SHOWN else "")
    if len(labels) != 2:
        raise CannotJudge(
            f"{where}: {len(labels)} labels ({listed}); task boolq expects two, one for yes and "
            "one for no; name a checkpoint that was trained for it"
        )
    plain = [label.strip().rstrip(".").casefold() for label in labels]
    if named:
        found = f"{where}: labels are {listed}"
        if set(named) != {YES, NO} or named[YES] == named[NO]:
            raise CannotJudge(
                f"{found}, answers are {quoted(dict(named))}; expected one label for yes, another "
                "for no"
            )
        for answer in (YES, NO):
            if named[answer] not in labels:
                raise CannotJudge(
                    f"{found}; {answer} is given as {quoted(named[answer])}; expected one of the "
                    "labels: fix --answers, or 'answers' of checkpoint.json; words that a "
                    "text-to-text model generates are chosen when it is exported"
                )
        return AnswerIndices(labels.index(named[YES]), labels.index(named[NO]))
    for yes, no in KNOWN:
        if sorted(plain) == sorted((yes, no)):
            return AnswerIndices(plain.index(yes), plain.index(no))
    raise CannotJudge(
        f"{where}: labels are {listed}, which do not show what means yes; expected a pair like "
        f"yes and no; say which is which: --answers yes={labels[1]},no={labels[0]}, or the other "
        "way round"
    )


_DIGITS = 6


def decode(answers: AnswerIndices, scores: np.ndarray[Any, Any], read: int | None) -> Prediction:
    """Return the answer with the probability of yes."""
    gap = float(scores[answers.yes]) - float(scores[answers.no])
    output: Mapping[str, Any] = {
        "answer": YES if gap > 0 else NO,
        "score": round(_sigmoid(gap), _DIGITS),
    }
    if read is not None:
        output = {**output, "read": read}
    return Prediction(output, abs(gap))


def _sigmoid(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    small = math.exp(value)
    return small / (1 + small)
