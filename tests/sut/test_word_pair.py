"""Plain ONNX models of word ids, with a vocabulary of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_boolq import save_word_pair
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.boolq import PAD, UNKNOWN, read_vocabulary
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import InputRefusal

pytest.importorskip("onnx", reason="needs mt-gate[export]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_word_pair(tmp_path_factory.mktemp("words") / "bag")


def test_only_the_passage_is_cut(folder: Path) -> None:
    value = {"question": "was Anna in Oslo", "passage": "Anna was in Oslo. Boris was in Paris."}
    system = OnnxSystem(folder, "boolq", "cpu", asked=CheckpointOptions(max_length=9))
    (item,) = system.reader.encode([value])
    assert len(item.question) + len(item.passage) == 9
    assert value["passage"][: item.read] == "Anna was in Oslo."
    (whole,) = OnnxSystem(
        folder, "boolq", "cpu", asked=CheckpointOptions(max_length=13)
    ).reader.encode([value])
    assert whole.read == len("Anna was in Oslo. Boris was in Paris")
    long = {**value, "question": "was Anna " * 5}
    assert system.reader.encode([long]) == [InputRefusal("question-too-long")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "1 lines, the first two are different"),
        (b"was\nin\n", "2 lines, the first two are different"),
        (b"<pad>\n<unk>\nwas\nwas\n", "the word of line 3 occurs twice"),
        (b"<pad>\n<unk>\n\xff\n", "not UTF-8"),
    ],
)
def test_unfit_vocabularies(tmp_path: Path, text: bytes, words: str) -> None:
    (tmp_path / "vocabulary.txt").write_bytes(text)
    with pytest.raises(CannotJudge) as caught:
        read_vocabulary(CheckpointFolder(tmp_path))
    assert words in str(caught.value)
    assert "was" not in str(caught.value).rpartition("vocabulary.txt")[2], "any file may be there"


@given(st.binary(max_size=60))
def test_any_bytes_are_a_vocabulary_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "vocabulary.txt"
    path.write_bytes(b"<pad>\n<unk>\n" + text)
    try:
        ids = read_vocabulary(CheckpointFolder(path.parent))
    except CannotJudge:
        return
    assert sorted(ids.values()) == list(range(len(ids)))
    assert (ids[PAD], ids[UNKNOWN]) == (0, 1)
