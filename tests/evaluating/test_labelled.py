from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.evaluating.labelled import MAX_LABELS, read_labelled, sample_id

TOKENS = {"tokens": ["Anna", "met", "Bo", "."], "tags": ["B-PER", "O", "B-PER", "O"]}
RAIN = {"text": "Rain fell.", "entities": []}
QUESTION = {"question": "is it wet", "title": "Sea", "passage": "Water is wet.", "answer": True}


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return path


def test_sentences_of_both_forms(tmp_path: Path) -> None:
    first, second = read_labelled(written(tmp_path / "a.jsonl", TOKENS, RAIN), "ner").samples
    assert first.input == {"text": "Anna met Bo."}
    assert first.gold == {"entities": [[0, 4, "PER"], [9, 11, "PER"]]}
    rain = {"text": "Rain fell."}
    assert second[:3] == (sample_id(rain), rain, {"entities": []})


@pytest.mark.parametrize(
    ("answer", "gold"), [(True, "yes"), (False, "no"), ("yes", "yes"), ("no", "no")]
)
def test_questions_leave_the_title_aside(answer: object, gold: str, tmp_path: Path) -> None:
    (found,) = read_labelled(
        written(tmp_path / "a.jsonl", {**QUESTION, "answer": answer}), "boolq"
    ).samples
    assert found.input == {"question": "is it wet", "passage": "Water is wet."}
    assert found.gold == {"answer": gold}


def test_what_is_no_sample_is_counted(tmp_path: Path) -> None:
    unknown = {**QUESTION, "question": "is it dry", "answer": None}
    found = read_labelled(written(tmp_path / "a.jsonl", QUESTION, unknown, QUESTION), "boolq")
    assert len(found.samples) == 1
    assert found.left_out == {"no answer": 1, "seen before": 1}
    slash = {"tokens": ["and", "/", "or"], "tags": ["O", "O", "O"]}
    blank = {"text": " ", "entities": []}
    found = read_labelled(written(tmp_path / "b.jsonl", TOKENS, slash, blank), "ner")
    assert found.left_out == {"no text": 1, "unclear spacing": 1}


def test_what_is_labelled_in_two_ways_is_no_sample(tmp_path: Path) -> None:
    other = {**QUESTION, "answer": False}
    kept = {**QUESTION, "question": "is it dry"}
    found = read_labelled(written(tmp_path / "a.jsonl", QUESTION, other, kept, QUESTION), "boolq")
    assert [sample.input["question"] for sample in found.samples] == ["is it dry"]
    assert found.left_out == {"labelled in two ways": 3}


def test_the_id_is_of_the_input_alone(tmp_path: Path) -> None:
    (yes,) = read_labelled(written(tmp_path / "a.jsonl", QUESTION), "boolq").samples
    (no,) = read_labelled(
        written(tmp_path / "b.jsonl", {**QUESTION, "answer": "no"}), "boolq"
    ).samples
    assert yes.id == no.id
    assert len(yes.id) == 32


def test_packed_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(QUESTION).encode()))
    assert len(read_labelled(path, "boolq").samples) == 1


def test_packed_lines_are_bounded_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb", 1) as file:
        line = b" " * (1 << 20) + b"\n"
        for _ in range(MAX_LABELS // len(line) + 1):
            file.write(line)
    with pytest.raises(CannotJudge, match=r"unpacks to \d+ bytes; expected"):
        read_labelled(path, "boolq")


@pytest.mark.parametrize(
    ("task", "line", "words"),
    [
        ("ner", "{", "line 1"),
        ("ner", '{"tokens": ["a"], "tags": []}', "1 tokens and 0 tags"),
        ("ner", '{"text": "a"}', "neither form"),
        ("ner", '{"text": "a", "entities": [[0, 2, "LOC"]]}', "(0, 2) of 1 characters"),
        ("ner", "\n\n", "no labelled input (no line)"),
        ("boolq", '{"question": "a", "passage": "b"}', "missing required field `answer`"),
        ("boolq", '{"question": "a", "passage": "b", "answer": 1}', "line 1"),
        ("boolq", '{"question": "a", "passage": "b", "answer": "maybe"}', "line 1"),
        ("boolq", '{"question": "a", "passage": " ", "answer": true}', "passage is empty"),
        ("boolq", '{"question": "a", "passage": "b", "answer": null}', "(1 no answer)"),
        ("boolq", "[" * 10_000, "line 1"),
    ],
)
def test_bad_lines_are_told_in_one_line(task: str, line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    with pytest.raises(CannotJudge) as caught:
        read_labelled(path, task)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "--labels" in str(caught.value)


def test_a_missing_file_and_a_task_without_labels_are_told(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match="no such file"):
        read_labelled(tmp_path / "none.jsonl", "ner")
    with pytest.raises(UsageError, match="--task qa"):
        read_labelled(tmp_path / "none.jsonl", "qa")


@given(st.sampled_from(["ner", "boolq"]), st.binary(max_size=200))
def test_any_bytes_are_read_or_told(
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


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\n" * 1_000_001, "more than 1000000 lines"), (b"a" * (5 << 20), "a line has more than")],
)
def test_a_file_of_many_or_long_lines_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(data)
    with pytest.raises(CannotJudge, match=words):
        read_labelled(path, "ner")
