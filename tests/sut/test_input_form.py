"""Input forms of task re as data: what is checked before a tokenizer is seen."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from making_re import FORMS, MARKED, MASKED, PLAIN, TYPED
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.input_form import RULES, InputForm, check_form, reading, reads_types

ALL = {
    **FORMS,
    "entity-starts": MARKED,
    "entity-pair": {
        "head": "<ent>{text}<ent>",
        "tail": "<ent2>{text}<ent2>",
        "entities": (2, 3),
    },
}


@pytest.mark.parametrize("form", ALL)
def test_every_form_has_data_that_pass(form: str) -> None:
    made = InputForm(input_form=form, **ALL[form])
    check_form(made, "here")
    assert reads_types(made) == (form in {"typed-markers", "entity-mask"})
    read = msgspec.json.decode(msgspec.json.encode(made), type=InputForm)
    assert read == made


def test_examples_of_messages_pass() -> None:
    for form, rule in RULES.items():
        head, tail = rule.example
        types = {"PERSON": "person"} if "{type}" in head else {}
        made = InputForm(input_form=form, head=head, tail=tail, types=types, entities=(2, 3))
        check_form(made, "here")


@pytest.mark.parametrize(
    ("form", "data", "words"),
    [
        ("entity-markers", {}, ["head is ''", "[E1] {text} [/E1]"]),
        ("entity-markers", {**MARKED, "tail": "[E2] [/E2]"}, ["tail is '[E2] [/E2]'"]),
        ("entity-markers", {**MARKED, "head": "{text}"}, ["head is '{text}'"]),
        ("entity-markers", {**MARKED, "head": "[E1] {words} {text}"}, ["{words}"]),
        ("entity-markers", {**MARKED, "head": "[E1] {text} {text}"}, ["{text} {text}"]),
        ("entity-markers", {**MARKED, "head": "[E1] {text}" + "x" * 200}, ["at most 200"]),
        ("entity-markers", TYPED, ["head is '<S:{type}>"]),
        ("typed-markers", MARKED, ["<S:{type}>"]),
        ("typed-markers", {**TYPED, "types": {}}, ["types is empty", '"PERSON"']),
        ("typed-markers", {**TYPED, "types": {"PER": "x"}}, ["types has 'PER'", "PERSON"]),
        ("typed-markers", {**TYPED, "types": {"PERSON": " "}}, ["type's name is ' '"]),
        ("typed-markers", {**TYPED, "other_type": "{text}"}, ["type's name is '{text}'"]),
        ("entity-mask", MARKED, ["[subject-{type}]"]),
        ("plain-text", {"template": "{head}"}, ["template is '{head}'", "{tail}"]),
        ("plain-text", {"template": "{head} {tail} {0.__class__}"}, ["template is"]),
        ("entity-pair", {**ALL["entity-pair"], "entities": (2,)}, ["entities are [2]"]),
        ("entity-pair", {**ALL["entity-pair"], "mention_length": 0}, ["mention_length 0"]),
    ],
)
def test_what_is_unfit_is_told_in_one_line(
    form: str, data: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(CannotJudge) as told:
        check_form(InputForm(input_form=form, **data), "here/checkpoint.json")
    message = str(told.value)
    assert message.startswith("here/checkpoint.json: ")
    assert "\n" not in message
    for word in words:
        assert word in message


def test_what_changes_no_answer_is_no_part_of_the_reading() -> None:
    plain = InputForm(input_form="entity-mask", **MASKED)
    told = msgspec.structs.replace(plain, ontology="kbp37", selective_attention=True)
    assert reading(plain) == reading(told) == MASKED
    assert reading(InputForm(input_form="plain-text", **PLAIN)) == {}
    assert reading(InputForm()) == {}
