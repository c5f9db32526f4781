"""The stored predictions of a baseline's checkpoint, which reports show.

If the baseline has several runs, they are the first run's. ``<name>.answers.gz`` has each distinct
prediction once, with its inputs. Verdicts come only from the baseline, so a fault in this file
becomes a note and reports omit the predictions; it never changes a verdict.

Predictions are looked up by input, not by case, because cases that a relation builds from
predictions differ between runs.

The file is gzip text. It has a line of JSON metadata, then a line of JSON per prediction. Then, in
the same order, it has a line per prediction with the digests of its inputs, 8 characters each. A
prediction of more than 1,000 inputs is repeated.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from gzip import BadGzipFile, GzipFile
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, reported
from mt_gate.base.files import MAX_LINES, canonical
from mt_gate.baselines.schema import Baseline, BaselineSource
from mt_gate.domain import Verdict
from mt_gate.judging.churn import BothAnswers, Original, answer_churn, labels_of
from mt_gate.relations.base import is_labels
from mt_gate.results.result import AnswerChurn, BaselineOutputs, Change, GroupRow
from mt_gate.results.store import RowLines, RowTexts, as_rows, heads, row_of
from mt_gate.tasks.spec import TaskSpec

FORMAT = 1
MAX_PACKED = 16 << 20
MAX_UNPACKED = 64 << 20
MAX_LINE = 16 << 10
MAX_INPUTS = 3 * MAX_LINES
"""Maximum inputs in a file: three per case of the largest suite. The built-in suites have 10,000
inputs, whose predictions are a megabyte unpacked."""

_WIDTH = 8
"""Characters of a digest, 48 bits: an unknown input matches one of 10,000 once in 28 billion."""
_INPUTS_A_LINE = 1000
_KNOWN = re.compile(rb"(?:[A-Za-z0-9_-]{8})+")


class OutputsFault(Exception):  # noqa: N818 - it becomes a note
    """Why predictions cannot be used; messages put the text after the file's name."""


class _Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which baseline the predictions belong to, and how many lines of them follow."""

    format: int
    suite_sha256: str
    checkpoint_fingerprint: str
    answers: Annotated[int, msgspec.Meta(ge=0, le=MAX_INPUTS)]


@dataclass
class StoredOutputs:
    """Predictions of one system by the digest of the input; JSON, decoded on first use."""

    packed: Mapping[bytes, bytes]
    _read: dict[bytes, dict[str, Any]] = field(default_factory=dict)
    _left: int = MAX_UNPACKED

    def to(self, value: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return the output for an input; None if it is unknown.

        Raises OutputsFault: the output is invalid, or all that was read so far is too large.
        """
        packed = None if value is None else self.packed.get(digest(canonical(value)))
        if packed is None:
            return None
        # One long prediction of very many inputs is small here, but would be huge in the rows.
        self._left -= len(packed)
        if self._left < 0:
            raise OutputsFault(f"adds more than {MAX_UNPACKED} bytes to the cases")
        if packed not in self._read:
            self._read[packed] = output_of(packed)
        return self._read[packed]


def output_of(packed: bytes) -> dict[str, Any]:
    """Decode an output from its JSON. Raises OutputsFault: it is invalid."""
    try:
        return msgspec.json.decode(packed, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutputsFault(f"has an invalid prediction ({reported(error)})") from None


def outputs_path(baseline: Path) -> Path:
    """Return the path of a baseline's predictions: ``ner.answers.gz`` for ``ner.json``."""
    return baseline.with_name(f"{baseline.stem}.answers.gz")


def digest(text: bytes) -> bytes:
    """Return the digest that identifies an input: 8 characters, from its canonical JSON."""
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()[: _WIDTH * 3 // 4])


def output_lines(baseline: Baseline, rows: Iterable[GroupRow]) -> Iterator[bytes]:
    """Yield the lines of the text that stores a run's predictions, the same for the same rows.

    Raises OutputsFault before the first line: the text would be too large to read.
    """
    inputs: dict[bytes, list[bytes]] = {}
    # If an input has several predictions, the last one is stored.
    by_input = {
        digest(text): output
        for _, text, output in answered(as_rows(rows).texts())
        if output is not None and len(output) < MAX_LINE
    }
    for known, output in sorted(by_input.items()):
        inputs.setdefault(output, []).append(known)
    parts = [
        (output, b"".join(known[start : start + _INPUTS_A_LINE]))
        for output, known in sorted(inputs.items())
        for start in range(0, len(known), _INPUTS_A_LINE)
    ]
    head = canonical(
        _Head(
            format=FORMAT,
            suite_sha256=baseline.suite.sha256,
            checkpoint_fingerprint=baseline.runs[0].checkpoint.fingerprint,
            answers=len(parts),
        )
    )
    size = len(head) + 1 + sum(len(output) + len(known) + 2 for output, known in parts)
    check_readable(len(by_input), size)
    yield head
    yield from (output for output, _ in parts)
    yield from (known for _, known in parts)


def check_readable(inputs: int = 0, unpacked: int = 0, packed: int = 0) -> None:
    """Raise OutputsFault if a file would be too large to read.

    ``unpacked`` and ``packed`` are bytes of its text, and of the file.
    """
    for number, most, what in (
        (inputs, MAX_INPUTS, "inputs"),
        (unpacked, MAX_UNPACKED, "unpacked bytes"),
        (packed, MAX_PACKED, "bytes"),
    ):
        if number > most:
            raise OutputsFault(f"would have {number:,} {what}, limit {most:,}")


def answered(rows: Iterable[RowTexts]) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Yield cluster, text and output of a suite's inputs; some inputs occur more than once.

    Labelled examples are no inputs of the suite.
    """
    sources: set[str] = set()
    for row in rows:
        if is_labels(row.relation):
            continue
        pairs = [(row.follow_up, row.follow_up_output), (row.second, row.second_output)]
        if row.source_id not in sources:  # once per source, whatever its cases
            sources.add(row.source_id)
            pairs.insert(0, (row.source, row.source_output))
        for text, output in pairs:
            if text is not UNSET:
                yield row.cluster_key, bytes(text), None if output is UNSET else bytes(output)


def parse_outputs(data: bytes, baseline: Baseline) -> StoredOutputs:
    """Parse the bytes of a file of predictions, and check that it belongs to the baseline.

    Raises OutputsFault: too large, not gzip, truncated, of another baseline, or not as expected.
    """
    if len(data) > MAX_PACKED:
        raise OutputsFault(f"is larger than {MAX_PACKED} bytes")
    lines = _lines(data, baseline.answers_sha256)
    try:
        head = msgspec.json.decode(next(lines, b""), type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutputsFault(f"is not as expected ({reported(error)})") from None
    if head.format != FORMAT:
        raise OutputsFault(f"has format {head.format}, but this release reads {FORMAT}")
    fingerprint = baseline.runs[0].checkpoint.fingerprint
    if (head.suite_sha256, head.checkpoint_fingerprint) != (baseline.suite.sha256, fingerprint):
        raise OutputsFault("belongs to another suite or checkpoint than the baseline")
    packed: dict[bytes, bytes] = {}
    inputs = 0
    for output in [*islice(lines, head.answers)]:
        line = next(lines, b"")
        inputs += len(line) // _WIDTH
        if not _KNOWN.fullmatch(line):
            raise OutputsFault("has a prediction without inputs")
        if inputs > MAX_INPUTS:
            raise OutputsFault(f"has more than {MAX_INPUTS} inputs")
        packed.update((line[at : at + _WIDTH], output) for at in range(0, len(line), _WIDTH))
    if next(lines, None) is not None:
        raise OutputsFault("has inputs without a prediction")
    if len(packed) < inputs:
        raise OutputsFault("has two predictions for one input")
    return StoredOutputs(packed)


def _lines(data: bytes, expected: str) -> Iterator[bytes]:
    sha256, size = hashlib.sha256(), 0
    try:
        with GzipFile(fileobj=io.BytesIO(data)) as file:
            while line := file.readline(MAX_LINE + 1):
                size += len(line)
                if len(line) > MAX_LINE or size > MAX_UNPACKED:
                    raise OutputsFault("is too large when unpacked")
                sha256.update(line)
                yield line.rstrip(b"\n")
    except (EOFError, zlib.error, BadGzipFile):
        raise OutputsFault("is truncated or not gzip") from None
    if sha256.hexdigest() != expected:
        raise OutputsFault("belongs to another baseline, or was changed")


_ALIKE = 1 << 12
"""Distinct predictions whose labels are cached."""
_RECORD = (
    "To show both in reports, record the baseline again with mt-gate baseline record and "
    "commit both files."
)
NOT_STORED = (
    "The baseline has no stored predictions, so reports show only this run's and do not count "
    f"changed predictions. {_RECORD} (If mt-gate reported then that there were too many, they "
    "cannot be stored.)"
)
TOO_MANY = (
    "The base has too many predictions to store, so reports show only the candidate's and do not "
    "count changed predictions."
)


def open_outputs(baseline: Baseline, path: Path, source: BaselineSource) -> StoredOutputs:
    """Read the predictions of the baseline's system, from ``source`` or next to ``path``.

    Raises OutputsFault: they cannot be read, or belong to another baseline.
    """
    # The baseline names their digest, so they can be read from anywhere and still be checked.
    data = source.outputs
    if data is None:
        path = outputs_path(path)
        if not os.path.lexists(path):
            raise OutputsFault("does not exist or cannot be read")
        try:
            data = files.read_whole(path, limit=MAX_PACKED, cause="Expected stored predictions.")
        except CannotJudge as error:
            raise OutputsFault(f"cannot be read ({error})") from None
    return parse_outputs(data, baseline)


def note_on_fault(fault: OutputsFault, name: str, *, needed: bool = False) -> str:
    """Return the note on a file of predictions, called ``name``, that cannot be used.

    Raises CannotJudge: it is ``needed``, since ``max-churn`` limits changed predictions.
    """
    if needed:
        raise CannotJudge(
            f"{name} {fault}. Without it mt-gate cannot check max-churn. Restore the file, or "
            "record the baseline again with mt-gate baseline record."
        )
    return f"Reports do not show the baseline's predictions: {name} {fault}. {_RECORD}"


def compared_rows(
    rows: RowLines, changes: Mapping[str, Mapping[str, Change]], outputs: StoredOutputs | None
) -> RowLines:
    """Add changes to rows, in place of those of an earlier comparison.

    Changed or violated rows also get the baseline's outputs, if known. ``changes`` are by relation,
    for the cases in both runs. Raises OutputsFault, like ``outputs.to``.
    """
    lines = []
    for head, line in zip(heads(rows), rows.lines, strict=True):
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
            lines.append(line)
            continue
        changed = msgspec.structs.replace(row_of(line), change=change, before=before)
        lines.append(canonical(changed))
    return RowLines(lines)


def changed_answers(
    spec: TaskSpec, rows: RowLines, outputs: StoredOutputs, known: Set[str] = frozenset()
) -> tuple[AnswerChurn, list[Original]]:
    """Return the changes from the baseline's predictions to a run's.

    Also return both predictions for each original whose cluster has no ``known`` right answer.

    Raises OutputsFault: a prediction is not of the task's form.
    """
    read = lru_cache(_ALIKE)(lambda text: labels_of(spec, output_of(text)))
    originals: list[Original] = []
    # An input of several clusters counts in the first of them by name. If it occurs with and
    # without a prediction, the prediction counts.
    by_input: dict[bytes, tuple[str, bytes | None]] = {}
    for cluster, text, output in answered(rows.texts()):
        name = digest(text)
        first, known_output = by_input.get(name, (cluster, None))
        by_input[name] = min(first, cluster), output if known_output is None else known_output
    both = (
        BothAnswers(cluster, outputs.packed.get(name), output)
        for name, (cluster, output) in by_input.items()
        if name in outputs.packed or output is not None
    )
    try:  # stored predictions may be any JSON, and no earlier code checks their content
        churn = answer_churn(spec, both, output_of)
        for row in originals_of(rows):
            before = outputs.packed.get(digest(bytes(row.source)))
            if before is None or row.source_output is UNSET or row.cluster_key in known:
                continue
            after = bytes(row.source_output)
            originals.append(Original(row.cluster_key, read(before), read(after)))
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise OutputsFault("has a prediction that does not fit the task") from None
    return churn, originals


def originals_of(rows: RowLines) -> Iterator[RowTexts]:
    """Yield the first row of each original of a suite."""
    seen: set[str] = set()
    for row in rows.texts():
        if row.source_id not in seen and not is_labels(row.relation):
            seen.add(row.source_id)
            yield row
