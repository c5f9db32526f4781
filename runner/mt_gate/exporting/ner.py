"""Checkpoints for named entity recognition, as Hugging Face saves them."""

from __future__ import annotations

from pathlib import Path

from mt_gate.exporting.heads import Answers, Config, ModelHead, TaskExport
from mt_gate.exporting.labels import label_names
from mt_gate.tasks.tag_scheme import read_tag_scheme


def _labels(
    path: Path,
    config: Config,
    form: str,  # noqa: ARG001
    asked: Answers,  # noqa: ARG001
) -> tuple[tuple[str, ...], Answers]:
    labels = label_names(path, config.get("id2label"))
    read_tag_scheme(labels, where=str(path))
    return labels, {}


EXPORT = TaskExport(
    heads=(ModelHead("ForTokenClassification", "text", "AutoModelForTokenClassification"),),
    labels=_labels,
)
