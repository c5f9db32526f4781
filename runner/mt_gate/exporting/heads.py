"""Which architectures can be exported for a task, and in which input form.

The end of a class's name says what an architecture is for; the part before it is the family (BERT,
RoBERTa, ...), which transformers' own loaders know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.lazy import resolve
from mt_gate.sut.card import LONGEST_LABEL, MOST_LABELS
from mt_gate.sut.input_form import InputForm
from mt_gate.tasks.table import TASKS

Config = Mapping[str, Any]
Answers = Mapping[str, str]


class ModelHead(NamedTuple):
    """A kind of architecture: how its name ends, its input form, and what loads it."""

    ending: str
    form: str
    auto: str


class TaskExport(NamedTuple):
    """How Hugging Face checkpoints for a task are read."""

    heads: tuple[ModelHead, ...]
    labels: Callable[[Path, Config, str, Answers], tuple[tuple[str, ...], Answers]]
    reading: Callable[[Path, Config, ModelHead], InputForm]


_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)


def export_of(task: str) -> TaskExport:
    """Return how a task's checkpoints are read. Raises UsageError: a task without exports."""
    spec = TASKS[task]
    if not spec.export:
        known = ", ".join(name for name, spec in TASKS.items() if spec.export)
        raise UsageError(f"task {task}: checkpoints for it cannot be exported yet; tasks: {known}")
    found: TaskExport = resolve(spec.export)
    return found


def architecture_of(path: Path, config: Config, task: str) -> tuple[str, ModelHead]:
    """Return the architecture's name and kind.

    Raises CannotJudge: an architecture for something else. UsageError: a task without exports.
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
        f"{path}: architecture {name}; task {task} expects one that ends in {endings}; name the "
        "right checkpoint or the right --task"
    )


UNNAMED = {"0": "LABEL_0", "1": "LABEL_1"}
"""What save_pretrained() leaves out, since it is the default: two labels of these names."""


def label_names(path: Path, table: Any) -> tuple[str, ...]:
    """Return the names of the scores, in their order, of a table ``id2label``.

    Raises CannotJudge: it is none, or its texts are too many or too long.
    """
    found = table if isinstance(table, dict) else {}
    if len(found) > MOST_LABELS:
        raise CannotJudge(
            f"{path}: id2label has {len(found):,} labels; expected at most {MOST_LABELS:,}"
        )
    values = [found.get(str(index)) for index in range(len(found))]
    labels = tuple(value for value in values if isinstance(value, str))
    if not labels or len(labels) < len(values):
        raise CannotJudge(
            f"{path}: id2label is {str(table)[:80]}; expected a text for each label 0, 1, 2, ..."
        )
    longest = max(labels, key=len)
    if len(longest) > LONGEST_LABEL:
        raise CannotJudge(
            f"{path}: id2label has a label of {len(longest):,} characters ({longest[:40]}...); "
            f"expected at most {LONGEST_LABEL}"
        )
    return labels
