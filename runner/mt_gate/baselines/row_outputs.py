"""What the baseline's system predicted: put into the rows of a report, and counted as churn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical
from mt_gate.baselines.outputs import (
    MAX_PACKED,
    OutputsFault,
    StoredOutputs,
    answered,
    digest_of_text,
    output_of,
    outputs_path,
    parse_outputs,
)
from mt_gate.baselines.schema import Baseline, BaselineSource
from mt_gate.domain import Verdict
from mt_gate.judging.churn import BothAnswers, Original, answer_churn, labels_of
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.result import AnswerChurn, BaselineOutputs, Change, GroupRow
from mt_gate.results.store import RowLines, RowTexts, as_rows, row_of
from mt_gate.tasks.spec import TaskSpec

_ALIKE = 1 << 12
"""Predictions that are read once."""
_RECORD = (
    "To show both in reports, record the baseline again with mt-gate baseline record and "
    "commit both files."
)
_NONE = (
    "The baseline has no stored predictions: reports show only this run's, and do not count "
    f"changed predictions. {_RECORD} This does not help if recording reported that there are "
    "too many."
)
_TOO_MANY = (
    "The base has more predictions than mt-gate keeps: reports show only the candidate's, "
    "and do not count changed predictions."
)


class OpenedOutputs(NamedTuple):
    """What the baseline's system predicted, or a note on why that is not known.

    ``name`` is what a note calls the file.
    """

    name: str
    outputs: StoredOutputs | None = None
    note: str = ""


def open_outputs(
    baseline: Baseline, name: str, path: Path, source: BaselineSource, *, needed: bool = False
) -> OpenedOutputs:
    """Read what the baseline's system predicted, from ``source`` or next to the baseline's path.

    Notes call the file ``name``; it is ``needed`` where ``max-churn`` limits changed predictions.

    Raises CannotJudge: as ``without_outputs``.
    """
    if not baseline.answers_sha256:
        return OpenedOutputs(name, note=_TOO_MANY if source.against else _NONE)
    try:
        # The baseline names their digest, so they can be read from anywhere and still be checked.
        data = _read(outputs_path(path)) if source.outputs is None else source.outputs
        return OpenedOutputs(name, parse_outputs(data, baseline))
    except OutputsFault as fault:
        return without_outputs(name, fault, needed=needed)


def _read(path: Path) -> bytes:
    if not os.path.lexists(path):
        raise OutputsFault("does not exist or cannot be read")
    try:
        return files.read_whole(path, limit=MAX_PACKED, cause="Expected stored predictions.")
    except CannotJudge as error:
        raise OutputsFault(f"cannot be read ({error})") from None


def without_outputs(name: str, fault: OutputsFault, *, needed: bool) -> OpenedOutputs:
    """Return the note on a file of predictions that cannot be used.

    Raises CannotJudge: it is needed.
    """
    if needed:
        raise CannotJudge(
            f"{name} {fault}. Without it mt-gate cannot check max-churn. Restore the file, or "
            "record the baseline again with mt-gate baseline record."
        )
    return OpenedOutputs(name, note=_note(name, fault))


def _note(name: str, fault: OutputsFault) -> str:
    return f"Reports do not show the baseline's predictions: {name} {fault}. {_RECORD}"


def compared_rows(
    rows: RowLines, changes: Mapping[str, Mapping[str, Change]], opened: OpenedOutputs
) -> tuple[RowLines, str]:
    """Put into rows what became of them, and why they are without predictions, where they are.

    It takes the place of what an earlier comparison put there. Rows that changed or are violated
    still get the baseline's outputs as well. ``changes`` are by relation, of the groups in both.
    """
    try:
        return RowLines(_lines(rows, changes, opened.outputs)), opened.note
    except OutputsFault as fault:
        return RowLines(_lines(rows, changes, None)), _note(opened.name, fault)


def _lines(
    rows: RowLines, changes: Mapping[str, Mapping[str, Change]], outputs: StoredOutputs | None
) -> Iterator[bytes]:
    for head, line in zip(rows.heads(), rows.lines, strict=True):
        change, before = changes[head.relation].get(head.id), None
        moved = change not in (None, Change.OK)
        if outputs is not None and (moved or head.verdict is Verdict.VIOLATED):
            row = row_of(line)
            before = BaselineOutputs(
                source=outputs.to(row.source),
                second=outputs.to(row.second),
                follow_up=outputs.to(row.follow_up),
            )
        elif change is head.change and head.before is UNSET:
            yield line
            continue
        yield canonical(msgspec.structs.replace(row_of(line), change=change, before=before))


@contextmanager
def _checked_form() -> Iterator[None]:
    """Turn what fails for a prediction of another form into a fault.

    They are whatever JSON they were, and nothing else looked into them.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise OutputsFault("has a prediction that does not fit the task") from None


def changed_answers(
    spec: TaskSpec, rows: Iterable[GroupRow], outputs: StoredOutputs
) -> AnswerChurn:
    """Return what a run predicts otherwise than its baseline did.

    Raises OutputsFault: a prediction is not of the task's form.
    """
    with _checked_form():
        return answer_churn(spec, _both(as_rows(rows).texts(), outputs), output_of)


def original_predictions(
    spec: TaskSpec, rows: RowLines, outputs: StoredOutputs, known: Set[str]
) -> list[Original]:
    """Return what both runs predict for each original whose right answer is not ``known``.

    Raises OutputsFault: a prediction is not of the task's form.
    """
    read = lru_cache(_ALIKE)(lambda text: labels_of(spec, output_of(text)))
    originals: list[Original] = []
    with _checked_form():
        for row in _originals(rows):
            before = outputs.text(digest_of_text(bytes(row.source)))
            if before is None or row.source_output is UNSET or row.source_id in known:
                continue
            after = bytes(row.source_output)
            originals.append(Original(row.cluster_key, read(before), read(after)))
    return originals


def original_outputs(rows: RowLines) -> Iterator[dict[str, Any]]:
    """Yield the prediction for each original of a suite that has one."""
    for row in _originals(rows):
        if row.source_output is not UNSET:
            yield output_of(bytes(row.source_output))


def _originals(rows: RowLines) -> Iterator[RowTexts]:
    seen: set[str] = set()
    for row in rows.texts():
        if row.source_id not in seen and not is_labels(row.relation):
            seen.add(row.source_id)
            yield row


def _both(rows: Iterable[RowTexts], outputs: StoredOutputs) -> Iterator[BothAnswers]:
    """Yield both predictions of each distinct input that one of the two predicted.

    An input of several clusters is counted in the first of them by name; where it comes with a
    prediction and without, the prediction counts.
    """
    after: dict[bytes, tuple[str, bytes | None]] = {}
    for cluster, text, output in answered(rows):
        known = digest_of_text(text)
        first, answer = after.get(known, (cluster, None))
        after[known] = min(first, cluster), output if answer is None else answer
    for known, (cluster, answer) in after.items():
        before = outputs.text(known)
        if before is not None or answer is not None:
            yield BothAnswers(cluster, before, answer)
