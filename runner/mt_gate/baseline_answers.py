"""What a baseline's checkpoint answered, kept beside the baseline for reports to show.

``<name>.answers.gz`` holds every distinct answer once, with the inputs that got it. It
decides nothing: verdicts come from the baseline alone. So whatever is wrong with the file is
a note, and the answers are then left out, never another verdict.

Answers are looked up by input, not by group. Groups that a relation builds from a system's
own answers differ from run to run; what both runs were asked is known all the same, and
nothing else is.

Text, packed: a head; then a line for each answer, ``{"inputs": [digest, ...], "output": ...}``,
in the order of the answers' JSON, at most 1,000 inputs a line.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.baseline_store import Baseline
from mt_gate.domain import Verdict
from mt_gate.jsonio import canonical
from mt_gate.result import BaselineOutputs, Change, GroupRow

FORMAT = 1
MAX_PACKED = 16 << 20
MAX_UNPACKED = 64 << 20
MAX_LINE = 64 << 10
MAX_OUTPUT = 16 << 10
MAX_INPUTS = 1_000_000
"""The suites that ship have at most 40,000 inputs, and answers of 2 MB unpacked."""

_INPUTS_A_LINE = 1000
_SHOWN = frozenset({Change.NEW, Change.FIXED, Change.STILL})
_RECORD = (
    "for both in reports, record it again with mt-gate baseline record and commit the two files"
)

Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{16}\Z")]
Input = Mapping[str, Any]


class AnswersFault(Exception):  # noqa: N818 - it becomes a note
    """Why answers cannot be used, in words that follow the file's name."""


class _Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which baseline the answers belong to, and how many inputs follow."""

    format: int
    suite_sha256: str
    checkpoint_fingerprint: str
    inputs: int


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    inputs: Annotated[tuple[Digest, ...], msgspec.Meta(min_length=1, max_length=_INPUTS_A_LINE)]
    output: msgspec.Raw


class Answers:
    """What one system answered, by input."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        """Take the JSON of each answer by the digest of its input; it is read when asked for."""
        self._packed = packed
        self._read: dict[bytes, dict[str, Any]] = {}
        self._left = MAX_UNPACKED

    def __len__(self) -> int:
        """Return for how many inputs there is an answer."""
        return len(self._packed)

    def to(self, value: Input | None) -> dict[str, Any] | None:
        """Return the output to an input; None where it was not asked, or not answered.

        Raises:
            AnswersFault: what is kept for it is no output, or all that was asked for is too much.
        """
        found = None if value is None else self._packed.get(digest(value))
        if found is None:
            return None
        # One long answer to very many inputs would be small here, and huge in the rows.
        self._left -= len(found)
        if self._left < 0:
            raise AnswersFault(f"puts more than {MAX_UNPACKED} bytes into the groups")
        if found not in self._read:
            self._read[found] = _output(found)
        return self._read[found]


def _output(packed: bytes) -> dict[str, Any]:
    if len(packed) > MAX_OUTPUT:
        raise AnswersFault(f"has an answer of more than {MAX_OUTPUT} bytes")
    try:
        return msgspec.json.decode(packed, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AnswersFault(f"has an answer that is not as expected ({error})") from None


class Recalled(NamedTuple):
    """Rows with what the baseline's system answered, or a note on why they are without."""

    rows: list[GroupRow]
    note: str = ""


def answers_path(baseline: Path) -> Path:
    """Return where the answers of a baseline's file lie: ``ner.answers.gz`` of ``ner.json``."""
    return baseline.with_name(f"{baseline.stem}.answers.gz")


def digest(value: Input) -> str:
    """Return what an input is known by: 16 hex digits over its canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()[:16]


def answer_lines(baseline: Baseline, rows: Iterable[GroupRow]) -> Iterator[bytes]:
    """Yield the lines of the text that keeps a run's answers, the same for the same rows."""
    said = _by_input(rows)
    inputs: dict[bytes, list[str]] = {}
    for known, output in sorted(said.items()):
        inputs.setdefault(output, []).append(known)
    yield canonical(
        _Head(
            format=FORMAT,
            suite_sha256=baseline.suite.sha256,
            checkpoint_fingerprint=baseline.checkpoint.fingerprint,
            inputs=len(said),
        )
    )
    for output, known_by in sorted(inputs.items()):
        for start in range(0, len(known_by), _INPUTS_A_LINE):
            part = tuple(known_by[start : start + _INPUTS_A_LINE])
            yield canonical(_Line(part, msgspec.Raw(output)))


def _by_input(rows: Iterable[GroupRow]) -> dict[str, bytes]:
    """Return the JSON of every answer by the digest of its input."""
    said: dict[str, bytes] = {}
    sources: set[str] = set()
    for row in rows:
        if row.source_id not in sources:
            sources.add(row.source_id)
            _add(said, row.source, row.source_output)
        _add(said, row.follow_up, row.follow_up_output)
        _add(said, row.second, row.second_output)
    return said


def _add(said: dict[str, bytes], value: Input | None, output: Any) -> None:
    if value is None or output is None:
        return
    text = canonical(output)
    if len(text) <= MAX_OUTPUT:
        said[digest(value)] = text


def parse_answers(data: bytes, baseline: Baseline) -> Answers:
    """Read packed answers and check that they belong to a baseline.

    Args:
        data: the file's bytes, as far as ``MAX_PACKED`` and one more.
        baseline: names the digest of their text.

    Raises:
        AnswersFault: too large, not gzip, cut off, of another baseline, or not as expected.
    """
    if len(data) > MAX_PACKED:
        raise AnswersFault(f"is larger than {MAX_PACKED} bytes")
    lines = _lines(data, baseline.answers_sha256)
    try:
        _check_head(next(lines, b""), baseline)
        return Answers(_index(lines))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AnswersFault(f"is not as expected ({error})") from None


def _lines(data: bytes, expected: str) -> Iterator[bytes]:
    """Yield the lines of packed text, and check its digest at the end."""
    found, size = hashlib.sha256(), 0
    try:
        with GzipFile(fileobj=io.BytesIO(data)) as file:
            while line := file.readline(MAX_LINE + 1):
                size += len(line)
                if len(line) > MAX_LINE or size > MAX_UNPACKED:
                    raise AnswersFault("is larger than answers may be, unpacked")
                found.update(line)
                yield line
    except (EOFError, zlib.error, BadGzipFile) as error:
        raise AnswersFault(f"is cut off or not gzip ({error})") from None
    if found.hexdigest() != expected:
        raise AnswersFault("belongs to another baseline, or was changed")


def _check_head(line: bytes, baseline: Baseline) -> None:
    head = msgspec.json.decode(line, type=_Head)
    if head.format != FORMAT:
        raise AnswersFault(f"has format {head.format}, this release reads {FORMAT}")
    found = (head.suite_sha256, head.checkpoint_fingerprint)
    if found != (baseline.suite.sha256, baseline.checkpoint.fingerprint):
        raise AnswersFault("is of another suite or checkpoint than the baseline")


def _index(lines: Iterable[bytes]) -> dict[str, bytes]:
    decoder = msgspec.json.Decoder(_Line)
    packed: dict[str, bytes] = {}
    inputs = 0
    for text in lines:
        line = decoder.decode(text)
        output = bytes(line.output)
        packed.update((known, output) for known in line.inputs)
        inputs += len(line.inputs)
        if inputs > MAX_INPUTS:
            raise AnswersFault(f"has more than {MAX_INPUTS} inputs")
    if len(packed) < inputs:
        raise AnswersFault("has two answers to one input")
    return packed


def recall(
    rows: list[GroupRow], baseline: Baseline, name: str, read: Callable[[], bytes | None]
) -> Recalled:
    """Put the baseline's outputs into the rows that changed or are violated still.

    Args:
        rows: of a run that was compared with the baseline.
        baseline: the baseline.
        name: what a note calls the answers' file.
        read: returns the file's bytes, None where there is none; it is called only where a
            row is to have them, and may raise AnswersFault.
    """
    if not any(map(_is_shown, rows)):
        return Recalled(rows)
    if not baseline.answers_sha256:
        return Recalled(
            rows, f"the baseline keeps no answers, reports show this run's alone; {_RECORD}"
        )
    try:
        data = read()
        if data is None:
            raise AnswersFault("is not there, or cannot be read")
        answers = parse_answers(data, baseline)
        return Recalled([_with_outputs(row, answers) for row in rows])
    except AnswersFault as fault:
        return Recalled(
            rows, f"the baseline's answers are left out of reports: {name} {fault}; {_RECORD}"
        )


def _is_shown(row: GroupRow) -> bool:
    return row.change in _SHOWN or row.verdict is Verdict.VIOLATED


def _with_outputs(row: GroupRow, answers: Answers) -> GroupRow:
    if not _is_shown(row):
        return row
    before = BaselineOutputs(
        source=answers.to(row.source),
        second=answers.to(row.second),
        follow_up=answers.to(row.follow_up),
    )
    return msgspec.structs.replace(row, before=before)


def read_packed(path: Path) -> bytes | None:
    """Return the bytes of an answers' file, None where there is none.

    Raises:
        AnswersFault: it is no plain file, or cannot be read.
    """
    try:
        if not path.exists():
            return None
        if not path.is_file():
            raise AnswersFault("is not a file")
        with path.open("rb") as file:
            return file.read(MAX_PACKED + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AnswersFault(f"cannot be read ({reason})") from None
