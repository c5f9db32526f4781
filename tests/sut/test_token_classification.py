"""Spans in characters, for word pieces and bytes alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from making import LABELS, SENTENCES, save_roberta
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.token_classification import decode, encode
from mt_gate.sut.token_feeds import load_tokenizer
from mt_gate.tasks.tag_scheme import read_tag_scheme
from speeds import Made

SCHEME = read_tag_scheme(LABELS, where="here")


def answer(tokenizer: object, text: str, names: dict[str, str]) -> list[list[object]]:
    """Decode logits that label the first token of each named word, and noise on later pieces."""
    (encoded,) = encode(tokenizer, [text])
    logits = np.zeros((len(encoded.ids), len(LABELS)), np.float32)
    logits[:, LABELS.index("I-LOC")] = 5  # pieces that are no word's first must not matter
    for (start, end), first in zip(encoded.words, encoded.first_tokens, strict=True):
        label = names.get(text[start:end], "O")
        if first >= 0:
            logits[first] = 0
            logits[first, LABELS.index(label)] = 9
    output = decode(encoded, logits, SCHEME).output
    assert output is not None
    return [[text[start:end], label] for start, end, label in output["entities"]]


@pytest.fixture(scope="module")
def byte_level(made_once: Made) -> object:
    pytest.importorskip("transformers")
    return load_tokenizer(CheckpointFolder(made_once(save_roberta, LABELS)))


@pytest.fixture(params=["word-piece", "byte-level"])
def tokenizer(request: pytest.FixtureRequest, hugging_face: Path, byte_level: object) -> object:
    if request.param == "byte-level":
        return byte_level
    return load_tokenizer(CheckpointFolder(hugging_face))


@pytest.mark.parametrize(
    "text",
    [
        "Anna met Boris in New York.",
        "  Anna   met Boris in  New  York. ",
        "(Anna) met 'Boris' in New York?",
        "Anna's friend Boris: New York!",
    ],
)
def test_spans_are_the_words_characters(tokenizer: object, text: str) -> None:
    names = {"Anna": "B-PER", "Boris": "B-PER", "New": "B-LOC", "York": "I-LOC"}
    found = answer(tokenizer, text, names)
    assert [(str(name).split(), label) for name, label in found] == [
        (["Anna"], "PER"),
        (["Boris"], "PER"),
        (["New", "York"], "LOC"),
    ]


def test_characters_beyond_ascii(byte_level: object) -> None:
    found = answer(byte_level, "😀 Zoë met Ümit in Łódź 👩‍👩‍👧.", {"Zoë": "B-PER", "Łódź": "B-LOC"})
    assert found == [["Zoë", "PER"], ["Łódź", "LOC"]]


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\0", "."])
def test_text_without_words(tokenizer: object, text: str) -> None:
    assert answer(tokenizer, text, {}) == []


def test_the_tokenizer_s_own_cutting_is_switched_off(hugging_face: Path, tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    cutting = Tokenizer.from_file(str(hugging_face / "tokenizer.json"))
    cutting.enable_truncation(8)
    cutting.enable_padding(length=8)
    cutting.save(str(tmp_path / "tokenizer.json"))
    long, short = encode(load_tokenizer(CheckpointFolder(tmp_path)), [SENTENCES[0] * 5, "Anna."])
    assert len(long.ids) > 8
    assert len(short.ids) < 8


def test_margin_is_the_closest_call(hugging_face: Path) -> None:
    tokenizer = load_tokenizer(CheckpointFolder(hugging_face))
    (encoded,) = encode(tokenizer, ["Anna met Boris."])
    logits = np.zeros((len(encoded.ids), len(LABELS)), np.float32)
    logits[:, 0] = 4
    logits[encoded.first_tokens[2], 3] = 3.75
    assert decode(encoded, logits, SCHEME).margin == pytest.approx(0.25)
