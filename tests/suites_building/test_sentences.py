"""Readers of sources: what they read, mend, leave out, and say of bad files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from spacy.language import Language

from cases import table
from mt_gate.base.errors import UsageError
from mt_gate_suites.sentences import (
    SourceSentence,
    clean_passage,
    distinct,
    read_sentences,
    read_text,
    read_tokens,
    split_passages,
)


def _write(path: Path, rows: list[object]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_reads_tokens(tmp_path: Path, name: str) -> None:
    rows: list[object] = [
        {"id": "a-0", "tokens": ["Ann", "'s", "cat", "slept", "."]},
        {"id": "a-1", "tokens": ["he", "-", "she"]},
        {"id": "a-2", "tokens": ["Ann", "'s", "cat", "slept", "."]},
    ]
    assert list(read_tokens(_write(tmp_path / name, rows), "a")) == [
        SourceSentence("a-0", "Ann's cat slept.", "a")
    ]


def test_reads_lines_and_objects(tmp_path: Path) -> None:
    path = tmp_path / "news.txt"
    path.write_text('Ann left.\n\n{"text": "Bob left."}\n{"id": "x", "text": "Eve left."}\n')
    assert [(s.id, s.text) for s in read_text(path, "news")] == [
        ("news-1", "Ann left."),
        ("news-3", "Bob left."),
        ("x", "Eve left."),
    ]


@pytest.mark.parametrize(("line", "texts"), table(__file__, "reads_published_lines"))
def test_reads_published_lines(tmp_path: Path, nlp: Language, line: str, texts: list[str]) -> None:
    (tmp_path / "news").write_text(f"{line}\n")
    assert [one.text for one in read_sentences(tmp_path / "news", "news", nlp)] == texts


def test_reads_the_field_that_the_user_names(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.jsonl", [{"text": "Ann left.", "body": "Bob left."}])
    assert [one.text for one in read_text(path, "a", "body")] == ["Bob left."]
    with pytest.raises(UsageError, match=r"no text under .title.. Its fields: .text, body."):
        list(read_text(path, "a", "title"))


def test_splits_passages_and_numbers_sentences(tmp_path: Path, nlp: Language) -> None:
    passage = (
        "Dr. J. Smith moved to the U.S. in 1990. He liked ``New York''. It was 5.5 miles away."
    )
    path = _write(tmp_path / "p.jsonl", [{"id": "boolq-dev-17", "passage": passage}])
    assert list(split_passages(path, "boolq", nlp)) == [
        SourceSentence("boolq-dev-17.0", "Dr. J. Smith moved to the U.S. in 1990.", "boolq"),
        SourceSentence("boolq-dev-17.1", 'He liked "New York".', "boolq"),
        SourceSentence("boolq-dev-17.2", "It was 5.5 miles away.", "boolq"),
    ]


def test_splitting_leaves_the_pipeline_as_it_was(tmp_path: Path, nlp: Language) -> None:
    names = list(nlp.pipe_names)
    path = _write(tmp_path / "p.jsonl", [{"id": "p", "passage": "Ann left Rome."}])
    assert len(list(split_passages(path, "p", nlp))) == 1
    assert nlp.pipe_names == names


@pytest.mark.parametrize(("before", "after"), table(__file__, "cleans_passages"))
def test_cleans_passages(before: str, after: str) -> None:
    assert clean_passage(before) == after


def test_distinct_keeps_the_first_of_each_text() -> None:
    rows = [
        SourceSentence("a", "x", "1"),
        SourceSentence("b", "x", "2"),
        SourceSentence("c", "y", "2"),
    ]
    assert [s.id for s in distinct(rows)] == ["a", "c"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Input data was truncated"),
        ("[1]", "Expected `object`, got `array`"),
        ('{"id": "a"}', "missing required field `tokens`"),
    ],
)
def test_tells_what_is_wrong_with_a_row(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ValueError, match=rf"bad\.jsonl:1.*{message}"):
        list(read_tokens(path, "bad"))


def test_tells_of_a_line_without_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a"}\n')
    with pytest.raises(UsageError, match=r"Its fields: .id.. Choose one: --field NAME"):
        list(read_text(path, "bad"))
