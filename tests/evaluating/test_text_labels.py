"""Labelled files of task text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import read_labelled


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_labels_of_texts_and_pairs(tmp_path: Path) -> None:
    path = write(
        tmp_path / "own.jsonl",
        {"text": "a", "label": "x"},
        {"text": "b", "labels": ["y", "x", "y"]},
        {"text": "c", "second": "d", "labels": [], "note": "by hand"},
        {"text": "e", "label": None},
    )
    found = read_labelled(path, "text")
    assert [(item.input, item.gold["labels"]) for item in found.samples] == [
        ({"text": "a"}, ["x"]),
        ({"text": "b"}, ["x", "y"]),
        ({"text": "c", "second": "d"}, []),
    ]
    assert found.left_out == {"no label": 1}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"text": " ", "label": "x"}, "text is empty"),
        ({"text": "a", "second": "", "label": "x"}, "second is empty"),
        ({"text": "a", "label": "x", "labels": ["y"]}, "both label and labels"),
        ({"text": "a", "labels": "x"}, "line 1"),
        ({"label": "x"}, "line 1"),
    ],
)
def test_other_lines_are_refused(tmp_path: Path, line: Any, words: str) -> None:
    with pytest.raises(CannotJudge, match=words):
        read_labelled(write(tmp_path / "own.jsonl", line), "text")
