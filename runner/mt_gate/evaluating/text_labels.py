"""Labelled texts: ``text``, of a pair ``second``, and ``label`` or ``labels``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import Labelled, TaskEvaluation, Unfit, decoded_lines, sample_id
from mt_gate.tasks.text import SECOND, TEXT

CAUSE = (
    "expected JSON lines with 'text', for a pair 'second', and 'label' or 'labels' (a list; an "
    "empty one for none of them; null to skip the line); fix the file of --labels"
)


class _Line(msgspec.Struct):
    text: str
    second: str | None = None
    label: str | None = None
    labels: tuple[str, ...] | None = None


def _samples(path: Path) -> Iterator[Labelled | Unfit]:
    for number, line in decoded_lines(path, _Line, cause=CAUSE):
        given = {TEXT: line.text, **({} if line.second is None else {SECOND: line.second})}
        empty = [name for name, text in given.items() if not text.strip()]
        if empty:
            raise CannotJudge(f"{path}: line {number}: {empty[0]} is empty; {CAUSE}")
        if line.label is not None and line.labels is not None:
            raise CannotJudge(f"{path}: line {number}: both label and labels; {CAUSE}")
        labels = line.labels if line.label is None else (line.label,)
        if labels is None:
            yield Unfit("no label")
        else:
            yield Labelled(sample_id(given), given, {"labels": sorted({*labels})})


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    return tuple((label, None) for label in output["labels"])


EVALUATION = TaskEvaluation(_samples, _items, pooled=True, named=True)
