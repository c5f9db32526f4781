"""Labelled corpora, read as they are published."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate_suites.recipe import CorpusFile
from mt_gate_suites.text.published import PublishedText, read_published

CASES = (
    "case_id,test_case,label_gold,ref_case_id,functionality,focus_words,case_templ\n"
    "1,They are  bad. ,hateful,,derog_x_h,bad,They are bad.\n"
    "2,You are a darn.,hateful,,slur_h,[SLUR_S],You are a [SLUR_S].\n"
    "3,Darn off now.,non-hateful,1,profanity_nh,darn off,Darn off now.\n"
)


def corpus(form: str, *parts: str) -> CorpusFile:
    return CorpusFile(
        name="c",
        file="file",
        kind="published",
        format=form,
        parts=parts,
        licence="CC0",
        attribution="me",
    )


def read(tmp_path: Path, form: str, text: str, *parts: str) -> list[PublishedText]:
    (tmp_path / "file").write_text(text)
    return read_published(corpus(form, *parts), tmp_path)


def test_hatecheck(tmp_path: Path) -> None:
    first, second, third = read(tmp_path, "hatecheck", CASES)
    assert first == PublishedText(
        "hatecheck-1",
        "They are bad.",
        "hateful",
        "",
        "derog_x_h",
        slices=(("function", "derog_x_h"),),
    )
    assert second.offensive == ("darn",)
    assert third.derived_from == "hatecheck-1"
    assert third.offensive == ("darn",)


def test_banking77(tmp_path: Path) -> None:
    (actual,) = read(tmp_path, "banking77", 'text,category\n"Where,\n is it?",arrival\n')
    slices = (("domain", "banking"), ("intent", "arrival"))
    assert actual == PublishedText("banking77-1", "Where, is it?", "arrival", slices=slices)


def test_clinc150(tmp_path: Path) -> None:
    text = '{"test": [["where is it", "find"]], "oos_test": [["sing", "oos"]], "train": []}'
    actual = read(tmp_path, "clinc150", text, "test", "oos_test")
    assert [one.id for one in actual] == ["clinc150-test-1", "clinc150-oos_test-1"]


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        ("hatecheck", "text\n", "no column case_id"),
        ("hatecheck", CASES.replace(",1,profanity", ",9,profanity"), "derived from 'hatecheck-9'"),
        ("banking77", 'text,category\n"a', "not a valid banking77 file"),
        ("clinc150", "[]", "not a valid clinc150 file"),
        ("clinc150", '{"train": []}', "no part 'test'"),
        ("clinc150", '{"test": [["a"]]}', "not a valid clinc150 file"),
    ],
)
def test_files_that_are_none(form: str, text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, form, text, "test")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_published(corpus("banking77"), tmp_path)
    with pytest.raises(UsageError, match="File name too long"):
        read_published(corpus("banking77"), tmp_path / ("x" * 5000))
