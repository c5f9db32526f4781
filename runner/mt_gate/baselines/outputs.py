"""What a baseline's checkpoint answered, kept beside the baseline for reports to show.

Of several runs these are the answers of the first. ``<name>.answers.gz`` holds every distinct
answer once, with the inputs that got it. It decides nothing: verdicts come from the baseline
alone. So whatever is wrong with the file is a note, and the answers are then left out, never
another verdict.

KeptOutputs are looked up by input, not by group. Groups that a relation builds from a system's
own answers differ from run to run; what both runs were asked is known all the same, and
nothing else is.

Text, packed: a line of JSON as head; a line of JSON for each answer, in the order of those
lines; then for each of them a line with the inputs that got it, 8 characters each. An answer to
more than 1,000 inputs stands there again.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from gzip import BadGzipFile, GzipFile
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from mt_gate.base.chunks import chunks
from mt_gate.base.errors import reported
from mt_gate.base.jsonio import MAX_LINES, canonical
from mt_gate.base.mapped_arrays import elements_at, in_file, let_go, mapped
from mt_gate.base.sorted_ids import Mask, Positions
from mt_gate.baselines.schema import Baseline
from mt_gate.relations.known_answer import is_labels
from mt_gate.results.packed_rows import RowTexts, packed
from mt_gate.results.result import GroupRow

FORMAT = 1
MAX_PACKED = 16 << 20
MAX_UNPACKED = 64 << 20
MAX_LINE = 16 << 10
MAX_INPUTS = 3 * MAX_LINES
"""Of a file: three for each group of the largest suite. The suites that ship have some 10,000
inputs, and answers of a megabyte unpacked."""

_WIDTH = 8
"""48 bits: an input that was not asked meets one of 10,000 once in 28 thousand million times."""

_INPUTS_A_LINE = 1000
_AT_ONCE = 1 << 10
_LINES = 1 << 6
"""Of inputs, each of some kilobytes, that are read together."""
_TOGETHER = 1 << 16
"""Inputs that are put in order together."""
_MOST_SOURCES = 1 << 16
"""That are known to have come; of more some are looked at again."""
_KNOWN = re.compile(rb"(?:[A-Za-z0-9_-]{8})+")
Input = Mapping[str, Any]
Inputs = NDArray[np.uint64]


class OutputsFault(Exception):  # noqa: N818 - it becomes a note
    """Why answers cannot be used, in words that follow the file's name."""


class _Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which baseline the answers belong to, and how many lines of them follow."""

    format: int
    suite_sha256: str
    checkpoint_fingerprint: str
    answers: Annotated[int, msgspec.Meta(ge=0, le=MAX_INPUTS)]


class KeptOutputs:
    """What one system answered, by input: its outputs, as JSON until they are asked for."""

    def __init__(
        self, text: NDArray[np.uint8], starts: Positions, inputs: Inputs, answers: Positions
    ) -> None:
        """Take answers packed; each is read when it is asked for.

        Args:
            text: the JSON of all answers, one after the other.
            starts: where each begins, and where the last one ends.
            inputs: the digests of all inputs, as numbers, rising.
            answers: which answer each input got.
        """
        self._text = text.data
        self._starts = mapped(starts)
        self._inputs = mapped(inputs)
        self._answers = mapped(answers)
        self._read: dict[int, dict[str, Any]] = {}
        self._left = MAX_UNPACKED

    @classmethod
    def of(cls, answers: Mapping[bytes, bytes]) -> KeptOutputs:
        """Return what holds the JSON of each answer by the digest of its input."""
        return _kept(answers.values(), lambda _: answers)

    def __len__(self) -> int:
        """Return for how many inputs there is an answer."""
        return len(self._inputs)

    def to(self, value: Input | None) -> dict[str, Any] | None:
        """Return the output to an input; None where it was not asked, or not answered.

        Raises:
            OutputsFault: what is kept for it is no output, or all that was asked for is too much.
        """
        answer = None if value is None else self._answer(digest(value))
        if answer is None:
            return None
        start, end = self._starts[answer : answer + 2].tolist()
        # One long answer to very many inputs would be small here, and huge in the rows.
        self._left -= end - start
        if self._left < 0:
            raise OutputsFault(f"puts more than {MAX_UNPACKED} bytes into the groups")
        if answer not in self._read:
            self._read[answer] = output_of(bytes(self._text[start:end]))
        return self._read[answer]

    def _answer(self, known: bytes) -> int | None:
        """Return which answer an input got, by its digest."""
        number = np.uint64(int.from_bytes(known, "big"))
        at = int(self._inputs.searchsorted(number))
        there = at < len(self._inputs) and self._inputs[at] == number
        return int(self._answers[at]) if there else None

    def places(self, known: bytes) -> Positions:
        """Return where each input is among all, from 0 on; -1 where it was not asked, or answered.

        Args:
            known: of ``digests``.
        """
        wanted = _numbers(known)
        if not len(self):
            return np.full(len(wanted), -1)
        at = np.minimum(self._inputs.searchsorted(wanted), len(self) - 1)
        return np.where(self._inputs[at] == wanted, at, -1)

    def texts(self, places: Positions) -> list[bytes | None]:
        """Return the JSON of the output to each input by its place, as ``output_of`` reads it."""
        answers = self._answers[places] if len(self) else places
        starts, ends = self._starts[answers].tolist(), self._starts[answers + 1].tolist()
        return [
            bytes(self._text[start:end]) if there else None
            for there, start, end in zip((places >= 0).tolist(), starts, ends, strict=True)
        ]


def output_of(packed: bytes) -> dict[str, Any]:
    """Return an output from its JSON.

    Raises:
        OutputsFault: it is none.
    """
    try:
        return msgspec.json.decode(packed, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutputsFault(f"has an answer that is not as expected ({reported(error)})") from None


def outputs_path(baseline: Path) -> Path:
    """Return where the answers of a baseline's file lie: ``ner.answers.gz`` of ``ner.json``."""
    return baseline.with_name(f"{baseline.stem}.answers.gz")


def digest(value: Input) -> bytes:
    """Return what an input is known by: 8 characters over its canonical JSON."""
    return digests([canonical(value)])


def digests(texts: Iterable[bytes]) -> bytes:
    """Return what inputs are known by, from the canonical JSON of each, one after the other."""
    # A width of whole groups of base64: together they are encoded as each alone, and faster.
    return base64.urlsafe_b64encode(
        b"".join([hashlib.sha256(text).digest()[: _WIDTH * 3 // 4] for text in texts])
    )


def output_lines(baseline: Baseline, rows: Iterable[GroupRow]) -> Iterator[bytes]:
    """Yield the lines of the text that keeps a run's answers, the same for the same rows.

    Raises:
        OutputsFault: before the first line, the text would be larger than one that is read.
    """
    texts, inputs, answers = _by_input(rows)
    by_text = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.empty(len(texts), np.int32)
    place[by_text] = np.arange(len(texts), dtype=np.int32)
    places = place[answers]
    ends = np.cumsum(np.bincount(places, minlength=len(texts))).tolist()
    inputs = in_file((inputs[at] for at in _in_turn(places, ends)), np.uint64)
    parts = [
        (texts[answer], at, min(at + _INPUTS_A_LINE, end))
        for answer, start, end in zip(by_text, [0, *ends], ends, strict=False)
        for at in range(start, end, _INPUTS_A_LINE)
    ]
    head = canonical(
        _Head(
            format=FORMAT,
            suite_sha256=baseline.suite.sha256,
            checkpoint_fingerprint=baseline.first.checkpoint.fingerprint,
            answers=len(parts),
        )
    )
    ends_of_lines = 1 + 2 * len(parts)
    size = len(head) + sum(len(text) for text, _, _ in parts) + inputs.nbytes + ends_of_lines
    check_readable(len(inputs), size)
    yield head
    yield from (output for output, _, _ in parts)
    yield from (inputs[at:end].astype(">u8").tobytes() for _, at, end in parts)


def _in_turn(places: Positions, ends: Sequence[int]) -> Iterator[Positions]:
    """Yield where each place stands, from 0 on, those of some places at a time.

    Args:
        places: from 0 on.
        ends: how many are of each place and those before it.
    """
    start = done = 0
    while start < len(ends):
        end = max(start + 1, bisect_right(ends, done + _TOGETHER))
        at = np.flatnonzero((places >= start) & (places < end))
        yield at[np.argsort(places[at], kind="stable")]
        let_go()
        start, done = end, ends[end - 1]


def check_readable(inputs: int = 0, unpacked: int = 0, packed: int = 0) -> None:
    """Raise OutputsFault where a file of answers would be larger than one that is read.

    Args:
        inputs: how many answers are kept to.
        unpacked: bytes of its text.
        packed: bytes of the file.
    """
    for found, most, what in (
        (inputs, MAX_INPUTS, "inputs"),
        (unpacked, MAX_UNPACKED, "bytes, unpacked"),
        (packed, MAX_PACKED, "bytes"),
    ):
        if found > most:
            raise OutputsFault(f"would have {found:,} {what}, and {most:,} are read at most")


class _ByInput(NamedTuple):
    """Answers as JSON, each once; the digests of inputs, rising, and which answer each got."""

    texts: list[bytes]
    inputs: Inputs
    answers: Positions


def _by_input(rows: Iterable[GroupRow]) -> _ByInput:
    """Return the answer to every input; of one that was answered otherwise later the last.

    A source was asked once, so that all its rows have one answer.
    """
    texts: dict[bytes, int] = {}
    codes = array("i")

    def asked() -> Iterator[Inputs]:
        for _, some, outputs in answered(packed(rows).texts()):
            kept = [
                (text, output)
                for text, output in zip(some, outputs, strict=True)
                if output is not None and len(output) < MAX_LINE
            ]
            codes.extend([texts.setdefault(output, len(texts)) for _, output in kept])
            yield _numbers(digests(text for text, _ in kept))

    known = in_file(asked(), np.uint64)
    of_each = mapped(np.frombuffer(codes, np.int32))
    last = in_file((at[_is_last(known[at])] for at in _rising(known)), np.int32)
    return _ByInput([*texts], elements_at(known, last), elements_at(of_each, last))


def _rising(known: Inputs) -> Iterator[Positions]:
    """Yield where inputs stand, rising, some at a time; those of one input in their order."""
    beginnings = known.astype("<u8", copy=False).view(np.uint8)[_WIDTH - 1 :: _WIDTH]
    for one in np.unique(beginnings).tolist():
        at = np.flatnonzero(beginnings == one)
        yield at[np.argsort(known[at], kind="stable")]
        let_go()


def _is_last(inputs: Inputs) -> Mask:
    """Return of rising inputs which are the last of their kind."""
    return np.append(inputs[1:] != inputs[:-1], np.ones(min(1, len(inputs)), np.bool_))


class Answered(NamedTuple):
    """Some inputs of rows, in columns: the cluster of each, its text, and its output's, if any."""

    clusters: Sequence[str]
    inputs: Sequence[bytes]
    outputs: Sequence[bytes | None]


def answered(rows: Iterable[RowTexts]) -> Iterator[Answered]:
    """Yield the inputs of a suite's rows, of some rows at a time; some come more than once.

    Labelled examples are no inputs of the suite.
    """
    coming = (row for row in rows if not is_labels(row.relation))
    sources: set[str] = set()
    # No name is given to rows, which would keep them beside what is taken of them.
    while (found := _inputs_of(list(islice(coming, _AT_ONCE)), sources)) is not None:
        yield found


def _inputs_of(rows: Sequence[RowTexts], sources: set[str]) -> Answered | None:
    """Return the inputs of rows, of sources that have not come yet as well; None of no rows."""
    if not rows:
        return None
    found: list[tuple[str, msgspec.Raw, msgspec.Raw | UnsetType]] = []
    for row in rows:
        cluster = row.cluster_key
        if row.source_id not in sources:  # it was asked once, whatever its groups
            if len(sources) >= _MOST_SOURCES:
                sources.clear()
            sources.add(row.source_id)
            found.append((cluster, row.source, row.source_output))
        if row.follow_up is not UNSET:
            found.append((cluster, row.follow_up, row.follow_up_output))
        if row.second is not UNSET:
            found.append((cluster, row.second, row.second_output))
    return Answered(
        [cluster for cluster, _, _ in found],
        [bytes(text) for _, text, _ in found],
        [None if output is UNSET else bytes(output) for _, _, output in found],
    )


def parse_outputs(data: bytes, baseline: Baseline) -> KeptOutputs:
    """Read packed answers and check that they belong to a baseline.

    Args:
        data: the file's bytes, as far as ``MAX_PACKED`` and one more.
        baseline: names the digest of their text.

    Raises:
        OutputsFault: too large, not gzip, cut off, of another baseline, or not as expected.
    """
    if len(data) > MAX_PACKED:
        raise OutputsFault(f"is larger than {MAX_PACKED} bytes")
    lines = _lines(data, baseline.answers_sha256)
    try:
        head = msgspec.json.decode(next(lines, b""), type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutputsFault(f"is not as expected ({reported(error)})") from None
    _check_head(head, baseline)
    return _kept(islice(lines, head.answers), lambda number: _lines_of_inputs(lines, number))


def _lines(data: bytes, expected: str) -> Iterator[bytes]:
    """Yield the lines of packed text, and check its digest at the end."""
    found, size = hashlib.sha256(), 0
    try:
        with GzipFile(fileobj=io.BytesIO(data)) as file:
            while line := file.readline(MAX_LINE + 1):
                size += len(line)
                if len(line) > MAX_LINE or size > MAX_UNPACKED:
                    raise OutputsFault("is larger than answers may be, unpacked")
                found.update(line)
                yield line.rstrip(b"\n")
    except (EOFError, zlib.error, BadGzipFile):
        raise OutputsFault("is cut off or not gzip") from None
    if found.hexdigest() != expected:
        raise OutputsFault("belongs to another baseline, or was changed")


def _check_head(head: _Head, baseline: Baseline) -> None:
    if head.format != FORMAT:
        raise OutputsFault(f"has format {head.format}, this release reads {FORMAT}")
    found = (head.suite_sha256, head.checkpoint_fingerprint)
    if found != (baseline.suite.sha256, baseline.first.checkpoint.fingerprint):
        raise OutputsFault("is of another suite or checkpoint than the baseline")


def _lines_of_inputs(lines: Iterator[bytes], answers: int) -> Iterator[bytes]:
    """Yield the inputs of every answer, and read the lines to their end.

    Raises:
        OutputsFault: they are not those of so many answers.
    """
    left = MAX_INPUTS * _WIDTH
    for _ in range(answers):
        line = next(lines, b"")
        if not _KNOWN.fullmatch(line):
            raise OutputsFault("is not as expected (an answer without its inputs)")
        left -= len(line)
        if left < 0:
            raise OutputsFault(f"has more than {MAX_INPUTS} inputs")
        yield line
    if next(lines, None) is not None:
        raise OutputsFault("is not as expected (inputs without an answer)")


def _kept(texts: Iterable[bytes], inputs: Callable[[int], Iterable[bytes]]) -> KeptOutputs:
    """Return answers that are read one after the other, and then the inputs of each.

    Args:
        texts: the JSON of each answer.
        inputs: returns the digests of the inputs of each, given how many answers there are.

    Raises:
        OutputsFault: two answers to one input, or as one of the two raises it.
        OSError: there is no room in the temporary folder.
    """
    sizes, of_each = array("q", [0]), array("i")

    def letters() -> Iterator[NDArray[np.uint8]]:
        for some in chunks(texts, _AT_ONCE):
            sizes.extend(map(len, some))
            yield np.frombuffer(b"".join(some), np.uint8)

    def digests_of_all() -> Iterator[Inputs]:
        for some in chunks(inputs(len(sizes) - 1), _LINES):
            of_each.extend(len(line) // _WIDTH for line in some)
            yield _numbers(b"".join(some))

    text = in_file(letters(), np.uint8)
    known = in_file(digests_of_all(), np.uint64)
    order = in_file(_rising(known), np.int32)
    rising = elements_at(known, order)
    ends = np.cumsum(np.array(of_each))
    places = (order[at : at + _TOGETHER] for at in range(0, len(order), _TOGETHER))
    answers = in_file((np.searchsorted(ends, at, side="right") for at in places), np.int32)
    let_go()
    if (rising[1:] == rising[:-1]).any():
        raise OutputsFault("has two answers to one input")
    return KeptOutputs(text, np.cumsum(np.array(sizes)), rising, answers)


def _numbers(known: bytes) -> Inputs:
    """Return digests that stand one after the other as numbers."""
    return np.frombuffer(known, ">u8").astype(np.uint64)
