"""Which architectures can be exported for a task, and in which input form.

The end of a class's name is its purpose (``ForTokenClassification``). The part before it is the
family (BERT, RoBERTa, ...), which transformers' auto classes resolve.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.exporting.folder_files import CONFIG, INPUT_FORM, read_json
from mt_gate.sut.boolq import TEMPLATE, read_answers
from mt_gate.sut.card import LONGEST_LABEL, MOST_LABELS
from mt_gate.sut.input_form import InputForm
from mt_gate.sut.text_labels import activation_of
from mt_gate.tasks.boolq import NO, TEXT_TO_TEXT, YES
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.tag_scheme import read_tag_scheme
from mt_gate.tasks.text import NONE, ONE, PAIR, SIGMOID, SOFTMAX

Config = Mapping[str, Any]
Answers = Mapping[str, str]


class ModelHead(NamedTuple):
    """A kind of architecture: the end of its name, its input form, and the class that loads it."""

    ending: str
    form: str
    auto: str


class TaskExport(NamedTuple):
    """How to read Hugging Face checkpoints for a task."""

    heads: tuple[ModelHead, ...]
    labels: Callable[[Path, Config, str, Answers], tuple[tuple[str, ...], Answers]]
    reading: Callable[[Path, Config, ModelHead], InputForm]


_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)


def export_of(task: str) -> TaskExport:
    """Return how to read a task's checkpoints. Raises UsageError: the task has no exports."""
    spec = TASKS[task]
    if not spec.export:
        known = ", ".join(name for name, spec in TASKS.items() if spec.export)
        raise UsageError(f"mt-gate cannot export checkpoints for task {task}. Tasks: {known}.")
    resolved: TaskExport = resolve_name(spec.export)
    return resolved


def architecture_of(path: Path, config: Config, task: str) -> tuple[str, ModelHead]:
    """Return the architecture's name and kind. Raises CannotJudge and UsageError."""
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else "none"
    if not (isinstance(name, str) and _CLASS.fullmatch(name)):
        raise CannotJudge(
            f"{path}: architectures begins with {str(name)[:60]!r}. Expected the name of a class. "
            "Save the checkpoint again."
        )
    heads = export_of(task).heads
    for head in heads:
        if name.endswith(head.ending):
            return name, head
    endings = " or ".join(head.ending for head in heads)
    raise CannotJudge(
        f"{path}: architecture {name} does not fit task {task}, which needs one that ends in "
        f"{endings}. Check --checkpoint and --task."
    )


UNNAMED = {"0": "LABEL_0", "1": "LABEL_1"}
"""The default ``id2label``, which save_pretrained() does not write."""


def label_names(path: Path, table: Any) -> tuple[str, ...]:
    """Return the labels in a table ``id2label``, in the order of the scores."""
    names = table if isinstance(table, dict) else {}
    if len(names) > MOST_LABELS:
        raise CannotJudge(f"{path}: id2label has {len(names):,} labels, limit {MOST_LABELS:,}.")
    values = [names.get(str(index)) for index in range(len(names))]
    labels = tuple(value for value in values if isinstance(value, str))
    if not labels or len(labels) < len(values):
        raise CannotJudge(
            f"{path}: id2label is {str(table)[:80]}. Expected a text per label 0, 1, ..."
        )
    longest = max(labels, key=len)
    if len(longest) > LONGEST_LABEL:
        raise CannotJudge(
            f"{path}: id2label has a label of {len(longest):,} characters ({longest[:40]}...), at "
            f"most {LONGEST_LABEL} are allowed."
        )
    return labels


Labels = tuple[tuple[str, ...], Answers]
_SEQUENCE, _AUTO_SEQUENCE = "ForSequenceClassification", "AutoModelForSequenceClassification"


def _read_tags(path: Path, config: Config, *_: object) -> Labels:
    labels = label_names(path, config.get("id2label"))
    read_tag_scheme(labels, where=str(path))
    return labels, {}


NER = TaskExport(
    heads=(ModelHead("ForTokenClassification", "text", "AutoModelForTokenClassification"),),
    labels=_read_tags,
    reading=lambda _, __, head: InputForm(input_form=head.form),
)

_OF_T5 = {YES: "True", NO: "False"}
"""Texts that T5 was trained to return for boolean questions."""


def _read_yes_no(path: Path, config: Config, form: str, answers: Answers) -> Labels:
    if form == TEXT_TO_TEXT:
        words = answers or _OF_T5
        return (words[NO], words[YES]), words
    labels = label_names(path, config.get("id2label", UNNAMED))
    return labels, read_answers(labels, answers, where=str(path)).named(labels)


BOOLQ = TaskExport(
    heads=(
        ModelHead(_SEQUENCE, "text-pair", _AUTO_SEQUENCE),
        # T5, mT5, UMT5: the first token is the prediction. BART starts with other tokens.
        ModelHead("T5ForConditionalGeneration", TEXT_TO_TEXT, "AutoModelForSeq2SeqLM"),
    ),
    labels=_read_yes_no,
    reading=lambda _, __, head: InputForm(
        input_form=head.form, template=TEMPLATE if head.form == TEXT_TO_TEXT else ""
    ),
)

_ACTIVATIONS = {
    "single_label_classification": SOFTMAX,
    "multi_label_classification": SIGMOID,
    "regression": NONE,
}
"""Activation for each ``problem_type`` that training writes to the configuration."""
_KEYS = ("input_form", "activation", "score_range")
_CAUSE = (
    f'Expected for example {{"input_form": "{PAIR}", "activation": "{SIGMOID}"}}, with no keys '
    f"but {', '.join(_KEYS)}: {page('labels')}"
)


def _read_labels(path: Path, config: Config, *_: object) -> Labels:
    return label_names(path, config.get("id2label", UNNAMED)), {}


def _read_text_form(path: Path, config: Config, head: ModelHead) -> InputForm:
    form = _read_stated_form(path) if os.path.lexists(path / INPUT_FORM) else InputForm()
    where = f"{path / INPUT_FORM}" if form.activation else f"{path / CONFIG}, {INPUT_FORM}"
    activation, problem = form.activation, config.get("problem_type")
    if not activation and problem is not None:
        if not isinstance(problem, str) or problem not in _ACTIVATIONS:
            raise CannotJudge(
                f"{path / CONFIG}: problem_type is {quoted(problem)}. Expected one of "
                f"{', '.join(_ACTIVATIONS)}. Fix it, or set activation in {INPUT_FORM}: "
                f"{page('labels')}"
            )
        activation = _ACTIVATIONS[problem]
    input_form = form.input_form or head.form
    form = msgspec.structs.replace(form, input_form=input_form, activation=activation)
    labels, _ = _read_labels(path / CONFIG, config)
    return msgspec.structs.replace(form, activation=activation_of(form, labels, where))


def _read_stated_form(path: Path) -> InputForm:
    form = read_json(path, INPUT_FORM, InputForm, 1 << 20, _CAUSE)
    others = {*msgspec.to_builtins(form)} - {*_KEYS}
    if others or form.input_form not in ("", ONE, PAIR):
        wrong = f"has {min(others)}" if others else f"input_form is {form.input_form[:40]!r}"
        raise CannotJudge(f"{path / INPUT_FORM}: {wrong}. {_CAUSE}")
    return form


TEXT = TaskExport(
    heads=(ModelHead(_SEQUENCE, ONE, _AUTO_SEQUENCE),), labels=_read_labels, reading=_read_text_form
)
