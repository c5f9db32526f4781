"""Checkpoints for boolean questions, as Hugging Face saves them."""

from __future__ import annotations

from pathlib import Path

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.heads import Answers, Config, ModelHead, TaskExport
from mt_gate.exporting.labels import UNNAMED, label_names
from mt_gate.sut.input_form import InputForm
from mt_gate.sut.passage import TEMPLATE
from mt_gate.sut.yes_no import read_answers
from mt_gate.tasks.boolq import NO, TEXT_TO_TEXT, YES

_OF_T5 = {YES: "True", NO: "False"}
"""What T5 was trained to answer to boolean questions."""


def _labels(
    path: Path, config: Config, form: str, asked: Answers
) -> tuple[tuple[str, ...], Answers]:
    if form == TEXT_TO_TEXT:
        words = asked or _OF_T5
        return (words[NO], words[YES]), words
    labels = label_names(path, config.get("id2label", UNNAMED))
    return labels, read_answers(labels, asked, where=str(path)).named(labels)


def _usual_answers(labels: tuple[str, ...], form: str) -> Answers:
    if form == TEXT_TO_TEXT:
        return _OF_T5
    try:
        return read_answers(labels, {}, where="").named(labels)
    except CannotJudge:
        return {}


def _reading(path: Path, head: ModelHead) -> InputForm:  # noqa: ARG001
    template = TEMPLATE if head.form == TEXT_TO_TEXT else ""
    return InputForm(input_form=head.form, template=template)


EXPORT = TaskExport(
    heads=(
        ModelHead("ForSequenceClassification", "text-pair", "AutoModelForSequenceClassification"),
        # T5, mT5, UMT5: their first word is the answer. BART and its like begin otherwise.
        ModelHead("T5ForConditionalGeneration", TEXT_TO_TEXT, "AutoModelForSeq2SeqLM"),
    ),
    labels=_labels,
    usual_answers=_usual_answers,
    reading=_reading,
)
