"""Corpora of sentences by their kind, and what is none."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from spacy.language import Language

from cases import table
from mt_gate.base.errors import UsageError
from mt_gate_suites.recipe import CorpusFile
from mt_gate_suites.sentences import sentences_of


def corpus(kind: str, file: str = "own") -> CorpusFile:
    return CorpusFile(name="own", file=file, kind=kind, licence="CC0", attribution="nobody")


@pytest.mark.parametrize(("kind", "text"), table(__file__, "sentences_are_read_by_kind"))
def test_sentences_are_read_by_kind(nlp: Language, tmp_path: Path, kind: str, text: str) -> None:
    (tmp_path / "own").write_text(text)
    said: list[str] = []
    actual = sentences_of(corpus(kind), tmp_path, nlp, said.append)
    assert [sentence.text for sentence in actual] == ["Ann left Oslo.", "Bob left Rome."]
    assert {sentence.origin for sentence in actual} == {"own"}
    assert said == ["own: 2 sentences"]


@pytest.mark.parametrize(
    ("kind", "file", "said"),
    table(__file__, "what_is_no_corpus"),
)
def test_what_is_no_corpus(nlp: Language, tmp_path: Path, kind: str, file: str, said: str) -> None:
    (tmp_path / "own").write_text("Ann left Oslo.\n")
    (tmp_path / "tokens").write_text('{"id": "a", "tokens": [1, 2]}\n')
    (tmp_path / "passage").write_text('{"id": "a", "passage": null}\n')
    (tmp_path / "deep").write_text('{"text": ' + "[" * 100_000 + "\n")
    (tmp_path / "twice").write_text(
        '{"id": "a", "text": "Ann left."}\n{"id": "a", "text": "Bob left."}\n'
    )
    packed = bytearray(gzip.compress(b"Ann left Oslo.\n"))
    packed[10:14] = b"\xff" * 4
    (tmp_path / "broken.gz").write_bytes(packed)
    with pytest.raises(UsageError, match=said):
        sentences_of(corpus(kind, file), tmp_path, nlp, print)
