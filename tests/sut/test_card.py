"""What a card says of task and input form, and what must stand companion its model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cases import table
from making_re import FORMS, MARKED
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import Card, InputForm, check_form, companion, read_card, reads_types
from mt_gate.tasks.table import TASKS


def read(folder: Path, **content: Any) -> Card:
    (folder / "checkpoint.json").write_text(json.dumps({"labels": ["a", "b"], **content}))
    return read_card(folder)


@pytest.mark.parametrize("task", TASKS)
def test_a_card_without_a_form_has_its_tasks_first(task: str, tmp_path: Path) -> None:
    card = read(tmp_path, task=task)
    assert card.input_form == TASKS[task].first_form
    assert companion(card) == "tokenizer.json"


def test_a_form_names_the_files_of_the_model(tmp_path: Path) -> None:
    card = read(tmp_path, task="boolq", input_form="word-pair")
    assert card.input_form == "word-pair"
    assert companion(card) == "vocabulary.txt"


@pytest.mark.parametrize(
    ("content", "words"), table(__file__, "unreadable_labels_are_refused_in_one_line")
)
def test_unreadable_labels_are_refused_in_one_line(
    content: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(CannotJudge) as caught:
        read(tmp_path, **content)
    assert words in str(caught.value)
    assert str(tmp_path / "checkpoint.json") in str(caught.value)
    assert "\n" not in str(caught.value)


ALL = {
    **FORMS,
    "entity-starts": MARKED,
    "entity-pair": {"head": "<ent>{text}<ent>", "tail": "<ent2>{text}<ent2>", "entities": (2, 3)},
}


@pytest.mark.parametrize("form", ALL)
def test_every_form_has_data_that_pass(form: str) -> None:
    made = InputForm(input_form=form, **ALL[form])
    check_form(made, "here")
    assert reads_types(made) == (form in {"typed-markers", "entity-mask"})
    read = msgspec.json.decode(msgspec.json.encode(made), type=InputForm)
    assert read == made


@pytest.mark.parametrize(
    ("form", "data", "words"), table(__file__, "an_unfit_card_is_refused_in_one_line")
)
def test_an_unfit_card_is_refused_in_one_line(
    form: str, data: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(CannotJudge) as error:
        check_form(InputForm(input_form=form, **data), "here/checkpoint.json")
    message = str(error.value)
    assert message.startswith("here/checkpoint.json: ")
    assert "\n" not in message
    for word in words:
        assert word in message
