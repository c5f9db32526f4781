"""Checkpoints for entities, boolean questions and text classification, as Hugging Face saves them.

Those for relations, which show their arguments in several ways, are in ``relation_extraction``.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.exporting.folder_files import CONFIG, INPUT_FORM, read_json
from mt_gate.exporting.heads import UNNAMED, Answers, Config, ModelHead, TaskExport, label_names
from mt_gate.sut.input_form import InputForm
from mt_gate.sut.passage import TEMPLATE
from mt_gate.sut.text_labels import activation_of
from mt_gate.sut.yes_no import read_answers
from mt_gate.tasks.boolq import NO, TEXT_TO_TEXT, YES
from mt_gate.tasks.tag_scheme import read_tag_scheme
from mt_gate.tasks.text import NONE, ONE, PAIR, SIGMOID, SOFTMAX

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
"""What T5 was trained to answer to boolean questions."""


def _read_yes_no(path: Path, config: Config, form: str, asked: Answers) -> Labels:
    if form == TEXT_TO_TEXT:
        words = asked or _OF_T5
        return (words[NO], words[YES]), words
    labels = label_names(path, config.get("id2label", UNNAMED))
    return labels, read_answers(labels, asked, where=str(path)).named(labels)


BOOLQ = TaskExport(
    heads=(
        ModelHead(_SEQUENCE, "text-pair", _AUTO_SEQUENCE),
        # T5, mT5, UMT5: their first word is the answer. BART and its like begin otherwise.
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
"""By the configuration's ``problem_type``, which training writes there."""
_KEYS = ("input_form", "activation", "score_range")
_CAUSE = (
    f'expected something like {{"input_form": "{PAIR}", "activation": "{SIGMOID}"}}, with no keys '
    f"but {', '.join(_KEYS)} (docs/text.md)"
)


def _read_labels(path: Path, config: Config, *_: object) -> Labels:
    return label_names(path, config.get("id2label", UNNAMED)), {}


def _read_text_form(path: Path, config: Config, head: ModelHead) -> InputForm:
    form = _read_stated_form(path) if os.path.lexists(path / INPUT_FORM) else InputForm()
    where = f"{path / INPUT_FORM}" if form.activation else f"{path / CONFIG}, {INPUT_FORM}"
    form = msgspec.structs.replace(
        form,
        input_form=form.input_form or head.form,
        activation=form.activation or _activation_by_problem(path, config.get("problem_type")),
    )
    labels, _ = _read_labels(path / CONFIG, config)
    return msgspec.structs.replace(form, activation=activation_of(form, labels, where))


def _activation_by_problem(path: Path, problem: object) -> str:
    if problem is None:
        return ""
    if not isinstance(problem, str) or problem not in _ACTIVATIONS:
        raise CannotJudge(
            f"{path / CONFIG}: problem_type is {quoted(problem)}; expected one of: "
            f"{', '.join(_ACTIVATIONS)}; fix it, or set activation in {INPUT_FORM} (docs/text.md)"
        )
    return _ACTIVATIONS[problem]


def _read_stated_form(path: Path) -> InputForm:
    form = read_json(path, INPUT_FORM, InputForm, 1 << 20, _CAUSE)
    others = {*msgspec.to_builtins(form)} - {*_KEYS}
    if others or form.input_form not in ("", ONE, PAIR):
        wrong = f"has {min(others)}" if others else f"input_form is {form.input_form[:40]!r}"
        raise CannotJudge(f"{path / INPUT_FORM}: {wrong}; {_CAUSE}")
    return form


TEXT = TaskExport(
    heads=(ModelHead(_SEQUENCE, ONE, _AUTO_SEQUENCE),),
    labels=_read_labels,
    reading=_read_text_form,
)
