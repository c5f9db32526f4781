"""What systems without a checkpoint answer, made what the task asks for, and a command's lines.

docs/systems.md describes the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, page, quoted
from mt_gate.base.jsonio import canonical
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.tasks import ner, text
from mt_gate.tasks.spec import TaskSpec

SHOWN = 120
"""Characters of a line that a message quotes."""
MAX_ENTITY_LABEL, MAX_LABEL, MOST_LABELS = 100, 256, 10_000
"""Characters of a label of an entity and of a text, and labels of an answer."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Fingerprint = Annotated[str, msgspec.Meta(max_length=200)]
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Unscored:
    """A system whose answers come without scores.

    How close an answer was to another is not known: the ``margin`` of its predictions stays
    infinite and it has no noise, so that no group counts as unstable.
    """

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        """Return nothing: there is no score that could differ."""
        return {}

    def close(self) -> None:
        """Release what the system uses; most use nothing."""


def head(
    name: str, provider: str, *, fingerprint: str = "", device: str = "", cpu: str = ""
) -> CheckpointHead:
    """Return who answers; what a system does not know of itself stays empty."""
    runtime = Runtime(provider=provider, precision="", device=device, onnxruntime="", cpu=cpu)
    return CheckpointHead(name=name, fingerprint=fingerprint, runtime=runtime)


def key(kind: str, *parts: object, fingerprint: str) -> str:
    """Return a cache key of a system.

    Without a fingerprint nobody can tell whether it is still the same system behind one name: then
    the key holds the UTC date, so that a run can be taken up again but answers expire.
    """
    day = "" if fingerprint else datetime.now(UTC).date().isoformat()
    return canonical([kind, fingerprint, day, *parts]).decode()


def settled_entities(
    value: str, predicted: Iterable[tuple[int, int, str]], system: str
) -> Prediction:
    """Return the answer to a text: entities sorted, disjoint, in the text.

    Of entities that overlap, the longest stays; of equally long ones the first in the text; of two
    labels for one span the one named first. Offsets are in code points, the end exclusive. Raises
    CannotJudge.
    """
    entities = list(predicted)
    for start, end, label in entities:
        if not 0 <= start < end <= len(value):
            raise CannotJudge(
                f"{system}: an entity at {start} to {end} of a text of {len(value)} characters. "
                "Expected offsets in code points, the end exclusive, with a character between. "
                "Fix the predictions."
            )
        if not label.strip() or len(label) > MAX_ENTITY_LABEL:
            raise CannotJudge(
                f"{system}: an entity has the label {quoted(label, MAX_ENTITY_LABEL)}. Expected 1 "
                f"to {MAX_ENTITY_LABEL} characters that are not all spaces. Fix the predictions."
            )
    taken, disjoint = bytearray(len(value)), []
    for start, end, label in sorted(
        entities, key=lambda entity: (entity[0] - entity[1], entity[0])
    ):
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            disjoint.append((start, end, label))
    return Prediction({"entities": [list(entity) for entity in sorted(disjoint)]})


def settled_labels(labels: Sequence[str], scores: Mapping[str, float], system: str) -> Prediction:
    """Return the answer of these labels, each once, the likeliest first. Raises CannotJudge."""
    if len(labels) > MOST_LABELS or len(scores) > MOST_LABELS:
        raise CannotJudge(
            f"{system}: a prediction has more than {MOST_LABELS:,} labels. Return less."
        )
    for label in (*labels, *scores):
        if not label.strip() or len(label) > MAX_LABEL:
            raise CannotJudge(
                f"{system}: label {quoted(label, 100)} is not valid. Expected 1 to {MAX_LABEL} "
                "characters that are not all spaces. Fix the predictions."
            )
    for label, score in scores.items():
        if not 0 <= score <= 1:
            raise CannotJudge(
                f"{system}: the score of {quoted(label, 100)} is {score:g}. Expected 0 to 1. Fix "
                "the predictions."
            )
    ordered = sorted(dict.fromkeys(labels), key=lambda label: -scores.get(label, 0.0))
    return Prediction({"labels": ordered, "scores": dict(scores)})


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


class Exchange(NamedTuple):
    """What a command reads and answers in a task.

    ``kind`` is the line that answers, ``field`` the one that it must have, ``example`` such a line
    for messages. ``settled`` turns input, answer and who answered into a prediction; it raises
    CannotJudge where the answer does not fit the input.
    """

    task: TaskSpec
    kind: type[Line]
    field: str
    example: str
    settled: Callable[[Mapping[str, Any], Any, str], Prediction]


ENTITIES = Exchange(
    ner.TASK,
    EntityLine,
    "entities",
    '{"id": n, "entities": [[start, end, label], ...]}',
    lambda value, line, where: settled_entities(value["text"], line.entities or (), where),
)
LABELS = Exchange(
    text.TASK,
    LabelLine,
    "labels",
    '{"id": n, "labels": [label, ...], "scores": {label: score}}',
    lambda _, line, where: settled_labels(line.labels or (), line.scores or {}, where),
)


def read_line(line: bytes, command: str, exchange: Exchange) -> Identity | Line:
    """Read one line of a command's output: who it is, or an answer. Raises CannotJudge."""
    why = ""
    try:
        read = msgspec.json.decode(line, type=exchange.kind)
        answered = read.truncated or getattr(read, exchange.field) is not None
        if read.system is not None and read.id is None and not answered:
            return read.system
        if read.id is not None and answered and read.system is None:
            return read
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = f" ({error})"
    shown = quoted(line.decode("utf-8", "replace"), SHOWN)
    raise CannotJudge(
        f"{command} wrote {shown}{why}. Expected a line {exchange.example}. Write nothing else to "
        f"standard output: {page('systems', 'a-command')}"
    )
