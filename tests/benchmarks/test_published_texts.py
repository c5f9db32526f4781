"""Labelled corpora, read as they are published."""

from __future__ import annotations

import pytest

from mt_gate_suites.sentences import LabelledText
from published_texts import read_published

CASES = (
    "case_id,test_case,label_gold,ref_case_id,functionality,focus_words,case_templ\n"
    "1,They are  bad. ,hateful,,derog_x_h,bad,They are bad.\n"
    "2,You are a darn.,hateful,,slur_h,[SLUR_S],You are a [SLUR_S].\n"
    "3,Darn off now.,non-hateful,1,profanity_nh,darn off,Darn off now.\n"
)


def read(form: str, text: str, *parts: str) -> list[LabelledText]:
    return list(read_published(form, text, parts))


def test_hatecheck() -> None:
    first, second, third = read("hatecheck", CASES)
    assert first == LabelledText(
        id="hatecheck-1",
        text="They are bad.",
        label="hateful",
        slices={"function": "derog_x_h"},
    )
    assert second.offensive == ("darn",)
    assert third.offensive == ("darn",)


def test_banking77() -> None:
    (actual,) = read("banking77", 'text,category\n"Where,\n is it?",arrival\n')
    slices = {"domain": "banking", "intent": "arrival"}
    assert actual == LabelledText(
        id="banking77-1", text="Where, is it?", label="arrival", slices=slices
    )


def test_clinc150() -> None:
    text = '{"test": [["where is it", "find"]], "oos_test": [["sing", "oos"]], "train": []}'
    actual = read("clinc150", text, "test", "oos_test")
    assert [one.id for one in actual] == ["clinc150-test-1", "clinc150-oos_test-1"]
    with pytest.raises(ValueError, match="no part 'val'"):
        read("clinc150", text, "val")
