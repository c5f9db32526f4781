"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mt_gate.baselines.outputs import Input, KeptOutputs, OutputsFault, digest
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import TaskSpec


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
        return answer_churn(spec, _both(rows, outputs))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def _both(rows: Iterable[GroupRow], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to each distinct input.

    An input of several clusters is counted in the first of them by name, whatever the rows' order.
    """
    now: dict[bytes, Any] = {}
    clusters: dict[bytes, str] = {}
    for row in rows:
        for value, output in _asked(row):
            known = digest(value)
            if output is not None or known not in now:  # where one row does not ask, another may
                now[known] = output
            clusters[known] = min(row.cluster_key, clusters.get(known, row.cluster_key))
    for known, output in now.items():
        before = outputs.by_digest(known)
        if before is not None or output is not None:
            yield BothAnswers(clusters[known], before, output)


def _asked(row: GroupRow) -> Iterator[tuple[Input, Any]]:
    yield row.source, row.source_output
    if row.follow_up is not None:
        yield row.follow_up, row.follow_up_output
    if row.second is not None:
        yield row.second, row.second_output
