"""What of an answer to a labelled sample a checkpoint's score is the ratio of sums of."""

from __future__ import annotations

from collections.abc import Sequence

from fault_bench.records import SampleCounts
from mt_gate.evaluating.labelled import Labelled, evaluation_of
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS


def measure_of(task: str) -> str:
    """Return what a checkpoint's score on labels is."""
    return "F1" if evaluation_of(task).pooled else "accuracy"


def sample_counts(
    task: str, labelled: Sequence[Labelled], answers: Sequence[Prediction]
) -> SampleCounts:
    """Return of each sample what the task's score is the ratio of sums of."""
    about, is_right = evaluation_of(task), TASKS[task].is_right

    def of(item: Labelled, answer: Prediction) -> tuple[int, int]:
        if not about.pooled:
            return int(answer.output is not None and is_right(item.gold, answer.output)), 1
        predicted = set(about.items(answer.output)) if answer.output is not None else set()
        gold = set(about.items(item.gold))
        return 2 * len(predicted & gold), len(predicted) + len(gold)

    return tuple(of(item, answer) for item, answer in zip(labelled, answers, strict=True))
