from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.base.errors import CannotJudge
from mt_gate.repairing.repair import read_labels

TOKENS = {
    "id": "1",
    "tokens": ["The", "``", "Hey", "Jude", "''", "of", "Oslo", "."],
    "tags": ["O", "O", "B-MISC", "I-MISC", "O", "O", "B-LOC", "O"],
}
TEXT = 'The "Hey Jude" of Oslo.'


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return path


def test_tags_become_spans_of_the_text_as_suites_write_it(tmp_path: Path) -> None:
    assert read_labels(written(tmp_path / "a.jsonl", TOKENS)) == {
        TEXT: {(5, 13): "MISC", (18, 22): "LOC"}
    }


def test_spans_are_taken_as_they_stand_but_for_article_and_full_stop(tmp_path: Path) -> None:
    line = {"text": "I met the Stones.", "entities": [[6, 17, "ORG"]]}
    assert read_labels(written(tmp_path / "a.jsonl", line)) == {
        "I met the Stones.": {(10, 16): "ORG"}
    }


def test_a_sentence_labelled_in_two_ways_is_left_out(tmp_path: Path) -> None:
    other = {"text": TEXT, "entities": []}
    assert read_labels(written(tmp_path / "a.jsonl", TOKENS, other, TOKENS)) == {}
    assert set(read_labels(written(tmp_path / "b.jsonl", TOKENS, TOKENS))) == {TEXT}


def test_unclear_spacing_is_left_out(tmp_path: Path) -> None:
    line = {"tokens": ["and", "/", "or"], "tags": ["O", "B-LOC", "O"]}
    assert read_labels(written(tmp_path / "a.jsonl", line)) == {}


@pytest.mark.parametrize(
    ("line", "words"),
    table(__file__, "bad_lines_are_reported_in_one_line"),
)
def test_bad_lines_are_reported_in_one_line(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line.encode("latin-1"))
    with pytest.raises(CannotJudge) as caught:
        read_labels(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "--labels" in str(caught.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    with contextlib.suppress(CannotJudge):
        assert isinstance(read_labels(path), dict)


def test_open_data_is_read(shared: Path) -> None:
    actual = read_labels(shared / "data" / "ner" / "uner_ewt_test.jsonl")
    assert len(actual) > 1000
    assert {label for gold in actual.values() for label in gold.values()} == {"LOC", "ORG", "PER"}
    for text, gold in actual.items():
        for start, end in gold:
            assert text[start:end].strip() == text[start:end] != ""
