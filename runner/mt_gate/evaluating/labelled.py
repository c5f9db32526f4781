"""What a user knows to be right: inputs of a task with their gold outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.base.lazy import resolve
from mt_gate.running.predicting import input_key
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from mt_gate.evaluating.relation_labels import LabelFormat
    from mt_gate.evaluating.relation_part import RelationPart
import codecs
import io
from typing import TypeVar

import msgspec

from mt_gate.base.errors import reported
from mt_gate.base.jsonio import MAX_LINE, MAX_LINES, read_bytes, read_gzip_lines

AGAIN = "seen before"
TWO_WAYS = "labelled in two ways"


class Labelled(NamedTuple):
    """An input with its gold output, both in the task's form; ``id`` is of the input alone.

    Samples of one ``cluster`` are not independent of one another; where it is empty
    a sample stands alone.
    """

    id: str
    input: Mapping[str, Any]
    gold: Mapping[str, Any]
    cluster: str = ""


class LabelledFile(NamedTuple):
    """The samples of a file, in its order, each input once; ``left_out`` counts lines by reason."""

    samples: list[Labelled]
    left_out: Mapping[str, int]


class Unfit(NamedTuple):
    """A line that is no sample, and why."""

    reason: str


class TaskEvaluation(NamedTuple):
    """How a task is evaluated on labels.

    Args:
        read: the samples of a file, in its order.
        items: of a gold or given output, what is found or missed, each with
            its label: an entity with its place, an answer.
        pooled: whether the figures of all labels together say more than accuracy.
        named: whether a checkpoint brings label names of its own, which may not
            be those of the labelled file.
        part: given the file, a table of labels and how the file is read, what of an
            evaluation is this task's alone.
    """

    read: Callable[[Path], Iterator[Labelled | Unfit]]
    items: Callable[[Mapping[str, Any]], Iterable[tuple[str, object]]]
    pooled: bool
    named: bool
    part: Callable[[Path, Path | None, LabelFormat], RelationPart] | None = None

    def samples(self, path: Path, task: str) -> list[Labelled]:
        """Return the samples of a file in mt-gate's own form, as an evaluation takes them.

        Raises:
            CannotJudge: missing, too large, a line of another form, or no sample left.
        """
        from mt_gate.evaluating.relation_labels import LabelFormat

        if self.part is None:
            return read_labelled(path, task).samples
        return self.part(path, None, LabelFormat()).found.samples


def evaluation_of(task: str) -> TaskEvaluation:
    """Return how a task is evaluated.

    Raises:
        UsageError: a task that has no labelled files.
    """
    spec = TASKS.get(task)
    if spec is None or not spec.evaluation:
        known = ", ".join(name for name, spec in TASKS.items() if spec.evaluation)
        raise UsageError(f"--task {task}: expected a task with labels: {known}")
    found: TaskEvaluation = resolve(spec.evaluation)
    return found


def read_labelled(path: Path, task: str) -> LabelledFile:
    """Return the labelled inputs of a file, and how many of its lines are no sample.

    Args:
        path: JSON lines, plain or ``.gz``; for ``ner`` with ``tokens`` and ``tags``, or ``text``
            and ``entities`` (``[start, end, label]``); for ``boolq`` with ``question``,
            ``passage`` and ``answer``; for ``re`` those of ``relation_labels.py``. An input
            that comes again counts once, one with two labels not at all.
        task: the task's id.

    Raises:
        UsageError: a task that has no labelled files.
        CannotJudge: missing, too large, a line of another form, or no sample left.
    """
    read = evaluation_of(task).read
    found: dict[str, Labelled] = {}
    two_ways: set[str] = set()
    left_out: Counter[str] = Counter()
    for item in read(path):
        if isinstance(item, Unfit):
            left_out[item.reason] += 1
        elif item.id in two_ways:
            left_out[TWO_WAYS] += 1
        elif found.setdefault(item.id, item).gold != item.gold:
            del found[item.id]
            two_ways.add(item.id)
            left_out[TWO_WAYS] += 2
        elif found[item.id] is not item:
            left_out[AGAIN] += 1
    if not found:
        told = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
        raise CannotJudge(
            f"{path}: no labelled input ({told or 'no line'}); expected one at least; "
            "name another file of --labels"
        )
    return LabelledFile([*found.values()], dict(sorted(left_out.items())))


def sample_id(value: Mapping[str, Any]) -> str:
    """Return the id of an input: 32 hex digits of a hash of its content."""
    return input_key(canonical(value)).hex()


T = TypeVar("T")

MAX_LABELS = 256 << 20
"""Bytes of a file's text, unpacked."""


def decoded_lines(path: Path, kind: type[T], *, cause: str) -> Iterator[tuple[int, T]]:
    """Yield the number, counted from 1, and the record of each line that is not blank.

    Args:
        path: JSON lines; gzip where its name ends in ``.gz``.
        kind: what a line is decoded to.
        cause: what was expected and what to do, closing each message.

    Raises:
        CannotJudge: missing, too large, or a line of another form.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(_lines(path, cause), 1):
        if number > MAX_LINES:
            raise CannotJudge(f"{path}: more than {MAX_LINES} lines, empty ones counted; {cause}")
        if not line.strip():
            continue
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(f"{path}: line {number}: {reported(error)}; {cause}") from None


def _lines(path: Path, cause: str) -> Iterable[bytes]:
    if path.suffix == ".gz":
        return _unpacked(path, cause)
    data = read_bytes(path, limit=MAX_LABELS, cause=cause).removeprefix(codecs.BOM_UTF8)
    return _split(path, data, cause)


def _split(path: Path, data: bytes, cause: str) -> Iterator[bytes]:
    """Yield lines one by one: a list of empty ones would take many times the file."""
    for line in io.BytesIO(data):
        if len(line) > MAX_LINE:
            raise CannotJudge(f"{path}: a line has more than {MAX_LINE} bytes; {cause}")
        yield line


def _unpacked(path: Path, cause: str) -> Iterator[bytes]:
    size = 0
    for line in read_gzip_lines(path, cause=cause):
        size += len(line) + 1
        if size > MAX_LABELS:
            raise CannotJudge(
                f"{path}: more than {MAX_LABELS} bytes unpacked, as many expected at most; {cause}"
            )
        yield line
