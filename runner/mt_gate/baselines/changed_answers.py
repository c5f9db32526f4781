"""What a run and its baseline answered to the same inputs, put side by side to be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from mt_gate.baselines.outputs import KeptOutputs, OutputsFault, digest_of_text, output_of
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.results.packed_rows import RowTexts, packed
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.tasks.spec import TaskSpec

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
        return answer_churn(spec, _both(packed(rows).texts(), outputs), output_of)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # Answers are kept as whatever JSON they were, and nothing else looked into them.
        raise OutputsFault("has an answer that is not of the task's form") from None


def _both(rows: Iterable[RowTexts], outputs: KeptOutputs) -> Iterator[BothAnswers]:
    """Yield both answers to each distinct input.

    An input of several clusters is counted in the first of them by name, whatever the rows' order.
    """
    found: dict[bytes, BothAnswers] = {}
    clusters: dict[str, str] = {}
    sources: set[str] = set()
    for row in rows:
        # Each row that is unpacked has a text of its own: one is kept for all of a cluster.
        cluster = clusters.setdefault(row.cluster_key, row.cluster_key)
        is_new = row.source_id not in sources  # it was asked once, whatever its groups
        if is_new:
            sources.add(row.source_id)
        for value, after in _asked(row, is_new):
            key = digest_of_text(value)
            known = found.get(key)
            if known is None:
                before = outputs.text(key)
                # One text is kept of two that are alike.
                found[key] = BothAnswers(cluster, before, before if before == after else after)
            elif known.cluster > cluster or (known.after is None and after is not None):
                # Where one row does not ask, the other may.
                first = min(known.cluster, cluster)
                found[key] = BothAnswers(first, known.before, known.after or after)
    yield from (both for both in found.values() if both.before or both.after)


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
