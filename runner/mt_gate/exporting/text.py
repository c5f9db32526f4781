"""Checkpoints for text classification, as Hugging Face saves them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.exporting.heads import Answers, Config, ModelHead, TaskExport
from mt_gate.exporting.labels import UNNAMED, label_names
from mt_gate.exporting.relation_forms import INPUT_FORM
from mt_gate.sut.input_form import InputForm
from mt_gate.sut.text_labels import activation_of
from mt_gate.tasks.text import NONE, ONE, PAIR, SIGMOID, SOFTMAX

_MOST, _MOST_CONFIG = 1 << 20, 8 << 20
_ACTIVATIONS = {
    "single_label_classification": SOFTMAX,
    "multi_label_classification": SIGMOID,
    "regression": NONE,
}
"""By the configuration's ``problem_type``, which training writes there."""
_OURS = ("input_form", "activation", "score_range")
_CAUSE = (
    f'expected something like {{"input_form": "{PAIR}", "activation": "{SIGMOID}"}}, with no keys '
    f"but {', '.join(_OURS)} (docs/text.md)"
)


def _labels(
    path: Path,
    config: Config,
    form: str,  # noqa: ARG001
    asked: Answers,  # noqa: ARG001
) -> tuple[tuple[str, ...], Answers]:
    return label_names(path, config.get("id2label", UNNAMED)), {}


def _reading(path: Path, head: ModelHead) -> InputForm:
    form = _stated(path) if os.path.lexists(path / INPUT_FORM) else InputForm()
    data = read_bytes(path / CONFIG, limit=_MOST_CONFIG, cause="save it again", inside=path)
    config = decode_json(data, dict[str, Any], path=path / CONFIG, cause="save it again")
    told = form.activation or _activation(path, config.get("problem_type"))
    found = msgspec.structs.replace(form, input_form=form.input_form or head.form, activation=told)
    labels, _ = _labels(path / CONFIG, config, "", {})
    where = f"{path / INPUT_FORM}" if form.activation else f"{path / CONFIG}, {INPUT_FORM}"
    return msgspec.structs.replace(found, activation=activation_of(found, labels, where))


def _activation(path: Path, problem: object) -> str:
    """Return what makes scores of logits by a configuration's ``problem_type``; empty without one.

    Raises:
        CannotJudge: transformers knows no such problem, so that its scores cannot be read.
    """
    if problem is None:
        return ""
    if not isinstance(problem, str) or problem not in _ACTIVATIONS:
        raise CannotJudge(
            f"{path / CONFIG}: problem_type is {quoted(problem)}; expected one of: "
            f"{', '.join(_ACTIVATIONS)}; fix it, or set activation in {INPUT_FORM} (docs/text.md)"
        )
    return _ACTIVATIONS[problem]


def _stated(path: Path) -> InputForm:
    where = path / INPUT_FORM
    data = read_bytes(where, limit=_MOST, cause=_CAUSE, inside=path)
    form = decode_json(data, InputForm, path=where, cause=_CAUSE)
    others = {*msgspec.to_builtins(form)} - {*_OURS}
    if others or form.input_form not in ("", ONE, PAIR):
        wrong = f"has {min(others)}" if others else f"input_form is {form.input_form[:40]!r}"
        raise CannotJudge(f"{where}: {wrong}; {_CAUSE}")
    return form


EXPORT = TaskExport(
    heads=(ModelHead("ForSequenceClassification", ONE, "AutoModelForSequenceClassification"),),
    labels=_labels,
    reading=_reading,
)
