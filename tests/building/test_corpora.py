"""Corpora of sentences by their kind, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from spacy.language import Language

from mt_gate.base.errors import UsageError
from mt_gate.building.corpora import sentences_of
from mt_gate.building.recipe import CorpusFile


def corpus(kind: str, file: str = "own") -> CorpusFile:
    return CorpusFile(name="own", file=file, kind=kind, licence="CC0", attribution="nobody")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text", "Ann left Oslo. \nBob left Rome.\n"),
        ("tokens", '{"tokens": ["Ann", "left", "Oslo", "."], "id": "1"}\n'
                   '{"tokens": ["Bob", "left", "Rome", "."], "id": "2"}\n'),
        ("passages", '{"passage": "Ann left Oslo. Bob left Rome.", "id": "p"}\n'),
    ],
)  # fmt: skip
def test_sentences_are_read_by_kind(nlp: Language, tmp_path: Path, kind: str, text: str) -> None:
    (tmp_path / "own").write_text(text)
    said: list[str] = []
    found = sentences_of(corpus(kind), tmp_path, nlp, said.append)
    assert [sentence.text for sentence in found] == ["Ann left Oslo.", "Bob left Rome."]
    assert {sentence.origin for sentence in found} == {"own"}
    assert said == ["own: 2 sentences"]


@pytest.mark.parametrize(
    ("kind", "file", "said"),
    [
        ("questions", "own", "of kind questions; expected kind text, tokens, passages"),
        ("text", "other", "no such file; the recipe names it"),
        ("text", "x" * 5000, "File name too long; name another path"),
        ("tokens", "own", "not of kind tokens"),
        ("passages", "own", "not of kind passages"),
    ],
)
def test_what_is_no_corpus(nlp: Language, tmp_path: Path, kind: str, file: str, said: str) -> None:
    (tmp_path / "own").write_text("Ann left Oslo.\n")
    with pytest.raises(UsageError, match=said):
        sentences_of(corpus(kind, file), tmp_path, nlp, print)
