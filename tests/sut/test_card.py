"""What a card says of task and input form, and what must stand beside its model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import Card, beside, read_card
from mt_gate.tasks.table import TASKS


def read(folder: Path, **content: Any) -> Card:
    (folder / "checkpoint.json").write_text(json.dumps({"labels": ["a", "b"], **content}))
    return read_card(folder)


@pytest.mark.parametrize("task", TASKS)
def test_a_card_without_a_form_has_its_tasks_first(task: str, tmp_path: Path) -> None:
    card = read(tmp_path, task=task)
    assert card.input_form == TASKS[task].first_form
    assert beside(card) == "tokenizer.json"


def test_a_form_says_what_stands_beside_the_model(tmp_path: Path) -> None:
    card = read(tmp_path, task="boolq", input_form="word-pair")
    assert card.input_form == "word-pair"
    assert beside(card) == "vocabulary.txt"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"task": "summaries"}, "task 'summaries'; expected one of: ner, boolq, re"),
        (
            {"task": "boolq", "input_form": "entity-markers"},
            "input_form 'entity-markers'; task boolq expects one of: text-pair, text-to-text",
        ),
        ({"task": "ner", "input_form": "poem"}, "input_form 'poem'; task ner expects one of: text"),
        ({"task": "ner", "max_length": 2}, "max_length 2"),
        ({"task": "ner", "format": 9}, "format 9"),
    ],
)
def test_what_no_reader_takes_is_told_in_a_line(
    content: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(CannotJudge) as caught:
        read(tmp_path, **content)
    assert words in str(caught.value)
    assert str(tmp_path / "checkpoint.json") in str(caught.value)
    assert "\n" not in str(caught.value)
