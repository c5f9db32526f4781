"""Checkpoints for relation extraction, as Hugging Face saves them."""

from __future__ import annotations

from pathlib import Path

from mt_gate.exporting.heads import Answers, Config, ModelHead, TaskExport
from mt_gate.exporting.labels import UNNAMED, label_names
from mt_gate.exporting.relation_forms import form_of
from mt_gate.sut.relation_text import check_labels
from mt_gate.tasks.relation_extraction import MARKERS, PAIR, STARTS


def _labels(
    path: Path,
    config: Config,
    form: str,  # noqa: ARG001
    asked: Answers,  # noqa: ARG001
) -> tuple[tuple[str, ...], Answers]:
    labels = label_names(path, config.get("id2label", UNNAMED))
    check_labels(labels, str(path))
    return labels, {}


EXPORT = TaskExport(
    heads=(
        ModelHead("LukeForEntityPairClassification", PAIR, "LukeForEntityPairClassification"),
        ModelHead("ForSequenceClassification", MARKERS, "AutoModelForSequenceClassification"),
        # An encoder alone, with a classifier of its start states beside it.
        ModelHead("Model", STARTS, "AutoModel"),
    ),
    labels=_labels,
    reading=form_of,
)
