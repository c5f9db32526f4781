"""Which architectures can be exported for a task, and in which input form.

An architecture is told by the end of its class's name: the part before it is
the family (BERT, RoBERTa, ...), which transformers' own loaders know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.lazy import resolve
from mt_gate.sut.input_form import InputForm
from mt_gate.tasks.table import TASKS


class ModelHead(NamedTuple):
    """A kind of architecture: how its name ends, its input form, and what loads it."""

    ending: str
    form: str
    auto: str


Config = Mapping[str, Any]
Answers = Mapping[str, str]


def no_answers(labels: tuple[str, ...], form: str) -> Answers:  # noqa: ARG001
    """Return nothing: the task's answers are its checkpoints' labels."""
    return {}


def form_alone(path: Path, head: ModelHead) -> InputForm:  # noqa: ARG001
    """Return the form of the head, which says all."""
    return InputForm(input_form=head.form)


class TaskExport(NamedTuple):
    """How Hugging Face checkpoints for a task are read.

    Args:
        heads: the architectures; the first that fits is taken.
        labels: given folder, configuration, input form and the user's words for
            the answers, the names of the scores, and which of them are answers.
            Raises CannotJudge where labels do not fit the task.
        usual_answers: given labels and input form, which of them are answers
            where the user says nothing; empty where that is unknown.
        reading: the input form of a folder, with its data.
    """

    heads: tuple[ModelHead, ...]
    labels: Callable[[Path, Config, str, Answers], tuple[tuple[str, ...], Answers]]
    usual_answers: Callable[[tuple[str, ...], str], Answers] = no_answers
    reading: Callable[[Path, ModelHead], InputForm] = form_alone


_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)


def export_of(task: str) -> TaskExport:
    """Return how a task's checkpoints are read.

    Raises:
        UsageError: a task without exports.
    """
    spec = TASKS[task]
    if not spec.export:
        known = ", ".join(name for name, spec in TASKS.items() if spec.export)
        raise UsageError(f"task {task}: checkpoints for it cannot be exported yet; tasks: {known}")
    found: TaskExport = resolve(spec.export)
    return found


def architecture_of(path: Path, config: Config, task: str) -> tuple[str, ModelHead]:
    """Return the architecture's name and kind.

    Raises:
        CannotJudge: an architecture for something else.
        UsageError: a task without exports.
    """
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else "none"
    if not (isinstance(name, str) and _CLASS.fullmatch(name)):
        raise CannotJudge(
            f"{path}: architectures begins with {str(name)[:60]!r}; expected the name of a class; "
            "save the checkpoint again"
        )
    heads = export_of(task).heads
    for head in heads:
        if name.endswith(head.ending):
            return name, head
    endings = " or ".join(head.ending for head in heads)
    raise CannotJudge(
        f"{path}: architecture {name}; task {task} expects one that ends in {endings}; "
        "name the right checkpoint or the right --task"
    )
