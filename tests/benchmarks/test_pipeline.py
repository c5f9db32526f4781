"""Faults of tokenizer and card, on the forms that checkpoints have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from fault_bench.faults import Fault, planned
from fault_bench.pipeline import change_of
from mt_gate.base.errors import CannotJudge

CLS, SEP = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("[CLS]", "[SEP]"))


def fault(kind: str, strength: float = 1.0) -> Fault:
    found = planned("ner", [kind])[0]
    return Fault(kind=kind, family=found.family, half=found.half, strength=strength)


def bert() -> dict[str, Any]:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "anna", "Anna", "jose", "josé", *"abcdefgh"]
    first, second = (
        {"Sequence": {"id": name, "type_id": at}} for at, name in enumerate(("A", "B"))
    )
    specials = {
        name: {"id": name, "ids": [words.index(name)], "tokens": [name]}
        for name in ("[CLS]", "[SEP]")
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [CLS, first, SEP],
            "pair": [CLS, first, SEP, second, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": specials,
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: at for at, word in enumerate(words)},
        },
    }


def changed(folder: Path, tokenizer: dict[str, Any], asked: Fault) -> Tokenizer:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(tokenizer), encoding="utf-8")
    change_of(asked)(folder, {"labels": []})
    return Tokenizer.from_file(str(path))


def test_casing_is_turned_and_accents_stay_as_they_were(tmp_path: Path) -> None:
    found = changed(tmp_path, bert(), fault("casing"))
    assert found.encode("Anna José", add_special_tokens=False).tokens == ["Anna", "[UNK]"]
    assert found.encode("josé", add_special_tokens=False).tokens == ["jose"]


def test_accents_are_kept(tmp_path: Path) -> None:
    found = changed(tmp_path, bert(), fault("accents"))
    assert found.encode("Anna José", add_special_tokens=False).tokens == ["anna", "josé"]


UNCASED = bert()["normalizer"]
LOWER = {
    "type": "Sequence",
    "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}],
}


@pytest.mark.parametrize(
    ("kind", "normalizer", "tokens"),
    [
        ("casing", None, ["anna", "josé"]),
        ("casing", {"type": "NFC"}, ["anna", "josé"]),
        ("accents", {"type": "Sequence", "normalizers": [{"type": "NFC"}]}, ["Anna", "[UNK]"]),
        ("casing", {"type": "Lowercase"}, ["Anna", "[UNK]"]),
        ("casing", LOWER, ["Anna", "[UNK]"]),
        ("accents", LOWER, ["anna", "josé"]),
        ("casing", {"type": "Sequence", "normalizers": [LOWER, UNCASED]}, ["Anna", "[UNK]"]),
    ],
)
def test_a_tokenizer_of_another_kind_gets_what_it_lacked(
    tmp_path: Path, kind: str, normalizer: dict[str, Any] | None, tokens: list[str]
) -> None:
    cased = bert() | {"normalizer": normalizer}
    assert (
        changed(tmp_path, cased, fault(kind)).encode("Anna José", add_special_tokens=False).tokens
        == tokens
    )


@pytest.mark.parametrize(
    ("kind", "letters", "same"), [("casing", "EAÉ", "eaé"), ("accents", "éÉ", "eE")]
)
def test_a_normalizer_whose_effect_stays_is_told(
    tmp_path: Path, kind: str, letters: str, same: str
) -> None:
    steps = [
        {"type": "Replace", "pattern": {"String": letter}, "content": other}
        for letter, other in zip(letters, same, strict=True)
    ]
    tokenizer = bert() | {"normalizer": {"type": "Sequence", "normalizers": steps}}
    with pytest.raises(CannotJudge, match="whatever is put into its normalizer"):
        changed(tmp_path, tokenizer, fault(kind))


def test_segment_ids_are_wrong(tmp_path: Path) -> None:
    found = changed(tmp_path, bert(), fault("segment-ids"))
    assert set(found.encode("a b", "c").type_ids) == {0}
    assert found.encode("a b").type_ids == [0, 1, 1, 0] or found.encode("a b").type_ids == [1] * 4


def test_texts_are_exchanged_and_a_single_one_loses_its_frame(tmp_path: Path) -> None:
    found = changed(tmp_path, bert(), fault("template"))
    assert found.encode("a", "b").tokens == ["[CLS]", "b", "[SEP]", "a", "[SEP]"]
    assert found.encode("a").tokens == ["a"]


def test_marks_of_head_and_tail_are_exchanged(tmp_path: Path) -> None:
    card = {"labels": [], "head": "[E1] {text}", "tail": "[E2] {text}"}
    change_of(fault("template"))(tmp_path, card)
    assert (card["head"], card["tail"]) == ("[E2] {text}", "[E1] {text}")


def test_a_tokenizer_without_template_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match="post-processor none, without a template"):
        changed(tmp_path, bert() | {"post_processor": None}, fault("template"))


def test_padding_stands_before_the_text(tmp_path: Path) -> None:
    found = changed(tmp_path, bert(), fault("padding-side", 2))
    assert found.encode("a").tokens == ["[PAD]", "[PAD]", "[CLS]", "a", "[SEP]"]
    assert found.encode("a", "b").attention_mask == [1] * 7
    assert found.encode("a").offsets[3] == (0, 1)


def test_a_tokenizer_without_padding_is_told(tmp_path: Path) -> None:
    tokenizer = bert()
    del tokenizer["model"]["vocab"]["[PAD]"]
    with pytest.raises(CannotJudge, match="no piece for padding"):
        changed(tmp_path, tokenizer, fault("padding-side", 2))
    added = {"id": 0, "content": "<pad>", "special": True}
    added |= dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    found = changed(tmp_path, tokenizer | {"added_tokens": [added]}, fault("padding-side", 1))
    assert found.encode("a").ids[0] == 0


def test_a_share_of_the_vocabulary_is_exchanged(tmp_path: Path) -> None:
    before = bert()["model"]["vocab"]
    tokenizer = bert() | {"added_tokens": []}
    after = changed(tmp_path, tokenizer, fault("sister-tokenizer", 0.5)).get_vocab()
    moved = {piece for piece in before if before[piece] != after[piece]}
    assert len(moved) == len(before) // 2 // 2 * 2
    assert sorted(after.values()) == sorted(before.values())


@pytest.mark.parametrize(
    ("labels", "pairs", "wanted"),
    [
        (["O", "B-PER", "I-PER", "B-LOC", "I-LOC"], 1, ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]),
        (["no", "yes"], 1, ["yes", "no"]),
        (
            ["no_relation", "a(e1,e2)", "a(e2,e1)", "b(e1,e2)", "b(e2,e1)"],
            1,
            ["no_relation", "b(e1,e2)", "b(e2,e1)", "a(e1,e2)", "a(e2,e1)"],
        ),
        (["a(e1,e2)", "b", "c(e1,e2)"], 1, ["c(e1,e2)", "b", "a(e1,e2)"]),
    ],
)
def test_labels_are_exchanged_by_kind(labels: list[str], pairs: int, wanted: list[str]) -> None:
    card = {"labels": labels}
    change_of(fault("labels-exchanged", pairs))(Path(), card)
    assert card["labels"] == wanted


@pytest.mark.parametrize(
    ("labels", "pairs"),
    [
        (["no", "yes"], 4),
        (["O", "B-PER", "I-PER"], 1),
        (["no_relation", "a(e1,e2)", "a(e2,e1)"], 1),
        (["a(e1,e2)", "b(e1,e2)", "b(e2,e1)"], 1),
    ],
)
def test_labels_without_so_many_pairs_are_told(labels: list[str], pairs: int) -> None:
    with pytest.raises(CannotJudge, match="its labels have no"):
        change_of(fault("labels-exchanged", pairs))(Path(), {"labels": labels})


def test_less_is_read() -> None:
    card = {"max_length": 256}
    change_of(fault("truncation", 0.125))(Path(), card)
    assert card["max_length"] == 32


@pytest.mark.parametrize(("length", "share"), [(12, 0.125), (3, 0.5), (256, 1.0)])
def test_what_is_no_shorter_or_too_short_is_told(length: int, share: float) -> None:
    card = {"max_length": length}
    with pytest.raises(CannotJudge, match=f"of its greatest length, {length}"):
        change_of(fault("truncation", share))(Path(), card)
    assert card == {"max_length": length}
