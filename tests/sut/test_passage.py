"""Question and passage as tokens; only the passage is cut."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import table
from making_boolq import save_pair_bert, save_pair_roberta, save_t5, save_word_pair
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.boolq import (
    PAD,
    TEMPLATE,
    UNKNOWN,
    AnswerIndices,
    PassageReader,
    decode,
    read_answers,
    read_vocabulary,
    text_pair,
    text_to_text,
)
from mt_gate.sut.card import Card, CheckpointOptions
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import InputRefusal

pytest.importorskip("transformers", reason="needs mt-gate[export]")

QUESTION = "was Anna a friend of Boris"
PASSAGE = "Anna was a friend of Zoë 😀 in  Oslo. " * 6
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("tokenizers")
    return {
        "word-piece": save_pair_bert(made / "bert"),
        "byte-level": save_pair_roberta(made / "roberta"),
        "template": save_t5(made / "t5"),
    }


def reader(folders: dict[str, Path], kind: str, length: int, template: str = "") -> PassageReader:
    card = Card(task="boolq", labels=("no", "yes"), max_length=length, template=template)
    return (text_to_text if kind == "template" else text_pair)(
        CheckpointFolder(folders[kind]), card
    )


def encode(made: PassageReader, question: str = QUESTION, passage: str = PASSAGE) -> object:
    (item,) = made.encode([{"question": question, "passage": passage}])
    return item


KINDS = ("word-piece", "byte-level", "template")


@pytest.mark.parametrize("kind", KINDS)
def test_what_fits_is_as_the_tokenizer_gives_it(folders: dict[str, Path], kind: str) -> None:
    made = reader(folders, kind, 1000)
    item = encode(made)
    filled = TEMPLATE.format(question=QUESTION, passage=PASSAGE)
    texts = (filled,) if kind == "template" else (QUESTION, PASSAGE)
    whole = made.tokenizer.encode(*texts)
    assert item.ids.tolist() == whole.ids
    assert item.type_ids.tolist() == whole.type_ids
    assert item.read is None


@pytest.mark.parametrize("kind", ["word-piece", "byte-level"])
@pytest.mark.parametrize("length", [30, 47, 59])
def test_pairs_are_cut_as_tokenizers_cut_the_second_only(
    folders: dict[str, Path], kind: str, length: int
) -> None:
    made = reader(folders, kind, length)
    item = encode(made)
    made.tokenizer.enable_truncation(length, strategy="only_second")
    wanted = made.tokenizer.encode(QUESTION, PASSAGE)
    assert item.ids.tolist() == wanted.ids
    assert 0 < item.read < len(PASSAGE)
    made.tokenizer.no_truncation()
    part = made.tokenizer.encode(QUESTION, PASSAGE[: item.read])
    assert len(part.ids) <= length


def test_a_template_keeps_the_text_after_the_passage(folders: dict[str, Path]) -> None:
    made = reader(folders, "template", 60, "passage: {passage} question: {question}")
    item = encode(made)
    assert len(item.ids) == 60
    template = "passage: {} question: was Anna a friend of Boris"
    cut = made.tokenizer.encode(template.format(PASSAGE[: item.read]))
    tail = made.tokenizer.encode("question: was Anna a friend of Boris").ids
    assert item.ids.tolist()[: -len(tail)] == cut.ids[: -len(tail)]
    assert item.ids.tolist()[-len(tail) :] == tail


@pytest.mark.parametrize(
    "template", ["boolq", "{question}", "{passage} {passage} {question}", "{question.x} {passage}"]
)
def test_templates_without_their_places(folders: dict[str, Path], template: str) -> None:
    with pytest.raises(CannotJudge, match="each once"):
        reader(folders, "template", 100, template)


def test_texts_are_not_read_as_templates(folders: dict[str, Path]) -> None:
    made = reader(folders, "template", 1000)
    item = encode(made, "was {passage} {0.x}", "{question} was in Oslo.")
    text = "boolq question: was {passage} {0.x} passage: {question} was in Oslo."
    assert item.ids.tolist() == made.tokenizer.encode(text).ids


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(question=TEXT, passage=TEXT, length=st.integers(5, 80))
def test_any_text_fits_or_is_refused(
    folders: dict[str, Path], kind: str, question: str, passage: str, length: int
) -> None:
    item = encode(reader(folders, kind, length), question, passage)
    if not isinstance(item, InputRefusal):
        assert 0 < len(item.ids) <= length
        assert len(item.ids) == len(item.type_ids)
        assert item.read is None or 0 < item.read <= len(passage)


@pytest.mark.parametrize(
    ("labels", "yes"),
    [(("no", "yes"), 1), (("TRUE", "FALSE"), 0), (("False", "True"), 1), (("Yes.", "No."), 0)],
)
def test_labels_that_say_it_themselves(labels: tuple[str, str], yes: int) -> None:
    assert read_answers(labels, {}, where="here") == AnswerIndices(yes, 1 - yes)


def test_labels_by_name() -> None:
    labels = ("LABEL_0", "LABEL_1")
    actual = read_answers(labels, {"yes": "LABEL_0", "no": "LABEL_1"}, where="here")
    assert actual == AnswerIndices(0, 1)
    assert actual == (0, 1)


@pytest.mark.parametrize(("labels", "named", "words"), table(__file__, "labels_that_nothing_maps"))
def test_labels_that_nothing_maps(
    labels: tuple[str, ...], named: dict[str, str], words: str
) -> None:
    with pytest.raises(CannotJudge) as caught:
        read_answers(labels, named, where="here")
    assert str(caught.value).startswith("here")
    assert words in str(caught.value)


LOGIT = st.floats(-1e4, 1e4, width=32)


@given(LOGIT, LOGIT)
def test_score_is_the_probability_of_yes(yes: float, no: float) -> None:
    prediction = decode(AnswerIndices(yes=1, no=0), np.float32([no, yes]), None)
    assert prediction.output is not None
    assert prediction.output["answer"] == ("yes" if yes > no else "no")
    wanted = 1 / (1 + math.exp(min(700, no - yes)))
    assert prediction.output["score"] == pytest.approx(wanted, abs=1e-6)
    assert prediction.margin == abs(yes - no)


pytest.importorskip("onnx", reason="needs mt-gate[export]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_word_pair(tmp_path_factory.mktemp("words") / "bag")


def test_only_the_passage_is_cut(folder: Path) -> None:
    value = {"question": "was Anna in Oslo", "passage": "Anna was in Oslo. Boris was in Paris."}
    system = OnnxSystem(folder, "boolq", "cpu", options=CheckpointOptions(max_length=9))
    (item,) = system.reader.encode([value])
    assert len(item.question) + len(item.passage) == 9
    assert value["passage"][: item.read] == "Anna was in Oslo."
    (whole,) = OnnxSystem(
        folder, "boolq", "cpu", options=CheckpointOptions(max_length=13)
    ).reader.encode([value])
    assert whole.read == len("Anna was in Oslo. Boris was in Paris")
    long = {**value, "question": "was Anna " * 5}
    assert system.reader.encode([long]) == [InputRefusal("question-too-long")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "1 line, but <pad> is not the first"),
        (b"was\nin\n", "2 lines, but <pad> is not the first"),
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
