"""The lines that a command reads and writes; docs/systems.md is their description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems import entities, labels
from mt_gate.tasks import ner, text
from mt_gate.tasks.spec import TaskSpec

SHOWN = 120
"""Characters of a line that a message quotes."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Fingerprint = Annotated[str, msgspec.Meta(max_length=200)]
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Identity(msgspec.Struct, frozen=True):
    """Who a command says it is; without a fingerprint its answers may change between runs."""

    name: Name
    fingerprint: Fingerprint = ""


class Line(msgspec.Struct, frozen=True):
    """A line of a command: an answer to request ``id``, or who it is.

    ``truncated`` says that the text was too long to be answered.
    """

    id: Number | None = None
    system: Identity | None = None
    truncated: bool = False


class EntityLine(Line, frozen=True):
    """Entities: start, end, label."""

    entities: list[tuple[Number, Number, str]] | None = None


class LabelLine(Line, frozen=True):
    """Labels, and scores of labels if the command has some."""

    labels: list[str] | None = None
    scores: dict[str, float] | None = None


class Answer(NamedTuple):
    """The answer to request ``id``."""

    id: int
    line: Line


class Exchange(NamedTuple):
    """What a command is asked and answers in a task."""

    task: TaskSpec
    kind: type[Line]
    field: str
    example: str
    settled: Callable[[Mapping[str, Any], Any, str], Prediction]


def _entities(value: Mapping[str, Any], line: EntityLine, where: str) -> Prediction:
    return entities.settled(value["text"], line.entities or (), where)


def _labels(_: Mapping[str, Any], line: LabelLine, where: str) -> Prediction:
    return labels.settled(line.labels or (), line.scores or {}, where)


ENTITIES = Exchange(
    ner.TASK,
    EntityLine,
    "entities",
    '{"id": n, "entities": [[start, end, label], ...]}',
    _entities,
)
LABELS = Exchange(
    text.TASK,
    LabelLine,
    "labels",
    '{"id": n, "labels": [label, ...], "scores": {label: score}}',
    _labels,
)


def request(number: int, value: Mapping[str, Any], exchange: Exchange) -> bytes:
    """Return the line that asks for the answer to an input."""
    texts = {name: value[name] for name in exchange.task.names(value)}
    return msgspec.json.encode({"id": number, **texts}) + b"\n"


def read_line(line: bytes, command: str, exchange: Exchange) -> Identity | Answer:
    """Read one line of a command's output.

    Raises CannotJudge: not JSON, or neither an answer nor a word on who it is.
    """
    try:
        read = msgspec.json.decode(line, type=exchange.kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unfit(command, line, f" ({error})", exchange) from None
    answered = read.truncated or getattr(read, exchange.field) is not None
    if read.system is not None and read.id is None and not answered:
        return read.system
    if read.id is None or not answered or read.system is not None:
        raise _unfit(command, line, "", exchange)
    return Answer(read.id, read)


def _unfit(command: str, line: bytes, why: str, exchange: Exchange) -> CannotJudge:
    shown = quoted(line.decode("utf-8", "replace"), SHOWN)
    return CannotJudge(
        f"{command}: wrote {shown}{why}; expected a line {exchange.example}; write nothing else "
        "to standard output (docs/systems.md)"
    )
