"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mt_gate.base.sorted_ids import SortedIds
from mt_gate.baselines.outputs import KeptOutputs, OutputsFault, answered, digests, output_of
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.results.packed_rows import RowTexts, packed
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import TaskSpec


def changed_answers(
    spec: TaskSpec, rows: Iterable[GroupRow], outputs: KeptOutputs, clusters: SortedIds
) -> AnswerChurn:
    """Return what a run answers otherwise than its baseline did.

    Args:
        spec: of the task.
        rows: of the run.
        outputs: what the baseline's system answered.
        clusters: of all rows.

    Raises:
        OutputsFault: an answer is not of the task's form.
    """
    both = _both(packed(rows).texts(), outputs)
    try:
        return answer_churn(spec, both, clusters, len(outputs), output_of)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to some inputs at a time, to some more than once."""
    for clusters, inputs, after in answered(rows):
        known = digests(inputs)
        places = outputs.places(known)
        yield BothAnswers(known, places, clusters, outputs.texts(places), after)
