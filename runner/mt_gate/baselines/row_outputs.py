"""What the baseline's system predicted: put into the rows of a report, and counted as churn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
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
    parse_outputs,
)
from mt_gate.baselines.schema import Baseline
from mt_gate.domain import Verdict
from mt_gate.judging.churn import BothAnswers, answer_churn
from mt_gate.judging.prediction_shift import Original, labels_of
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.result import AnswerChurn, BaselineOutputs, Change, GroupRow
from mt_gate.results.rows import RowHead, RowLines, RowTexts, as_rows, row_of
from mt_gate.tasks.spec import TaskSpec

_SHOWN = frozenset({Change.NEW, Change.FIXED, Change.STILL})
_RECORD = (
    "for both in reports, record it again with mt-gate baseline record and commit the two files"
)
_NONE = (
    "the baseline has no answers: reports show only this run's, and count no changed ones; "
    f"{_RECORD}, unless recording says that they are too many"
)
_TOO_MANY = (
    "the base has more answers than can be kept: reports show only the candidate's, and count no "
    "changed ones"
)


class OpenedOutputs(NamedTuple):
    """What the baseline's system answered, or a note on why that is not known.

    ``name`` is what a note calls the answers' file.
    """

    name: str
    outputs: StoredOutputs | None = None
    note: str = ""


class ComparedRows(NamedTuple):
    """RowLines with what became of them, and what the baseline's system answered.

    ``note`` says why they are without answers, where they are.
    """

    rows: RowLines
    note: str = ""


def open_outputs(
    baseline: Baseline,
    name: str,
    read: Callable[[], bytes | None],
    *,
    recorded: bool = True,
    needed: bool = False,
) -> OpenedOutputs:
    """Read what the baseline's system answered.

    Args:
        baseline: the baseline.
        name: what a note calls the answers' file.
        read: returns the file's bytes, None where there is none; it may raise OutputsFault.
        recorded: whether it is of a file, not of a run in the same job.
        needed: whether ``max-churn`` limits the changed predictions.

    Raises:
        CannotJudge: as ``without_outputs``.
    """
    if not baseline.answers_sha256:
        return OpenedOutputs(name, note=_NONE if recorded else _TOO_MANY)
    try:
        data = read()
        if data is None:
            raise OutputsFault("is missing, or cannot be read")
        return OpenedOutputs(name, parse_outputs(data, baseline))
    except OutputsFault as fault:
        return without_outputs(name, fault, needed=needed)


def without_outputs(name: str, fault: OutputsFault, *, needed: bool) -> OpenedOutputs:
    """Return the note on a file of predictions that cannot be used.

    Raises:
        CannotJudge: it is needed.
    """
    if needed:
        raise CannotJudge(
            f"{name} {fault}; without it max-churn cannot be checked: restore the file, or record "
            "the baseline again with mt-gate baseline record"
        )
    return OpenedOutputs(name, note=fault_note(name, fault))


def compared_rows(
    rows: RowLines, changes: Mapping[str, Mapping[str, Change]], opened: OpenedOutputs
) -> ComparedRows:
    """Put into rows what became of them, in the place of what an earlier comparison put there.

    Those that changed or are violated still get the baseline's outputs as well.

    Args:
        rows: of a run that is compared with the baseline.
        changes: by relation, of the groups that are in both.
        opened: of ``open_outputs``.
    """
    try:
        return ComparedRows(RowLines(_lines(rows, changes, opened.outputs)), opened.note)
    except OutputsFault as fault:
        lines = _lines(rows, changes, None)
        return ComparedRows(RowLines(lines), fault_note(opened.name, fault))


def _lines(
    rows: RowLines, changes: Mapping[str, Mapping[str, Change]], outputs: StoredOutputs | None
) -> Iterator[bytes]:
    for head, line in zip(rows.heads(), rows.lines, strict=True):
        yield _line(head, line, changes[head.relation].get(head.id), outputs)


def _line(
    head: RowHead, line: bytes, change: Change | None, outputs: StoredOutputs | None
) -> bytes:
    before = None
    if outputs is not None and (change in _SHOWN or head.verdict is Verdict.VIOLATED):
        row = row_of(line)
        before = BaselineOutputs(
            source=outputs.to(row.source),
            second=outputs.to(row.second),
            follow_up=outputs.to(row.follow_up),
        )
    elif change is head.change and not head.has_before:
        return line
    return canonical(msgspec.structs.replace(row_of(line), change=change, before=before))


def fault_note(name: str, fault: OutputsFault) -> str:
    """Say why the baseline's answers are left out."""
    return f"reports do not show the baseline's answers: {name} {fault}; {_RECORD}"


def read_packed(path: Path) -> bytes | None:
    """Return the bytes of an answers' file, None where there is none.

    Raises:
        OutputsFault: it is no plain file, or cannot be read.
    """
    if not os.path.lexists(path):
        return None
    try:
        return files.read_whole(path, limit=MAX_PACKED, cause="expected what a baseline answered")
    except CannotJudge as error:
        raise OutputsFault(f"cannot be read ({error})") from None


_ALIKE = 1 << 12
"""Predictions that are read once."""


def changed_answers(
    spec: TaskSpec, rows: Iterable[GroupRow], outputs: StoredOutputs
) -> AnswerChurn:
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
    spec: TaskSpec, rows: RowLines, outputs: StoredOutputs, known: Set[str]
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


def _both(rows: Iterable[RowTexts], outputs: StoredOutputs) -> Iterator[BothAnswers]:
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
