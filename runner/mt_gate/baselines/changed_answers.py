"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mt_gate.base.chunks import chunks
from mt_gate.baselines.outputs import (
    WIDTH,
    KeptOutputs,
    OutputsFault,
    answered,
    digests,
    output_of,
)
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.results.packed_rows import RowTexts, packed
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import TaskSpec

_AT_ONCE = 1 << 12


def changed_answers(spec: TaskSpec, rows: Iterable[GroupRow], outputs: KeptOutputs) -> AnswerChurn:
    """Return what a run answers otherwise than its baseline did.

    Args:
        spec: of the task.
        rows: of the run.
        outputs: what the baseline's system answered.

    Raises:
        OutputsFault: an answer is not of the task's form.
    """
    try:
        return answer_churn(spec, _both(packed(rows).texts(), outputs), output_of)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to each input, to some more than once."""
    for some in chunks(answered(rows), _AT_ONCE):
        known = digests(text for _, text, _ in some)
        keys = (known[at : at + WIDTH] for at in range(0, len(known), WIDTH))
        for (cluster, _, after), key, before in zip(some, keys, outputs.texts(known), strict=True):
            # One text is kept of two that are alike.
            yield BothAnswers(key, cluster, before, before if before == after else after)
