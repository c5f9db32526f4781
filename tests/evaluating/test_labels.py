"""Labelled files of every task, and tables of labels."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.evaluating.labelled import LabelledFile, read_labelled, sample_id
from mt_gate.evaluating.relation_labels import LabelFormat, labelled_pairs, read_mapping

TOKENS = {"tokens": ["Anna", "met", "Bo", "."], "tags": ["B-PER", "O", "B-PER", "O"]}
RAIN = {"text": "Rain fell.", "entities": []}
QUESTION = {"question": "is it wet", "title": "Sea", "passage": "Water is wet.", "answer": True}
PAIR: dict[str, Any] = {
    "tokens": ["Anna", "Berg", "lives", "in", "Oslo", "."],
    "head": {"text": "Anna Berg", "start": 0, "end": 2, "type": "PERSON"},
    "tail": {"text": "Oslo", "start": 4, "end": 5, "type": None},
}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    return path


def read(folder: Path, task: str, *lines: object) -> LabelledFile:
    return read_labelled(written(folder, *lines), task)


def pairs(folder: Path, *lines: object, distant: bool = False) -> Any:
    return labelled_pairs(written(folder, *lines), LabelFormat(distant=distant))


def test_sentences_of_both_forms(tmp_path: Path) -> None:
    first, second = read(tmp_path, "ner", TOKENS, RAIN).samples
    assert first.input == {"text": "Anna met Bo."}
    assert first.gold == {"entities": [[0, 4, "PER"], [9, 11, "PER"]]}
    rain = {"text": "Rain fell."}
    assert second[:3] == (sample_id(rain), rain, {"entities": []})


@pytest.mark.parametrize(
    ("answer", "gold"), [(True, "yes"), (False, "no"), ("yes", "yes"), ("no", "no")]
)
def test_questions_leave_the_title_out(answer: object, gold: str, tmp_path: Path) -> None:
    (actual,) = read(tmp_path, "boolq", {**QUESTION, "answer": answer}).samples
    assert actual.input == {"question": "is it wet", "passage": "Water is wet."}
    assert actual.gold == {"answer": gold}
    # The id is of the input alone.
    assert actual.id == sample_id(actual.input)
    assert len(actual.id) == 32


def test_texts_and_pairs_of_texts(tmp_path: Path) -> None:
    actual = read(
        tmp_path,
        "text",
        {"text": "a", "label": "x"},
        {"text": "b", "labels": ["y", "x", "y"]},
        {"text": "c", "second": "d", "labels": [], "note": "by hand"},
        {"text": "e", "label": None},
    )
    assert [(item.input, item.gold["labels"]) for item in actual.samples] == [
        ({"text": "a"}, ["x"]),
        ({"text": "b"}, ["x", "y"]),
        ({"text": "c", "second": "d"}, []),
    ]
    assert actual.left_out == {"no label": 1}


def test_what_is_no_sample_is_counted(tmp_path: Path) -> None:
    unknown = {**QUESTION, "question": "is it dry", "answer": None}
    actual = read(tmp_path, "boolq", QUESTION, unknown, QUESTION)
    assert len(actual.samples) == 1
    assert actual.left_out == {"no answer": 1, "seen before": 1}
    slash = {"tokens": ["and", "/", "or"], "tags": ["O", "O", "O"]}
    actual = read(tmp_path, "ner", TOKENS, slash, {"text": " ", "entities": []})
    assert actual.left_out == {"no text": 1, "unclear spacing": 1}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\n" * 1_000_001, "more than 1000000 lines"),
        (b"a" * (5 << 20), "a line has more than"),
        (b"[" * 10_000, "line 1"),
    ],
)
def test_many_long_or_deep_lines_are_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(data)
    with pytest.raises(CannotJudge, match=words):
        read_labelled(path, "ner")


@cases("evaluating/unfit_lines")
def test_an_unfit_line_is_refused(task: str, line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    with pytest.raises(CannotJudge) as caught:
        read_labelled(path, task)
    for part in (words, str(path), "--labels"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.sampled_from(["ner", "boolq"]), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, task: str, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    with contextlib.suppress(CannotJudge):
        assert read_labelled(path, task).samples


def test_open_data_is_read(shared: Path) -> None:
    sentences = read_labelled(shared / "data" / "ner" / "uner_ewt_test.jsonl", "ner").samples
    assert len(sentences) > 1000
    questions = read_labelled(shared / "data" / "boolq" / "dev.jsonl", "boolq")
    lines = sum(1 for _ in (shared / "data" / "boolq" / "dev.jsonl").open())
    assert len(questions.samples) + sum(questions.left_out.values()) == lines


def test_both_kinds_of_label_of_a_pair(tmp_path: Path) -> None:
    line = {**PAIR, "auto_labels": ["lives", "born"], "manual_labels": []}
    (actual,), again = pairs(tmp_path, line)
    assert actual.input == {
        "text": "Anna Berg lives in Oslo.",
        "head": [0, 9, "PERSON"],
        "tail": [19, 23, ""],
    }
    assert (actual.head, actual.tail) == ("annaberg", "oslo")
    assert (actual.auto, actual.manual) == ({"lives", "born"}, set())
    assert again == {}


def test_other_forms_are_read_too(tmp_path: Path) -> None:
    line = {"text": "Anna in Oslo", "relation": "lives", "h": {"pos": [0, 4], "id": "Q1"}}
    path = written(tmp_path, {**line, "t": {"pos": [8, 12], "id": "Q585"}})
    (actual,), _ = labelled_pairs(path, LabelFormat("opennre", distant=True))
    assert (actual.head, actual.tail) == ("q1", "q585")
    assert (actual.auto, actual.manual) == ({"lives"}, None)
    with pytest.raises(UsageError, match="Unknown format 'nyt'"):
        labelled_pairs(path, LabelFormat("nyt"))
    with pytest.raises(UsageError, match="takes no --patch"):
        labelled_pairs(path, LabelFormat(patch=path))


SPANS = st.fixed_dictionaries({"start": st.integers(-1, 4), "end": st.integers(-1, 5)})
LINES = st.fixed_dictionaries(
    {"head": SPANS, "tail": SPANS, "relation": st.sampled_from(["x", "NA"])},
    optional={
        "tokens": st.lists(st.text(max_size=4), max_size=5),
        "text": st.text(max_size=9),
        "auto_labels": st.lists(st.text(max_size=3), max_size=2),
    },
)


@given(LINES)
def test_any_pair_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, line: Any) -> None:
    with contextlib.suppress(CannotJudge):
        (actual,), _ = pairs(tmp_path_factory.mktemp("lines"), line)
        text = actual.input["text"]
        for start, end, _ in (actual.input["head"], actual.input["tail"]):
            assert text[start:end]


TABLES = {
    "a.tsv": "# x\nfr/capital\tcapital\nus/capital\tcapital\n\nspoken\t\nseat\tcity\tsystem\n",
    "a.csv": '"fr/capital",capital\nus/capital, capital\nspoken,\nseat,city,system\n',
    "a.json": '{"fr/capital": "capital", "us/capital": "capital", "spoken": null,'
    ' "system": {"seat": "city"}}',
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_merges_and_deletes_labels(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TABLES[name])
    actual = read_mapping(path)
    assert actual.name == name
    labels = ("fr/capital", "us/capital", "spoken", "seat", "other/x", "NA")
    put = ["capital", "capital", "no_relation", "city", "other/x", "no_relation"]
    assert [actual.map_system_label(label) for label in labels] == put
    assert actual.file_relations(["seat", "spoken"]) == {"seat"}


@cases("evaluating/unfit_tables")
def test_an_unfit_table_is_refused(name: str, table: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(table.replace("\\t", "\t").replace("\\n", "\n"))
    with pytest.raises(CannotJudge) as caught:
        read_mapping(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=80), st.sampled_from(["a.tsv", "a.csv", "a.json"]))
def test_any_bytes_are_a_table_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("table") / name
    path.write_bytes(data)
    with contextlib.suppress(CannotJudge):
        read_mapping(path)
