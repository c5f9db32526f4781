"""Any program as a system under test: JSON lines over standard input and output.

docs/systems.md describes the lines. Replies are checked and converted to outputs of the task.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.base.escaping import SECRET_NAME, hide, one_line, shorten
from mt_gate.base.files import canonical, sha256_file
from mt_gate.domain import NotApplicable
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.sut.processes import MODEL_PLACES, Program, allowed, cpu_name
from mt_gate.sut.protocol import Noise, Prediction, ProgramPlace
from mt_gate.tasks import boolq, ner, text
from mt_gate.tasks.spec import TaskSpec

SHOWN, LONGEST_FAILURE = 120, 500
"""Maximum characters of a line that a message quotes, and of a program's failure text."""
MAX_ENTITY_LABEL, MAX_LABEL, MOST_LABELS = 100, 256, 10_000
"""Maximum characters of an entity's label, of a text's label; maximum labels of a prediction."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Fingerprint = Annotated[str, msgspec.Meta(max_length=200)]
Cost = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Unscored:
    """A system that reports no margins.

    Its predictions have an infinite ``margin``, and it has no noise, so that no case counts as
    unstable.
    """

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        """Return no noise: there is no margin to compare it with."""
        return {}

    def close(self) -> None:
        """Release what the system uses; most use nothing."""


def head(
    name: str, provider: str, *, fingerprint: str = "", device: str = "", cpu: str = ""
) -> CheckpointHead:
    """Return the metadata of a system; fields that are unknown stay empty."""
    runtime = Runtime(provider=provider, precision="", device=device, onnxruntime="", cpu=cpu)
    return CheckpointHead(name=name, fingerprint=fingerprint, runtime=runtime)


def key(kind: str, *parts: object, fingerprint: str) -> str:
    """Return a cache key of a system.

    Without a fingerprint, the system may change under the same name. Then the key has the UTC date:
    a stopped run can continue that day, and later runs predict again.
    """
    day = "" if fingerprint else datetime.now(UTC).date().isoformat()
    return canonical([kind, fingerprint, day, *parts]).decode()


def settled_entities(
    value: str, predicted: Iterable[tuple[int, int, str]], system: str
) -> Prediction:
    """Return the prediction for a text: its entities, sorted and disjoint.

    Of overlapping entities, the longest stays; of equally long ones, the first in the text. Of two
    labels for one span, the first stays. Offsets are in code points, the end exclusive. Raises
    CannotJudge.
    """
    entities = list(predicted)
    for start, end, label in entities:
        if not 0 <= start < end <= len(value):
            raise CannotJudge(
                f"{system} returned an entity from {start} to {end}, but the text ends at "
                f"{len(value)}. Expected offsets in code points, with start < end. Fix the "
                "predictions."
            )
        if not label.strip() or len(label) > MAX_ENTITY_LABEL:
            raise CannotJudge(
                f"{system} returned the entity label {quoted(label, MAX_ENTITY_LABEL)}. Expected 1 "
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
    """Return a prediction of these labels, each once, highest score first. Raises CannotJudge."""
    if len(labels) > MOST_LABELS or len(scores) > MOST_LABELS:
        raise CannotJudge(
            f"{system} returned more than {MOST_LABELS:,} labels for an input. Return fewer."
        )
    for label in (*labels, *scores):
        if not label.strip() or len(label) > MAX_LABEL:
            raise CannotJudge(
                f"{system} returned the label {quoted(label, 100)}. Expected 1 to {MAX_LABEL} "
                "characters that are not all spaces. Fix the predictions."
            )
    for label, score in scores.items():
        if not 0 <= score <= 1:
            raise CannotJudge(
                f"{system} returned the score {score:g} for {quoted(label, 100)}. Expected 0 to 1. "
                "Fix the predictions."
            )
    ordered = sorted(dict.fromkeys(labels), key=lambda label: -scores.get(label, 0.0))
    return Prediction({"labels": ordered, "scores": dict(scores)})


class Identity(msgspec.Struct, frozen=True):
    """Name and fingerprint of a command; without a fingerprint, predictions may change.

    ``labels`` are the labels that it can predict, empty if it does not state them.
    """

    name: Name
    fingerprint: Fingerprint = ""
    labels: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1000)] = ()


class Line(msgspec.Struct, frozen=True):
    """A line of a command: a reply to request ``id``, or its identity.

    ``truncated``: the text was too long for a prediction. ``unanswered``: a language model's
    ``reply`` has no prediction. ``unstable``: the same input got several predictions. ``cost``:
    what the prediction cost. ``failure``: why the program cannot continue.
    """

    id: Number | None = None
    system: Identity | None = None
    truncated: bool = False
    unanswered: bool = False
    unstable: bool = False
    cost: Cost = 0.0
    failure: str = ""
    reply: str = ""


class EntityLine(Line, frozen=True):
    """Entities: start, end, label."""

    entities: list[tuple[Number, Number, str]] | None = None


class LabelLine(Line, frozen=True):
    """Labels, and scores of labels if the command has some."""

    labels: list[str] | None = None
    scores: dict[str, float] | None = None


class AnswerLine(Line, frozen=True):
    """The answer, and the probability of yes if the command has one."""

    answer: Literal["yes", "no"] | None = None
    score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None


class Exchange(NamedTuple):
    """Format of a command's requests and replies for a task.

    ``kind`` is the type of a reply, ``field`` its required field, and ``example`` a reply to show
    in messages. ``settled`` makes a prediction from an input, its reply and the system's name. It
    raises CannotJudge if the reply does not fit the input.
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

ANSWER = Exchange(
    boolq.TASK,
    AnswerLine,
    "answer",
    '{"id": n, "answer": "yes" or "no", "score": probability of yes}',
    lambda _, line, __: Prediction(
        {"answer": line.answer} | ({} if line.score is None else {"score": line.score})
    ),
)


def read_line(line: bytes, command: str, exchange: Exchange) -> Identity | Line:
    """Read one line of a command's output: its identity, or a reply. Raises CannotJudge."""
    why = ""
    try:
        read = msgspec.json.decode(line, type=exchange.kind)
        if read.failure:
            raise CannotJudge(
                f"{command}: {shorten(one_line(hide(read.failure)), LONGEST_FAILURE)}"
            )
        answered = read.truncated or read.unanswered or getattr(read, exchange.field) is not None
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


WINDOW = 64
"""Maximum requests that wait for a reply: enough for batches, but little memory."""


class CommandSystem(Unscored):
    """A program that replies to each line with a line.

    ``requests`` is the number of requests so far, and ``cost`` their total cost as reported.
    ``unread_reply`` is the beginning of a language model's first reply without a prediction.
    """

    cost = 0.0
    unread_reply = ""

    def __init__(
        self,
        command: str,
        timeout: float,
        environment: Sequence[str] = (),
        exchange: Exchange = ENTITIES,
        place: ProgramPlace | None = None,
        title: str = "",
        first: bytes = b"",
    ) -> None:
        """Start the program and send it one short input, so that a wrong program fails early.

        ``command`` is quoted as for a shell, but no shell runs it. ``environment`` names further
        variables to pass. Messages call the program ``title``, by default its file name. It gets
        the line ``first`` before the requests. Raises UsageError and CannotJudge.
        """
        self._exchange = exchange
        folder = place.folder if place else Path.cwd()
        original = arguments = _split(command)
        variables = allowed(os.environ, environment)
        if place:
            arguments = [*map(place.moved, arguments)]
            variables = {name: place.moved(value) for name, value in variables.items()}
        files = _files(arguments, folder)
        script = any(name == arguments[1] for name, _ in files) if arguments[1:] else False
        program = Path(original[int(script)]).name[:100] or "program"
        self._where = title or f"command {program}"
        self._timeout = timeout
        self.requests = 0
        self._lines: list[bytes] = []
        # Hash variables that may name the model; JSON turns any bytes into ASCII.
        names = {name for name in (*environment, *MODEL_PLACES) if not SECRET_NAME.search(name)}
        listed = json.dumps(sorted(item for item in variables.items() if item[0] in names))
        named = hashlib.sha256(listed.encode()).hexdigest()
        self._child = Program(arguments, self._where, variables, place.folder if place else None)
        try:
            identity = Identity(title or program)
            probe = self._exchange.task.probe
            if first:
                self._child.send(first)
            waiting = {self._ask(probe): 0}
            first = self._next_line()
            introduced = read_line(first, self._where, self._exchange)
            if isinstance(introduced, Identity):
                identity = introduced
            else:
                self._lines.append(first)
            self._answer([probe], waiting)
            name, mark = identity.name, identity.fingerprint
            self.head = head(name, "command", fingerprint=mark, cpu=cpu_name())
            self.labels = identity.labels
            # Two programs may state the same fingerprint, and a variable may name the model, so
            # the key covers files and variables as well.
            exchanged = [] if exchange is ENTITIES else [exchange.field]
            parts = [arguments, files, os.getcwd(), named, name, *exchanged]
            self.cache_key = key("command", *parts, fingerprint=mark)
        except BaseException:
            self._child.kill()
            raise

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict all inputs; yield each prediction when it arrives."""
        try:
            waiting: dict[int, int] = {}
            sent = 0
            while sent < len(inputs) or waiting:
                while sent < len(inputs) and len(waiting) < WINDOW:
                    waiting[self._ask(inputs[sent])] = sent
                    sent += 1
                yield [self._answer(inputs, waiting)]
        except BaseException:
            self._child.kill()
            raise

    def close(self) -> None:
        """End the program and its children."""
        self._child.end()

    def _ask(self, value: Mapping[str, Any]) -> int:
        number = self.requests
        self.requests += 1
        texts = {name: value[name] for name in self._exchange.task.names(value)}
        self._child.send(msgspec.json.encode({"id": number, **texts}) + b"\n")
        return number

    def _answer(
        self, inputs: Sequence[Mapping[str, Any]], waiting: dict[int, int]
    ) -> tuple[int, Prediction]:
        answer = read_line(self._next_line(), self._where, self._exchange)
        if isinstance(answer, Identity):
            raise CannotJudge(
                f'{self._where} wrote a "system" line later than its first line. Fix the program.'
            )
        number = answer.id
        assert number is not None, "an answer has one"
        if number not in waiting:
            twice = 0 <= number < self.requests
            what = "replied twice to request" if twice else "replied to an unknown request,"
            raise CannotJudge(
                f"{self._where} {what} {number}. Expected one reply per request, with its id. Fix "
                "the program."
            )
        index = waiting.pop(number)
        self.cost += answer.cost
        if answer.truncated:
            return index, Prediction(None, reason=NotApplicable.TRUNCATED)
        if answer.unanswered:
            self.unread_reply = self.unread_reply or shorten(one_line(hide(answer.reply)), SHOWN)
            return index, Prediction(None, reason=NotApplicable.UNANSWERED)
        prediction = self._exchange.settled(inputs[index], answer, self._where)
        return index, prediction._replace(margin=0.0) if answer.unstable else prediction

    def _next_line(self) -> bytes:
        if not self._lines:
            self._lines = self._child.lines(self._timeout)[::-1]
        return self._lines.pop()


def _split(command: str) -> list[str]:
    if os.name != "posix":
        raise UsageError("--system command: needs Linux or macOS. Run mt-gate in a container.")
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"mt-gate cannot split --system command:{command} into arguments ({error}). Fix its "
            "quotes."
        ) from None
    if not arguments:
        raise UsageError("--system command: has no program. Expected command:PROGRAM ARGUMENTS")
    return arguments


def _files(arguments: Sequence[str], folder: Path) -> list[list[str]]:
    """Return the program and the arguments that name files, each with its sha256."""
    files = []
    for name in (shutil.which(arguments[0]), *arguments[1:]):
        with contextlib.suppress(OSError, ValueError):  # no file, or no path at all
            if name and (folder / name).is_file():
                files.append([name, sha256_file(folder / name)])
    return files
