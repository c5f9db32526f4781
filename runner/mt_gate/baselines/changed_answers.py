"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from mt_gate.baselines.outputs import KeptOutputs, OutputsFault, digest_of_text, output_of
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.results.packed_rows import RowTexts, packed
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import Output, TaskSpec

Text = msgspec.Raw | msgspec.UnsetType


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
        return answer_churn(spec, _both(packed(rows).texts(), outputs))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to each distinct input.

    An input of several clusters is counted in the first of them by name, whatever the rows' order.
    """
    now: dict[bytes, bytes | None] = {}
    clusters: dict[bytes, str] = {}
    sources: set[str] = set()
    for row in rows:
        cluster = row.cluster_key
        is_new = row.source_id not in sources  # it was asked once, whatever its groups
        sources.add(row.source_id)
        for value, output in _asked(row, is_new):
            known = digest_of_text(value)
            if output or known not in now:  # where one row does not ask, another may
                now[known] = output
            clusters[known] = min(cluster, clusters.get(known, cluster))
    for known, after in now.items():
        before = outputs.text(known)
        if before is not None or after is not None:
            was = _read(before)
            yield BothAnswers(clusters[known], was, was if before == after else _read(after))


def _read(text: bytes | None) -> Output | None:
    return None if text is None else output_of(text)


def _asked(row: RowTexts, is_new: bool) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield the text of each input, and that of its output if the system answered."""
    if is_new:
        yield bytes(row.source), _text(row.source_output)
    if row.follow_up is not msgspec.UNSET:
        yield bytes(row.follow_up), _text(row.follow_up_output)
    if row.second is not msgspec.UNSET:
        yield bytes(row.second), _text(row.second_output)


def _text(output: Text) -> bytes | None:
    return None if output is msgspec.UNSET else bytes(output)
