"""A Python callable as a system under test, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.base.escaping import one_line, shorten
from mt_gate.base.figures import counted
from mt_gate.sut.processes import cpu_name
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.command import Unscored, head, key, settled_entities, settled_labels
from mt_gate.sut.systems.kinds import PYTHON
from mt_gate.tasks import boolq
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS

BATCH = 64
"""Inputs per call."""
Function = Callable[[list[Any]], Any]
_NAME = 200


class FunctionSystem(Unscored):
    """A callable that maps a list of inputs to a list of outputs.

    It gets an input with one text as that text, and any other as a dict of its texts (for task re
    also head and tail). Without a ``fingerprint``, none is reused.
    """

    def __init__(self, function: Function, task: str, fingerprint: str = "") -> None:
        """Wrap a callable for a task."""
        self._function, self._task = function, TASKS[task]
        self._form = _form_of(self._task)
        name = name_of(function)
        self._where = f"Function {name}"
        self.head = head(name, PYTHON, fingerprint=fingerprint, cpu=cpu_name())
        self.cache_key = key(PYTHON, task, name, fingerprint=fingerprint)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input, ``BATCH`` at a time. Raises CannotJudge."""
        for start in range(0, len(inputs), BATCH):
            batch = inputs[start : start + BATCH]
            outputs = self._call([self._argument(value) for value in batch], start)
            yield [
                (number, self._settled(number, value, output))
                for number, (value, output) in enumerate(zip(batch, outputs, strict=True), start)
            ]

    def _argument(self, value: Input) -> Any:
        names = (*self._task.names(value), *self._task.marks)
        return {name: value[name] for name in names} if len(names) > 1 else value[names[0]]

    def _call(self, batch: list[Any], start: int) -> list[Any]:
        try:
            outputs = self._function(batch)
            listed = None if isinstance(outputs, str | bytes | Mapping) else [*outputs]
        except Exception as error:
            raise CannotJudge(
                f"{self._where} failed on inputs {start} to {start + len(batch) - 1} "
                f"({type(error).__name__}: {reported(error)}). Fix the function."
            ) from error
        if listed is None or len(listed) != len(batch):
            number = "no list" if listed is None else counted(len(listed), "output")
            raise CannotJudge(
                f"{self._where} returned {number} for {counted(len(batch), 'input')}. Expected a "
                "list with one output per input. Fix the function."
            )
        return listed

    def _settled(self, number: int, value: Input, output: Any) -> Prediction:
        where = f"{self._where}, input {number}:"
        try:
            return self._form.settle(value, _plain(output), where)
        except (TypeError, ValueError):
            raise CannotJudge(
                f"{where} returned {quoted(output)}. Expected {self._form.expected}. Fix the "
                "function."
            ) from None


def name_of(function: object) -> str:
    """Return the name of a callable in messages and reports."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return shorten(one_line(str(name)), _NAME)


def _plain(output: Any) -> Any:
    """Return a scalar of NumPy or PyTorch as a Python number; other values unchanged."""
    with suppress(ValueError, RuntimeError, TypeError):
        return output.item() if hasattr(output, "item") else output
    return output


def _entities(value: Input, output: Any, where: str) -> Prediction:
    if isinstance(output, str | Mapping):
        raise TypeError
    entities = []
    for start, end, label in output:
        if not (isinstance(start, Integral) and isinstance(end, Integral)):
            raise TypeError
        if not isinstance(label, str):
            raise TypeError
        entities.append((int(start), int(end), str(label)))
    return settled_entities(value["text"], entities, where)


def _labels(_: Input, output: Any, where: str) -> Prediction:
    scores: dict[str, float] = {}
    match output:
        case str():
            labels = [output]
        case Mapping():
            scores = _scores(output)
            labels = [max(scores, key=scores.__getitem__)]
        case _:
            labels = [*output]
    if not all(isinstance(label, str) for label in labels):
        raise TypeError
    return settled_labels([*map(str, labels)], scores, where)


def _scores(output: Mapping[Any, Any]) -> dict[str, float]:
    scores = {name: _plain(score) for name, score in output.items()}
    fit = (isinstance(name, str) and isinstance(score, Real) for name, score in scores.items())
    if not scores or not all(fit):
        raise TypeError
    return {str(name): float(score) for name, score in scores.items()}


def _answer(_: Input, output: Any, __: str) -> Prediction:
    if isinstance(output, bool):
        return Prediction({"answer": boolq.YES if output else boolq.NO})
    if output in (boolq.YES, boolq.NO):
        return Prediction({"answer": str(output)})
    if not isinstance(output, Real) or not 0 <= float(output) <= 1:
        raise TypeError
    score = float(output)
    return Prediction({"answer": boolq.YES if score >= 0.5 else boolq.NO, "score": score})


def _relation(value: Input, output: Any, where: str) -> Prediction:
    if not isinstance(output, str | Mapping):
        raise TypeError
    prediction = _labels(value, output, where).output
    assert prediction is not None, "a label is never missing"
    label = prediction["labels"][0]
    scores = prediction["scores"]
    return Prediction({"relation": label} | ({"score": scores[label]} if scores else {}))


class _Form(NamedTuple):
    """How the outputs of a task are read, and what is expected, in words."""

    settle: Callable[[Input, Any, str], Prediction]
    expected: str


def _form_of(task: TaskSpec) -> _Form:
    if task.spans:
        return _Form(_entities, "a list of (start, end, label)")
    if task.answers:
        return _Form(_answer, "a bool, 'yes', 'no', or the probability of yes")
    if task.marks:
        return _Form(_relation, "a label, or a dict of label and score")
    return _Form(_labels, "a label, a list of labels, or a dict of label and score")
