"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import Any

from msgspec import UNSET

from mt_gate.baselines.outputs import (
    KeptOutputs,
    OutputsFault,
    answered,
    digest_of_text,
    output_of,
)
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.judging.prediction_shift import Original, labels_of
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.results.rows import RowLines, RowTexts, as_rows
from mt_gate.tasks.spec import TaskSpec

_ALIKE = 1 << 12
"""Predictions that are read once."""


def changed_answers(spec: TaskSpec, rows: Iterable[GroupRow], outputs: KeptOutputs) -> AnswerChurn:
    """Return what a run answers otherwise than its baseline did.

    Args:
        spec: of the task.
        rows: of the run.
        outputs: what the baseline's system answered.

    Raises:
        OutputsFault: an answer is not of the task's form.
    """
    both = _both(as_rows(rows).texts(), outputs)
    try:
        return answer_churn(spec, both, output_of)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def original_predictions(
    spec: TaskSpec, rows: RowLines, outputs: KeptOutputs, known: Set[str]
) -> list[Original]:
    """Return what both runs predict for each original without a known answer.

    Args:
        spec: of the task.
        rows: of the run.
        outputs: what the baseline's system predicted.
        known: sources whose right answer is known.

    Raises:
        OutputsFault: a prediction is not of the task's form.
    """
    read = lru_cache(_ALIKE)(lambda text: labels_of(spec, output_of(text)))
    found: list[Original] = []
    try:
        for row in _originals(rows):
            before = outputs.text(digest_of_text(bytes(row.source)))
            if before is None or row.source_output is UNSET or row.source_id in known:
                continue
            after = bytes(row.source_output)
            found.append(Original(row.cluster_key, read(before), read(after)))
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise OutputsFault("has an answer that is not of the task's form") from None
    return found


def original_outputs(rows: RowLines) -> Iterator[dict[str, Any]]:
    """Yield the prediction for each original of a suite that has one."""
    for row in _originals(rows):
        if row.source_output is not UNSET:
            yield output_of(bytes(row.source_output))


def _originals(rows: RowLines) -> Iterator[RowTexts]:
    """Yield one row of each original of a suite."""
    seen: set[str] = set()
    for row in rows.texts():
        if row.source_id not in seen and not is_labels(row.relation):
            seen.add(row.source_id)
            yield row


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to each distinct input that one of the two answered.

    An input of several clusters is counted in the first of them by name; where it comes with an
    answer and without, the answer counts.
    """
    after: dict[bytes, tuple[str, bytes | None]] = {}
    alike: dict[bytes, bytes] = {}
    for cluster, text, output in answered(rows):
        known = digest_of_text(text)
        first, before = after.get(known, (cluster, None))
        if before is None and output is not None:
            before = alike.setdefault(output, output)
        after[known] = min(first, cluster), before
    for known, (cluster, answer) in after.items():
        before = outputs.text(known)
        if before is not None or answer is not None:
            yield BothAnswers(cluster, before, answer)
