"""Yes-no questions with their answers: ``question``, ``passage`` and ``answer``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import Labelled, TaskEvaluation, Unfit, decoded_lines, sample_id
from mt_gate.tasks.boolq import NO, PASSAGE, QUESTION, YES

CAUSE = (
    "expected JSON lines with 'question', 'passage' and 'answer' (true, false, 'yes', 'no', or "
    "null to skip the line); fix the file of --labels"
)


class LabelledQuestion(NamedTuple):
    """A labelled question; ``answer`` is "yes" or "no"."""

    question: str
    passage: str
    answer: str


class _Line(msgspec.Struct):
    # A passage's title, where a file has one, is not part of the input: nothing reads it.
    question: str
    passage: str
    answer: bool | Literal["yes", "no"] | None


def labelled_questions(path: Path) -> Iterator[LabelledQuestion | None]:
    """Yield the question of each line; None for one whose answer is null.

    Raises:
        CannotJudge: missing, too large, or a line of another form.
    """
    for number, line in decoded_lines(path, _Line, cause=CAUSE):
        for name in ("question", "passage"):
            if not getattr(line, name).strip():
                raise CannotJudge(f"{path}: line {number}: {name} is empty; {CAUSE}")
        if line.answer is None:
            yield None
        else:
            yield LabelledQuestion(
                line.question, line.passage, YES if line.answer in (True, YES) else NO
            )


def _samples(path: Path) -> Iterator[Labelled | Unfit]:
    for question in labelled_questions(path):
        if question is None:
            yield Unfit("no answer")
        else:
            value = {QUESTION: question.question, PASSAGE: question.passage}
            yield Labelled(sample_id(value), value, {"answer": question.answer})


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    return ((output["answer"], None),)


EVALUATION = TaskEvaluation(_samples, _items, pooled=False, named=False)
