"""Labels in a checkpoint's configuration, and which of them mean yes and no."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.heads import TEXT_TO_TEXT
from mt_gate.sut.answers import read_answers
from mt_gate.sut.card import LONGEST_LABEL, MOST_LABELS
from mt_gate.sut.relation_scores import check_labels
from mt_gate.tasks import ner, relation_extraction
from mt_gate.tasks.boolq import NO, YES
from mt_gate.tasks.tag_scheme import read_tag_scheme

SAID = {YES: "True", NO: "False"}
"""What T5 was trained to say to boolean questions."""
_UNNAMED = {"0": "LABEL_0", "1": "LABEL_1"}


def unasked(task: str, labels: tuple[str, ...], form: str) -> Mapping[str, str]:
    """Return what means yes and no where the user says nothing; empty where that is unknown."""
    if task != "boolq":
        return {}
    if form == TEXT_TO_TEXT:
        return SAID
    try:
        return read_answers(labels, {}, where="").named(labels)
    except CannotJudge:
        return {}


def labels_and_answers(
    path: Path, config: Mapping[str, Any], task: str, form: str, asked: Mapping[str, str]
) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Return the names of the scores, and which of them mean yes and no (task boolq).

    Raises:
        CannotJudge: labels that do not fit the task.
    """
    if form == TEXT_TO_TEXT:
        said = asked or SAID
        return (said[NO], said[YES]), said
    if task == ner.ID:
        labels = _labels(path, config.get("id2label"))
        read_tag_scheme(labels, where=str(path))
        return labels, {}
    # save_pretrained() leaves out what is the default: two labels of these names.
    labels = _labels(path, config.get("id2label", _UNNAMED))
    if task == relation_extraction.ID:
        check_labels(labels, str(path))
        return labels, {}
    return labels, read_answers(labels, asked, where=str(path)).named(labels)


def _labels(path: Path, table: Any) -> tuple[str, ...]:
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
