"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from msgspec import UNSET

from mt_gate.base.chunks import chunks
from mt_gate.base.sorted_ids import SortedIds
from mt_gate.baselines.outputs import KeptOutputs, OutputsFault, answered, digests, output_of
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.judging.prediction_shift import Original, labels_of
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.packed_rows import PackedRows, RowTexts, packed
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import TaskSpec

_AT_ONCE, _ALIKE = 1 << 10, 1 << 12
"""Originals that are looked up together, and predictions that are read once."""


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


def original_predictions(
    spec: TaskSpec, rows: PackedRows, outputs: KeptOutputs, known: SortedIds
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
        for some in chunks(_originals(rows), _AT_ONCE):
            texts = outputs.texts(outputs.places(digests(bytes(row.source) for row in some)))
            for row, before in zip(some, texts, strict=True):
                if before is None or row.source_output is UNSET or row.source_id in known:
                    continue
                after = bytes(row.source_output)
                found.append(Original(row.cluster_key, read(before), read(after)))
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise OutputsFault("has an answer that is not of the task's form") from None
    return found


def original_outputs(rows: PackedRows) -> Iterator[dict[str, Any]]:
    """Yield the prediction for each original of a suite that has one."""
    for row in _originals(rows):
        if row.source_output is not UNSET:
            yield output_of(bytes(row.source_output))


def _originals(rows: PackedRows) -> Iterator[RowTexts]:
    """Yield one row of each original of a suite."""
    seen: set[str] = set()
    for row in rows.texts():
        if row.source_id not in seen and not is_labels(row.relation):
            seen.add(row.source_id)
            yield row


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to some inputs at a time, to some more than once."""
    for clusters, inputs, after in answered(rows):
        known = digests(inputs)
        places = outputs.places(known)
        yield BothAnswers(known, places, clusters, outputs.texts(places), after)
