"""The tokenizer of an export gives the ids of AutoTokenizer, which obeys more than one file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from making import LABELS, SENTENCES, save_roberta
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import copy_folder, inspect
from mt_gate.sut.card import MOST_LENGTH, CheckpointOptions
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import load_tokenizer
from speeds import Made

pytest.importorskip("transformers", reason="needs mt-gate[export]")

from mt_gate.exporting.tokenizer import PROBES, save_tokenizer

TEXTS = (*SENTENCES[:5], "ANNA MET Zoë", "  oslo  [NEW]x [MASK]", "José in 北京", "Zoe\u0308")


@pytest.fixture
def bert(hugging_face: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(hugging_face, tmp_path / "bert"))


@pytest.fixture
def roberta(made_once: Made, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_once(save_roberta, LABELS), tmp_path / "roberta"))


def change(folder: Path, name: str, **settings: Any) -> None:
    there = folder / name
    before = json.loads(there.read_text()) if there.exists() else {}
    there.write_text(json.dumps({**before, **settings}))


def save(folder: Path, tmp_path: Path, task: str = "ner") -> tuple[Path, int]:
    copy, draft = tmp_path / "copy", tmp_path / "draft"
    copy.mkdir()
    draft.mkdir()
    source = copy_folder(inspect(folder, task), task, CheckpointOptions(), copy)
    return draft, save_tokenizer(source, draft, [(text,) for text in TEXTS])


def assert_as_transformers(folder: Path, draft: Path) -> None:
    from transformers import AutoTokenizer

    served = AutoTokenizer.from_pretrained(folder)
    written = load_tokenizer(CheckpointFolder(draft))
    for text in (*TEXTS, *PROBES):
        assert written.encode(text).ids == served(text)["input_ids"], text


@pytest.mark.parametrize("prefix", [True, False])
def test_prefix_space_of_a_byte_level_tokenizer(
    roberta: Path, tmp_path: Path, prefix: bool
) -> None:
    change(roberta, "tokenizer_config.json", add_prefix_space=prefix)
    draft, _ = save(roberta, tmp_path)
    assert_as_transformers(roberta, draft)


@pytest.mark.parametrize(
    ("name", "value", "limit"),
    [("model_max_length", 40, 40), ("max_len", 40, 40), ("model_max_length", -1, MOST_LENGTH),
     ("model_max_length", 1e30, MOST_LENGTH)],
)  # fmt: skip
def test_the_limit_of_the_settings(
    bert: Path, tmp_path: Path, name: str, value: float, limit: int
) -> None:
    path = bert / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    settings.pop("model_max_length", None)
    path.write_text(json.dumps({**settings, name: value}))
    assert save(bert, tmp_path)[1] == limit


@pytest.mark.parametrize("name", ["Phobert", "Bertweet"])
def test_a_tokenizer_in_python_only(roberta: Path, tmp_path: Path, name: str) -> None:
    for file in ("tokenizer.json", "vocab.json", "merges.txt"):
        (roberta / file).unlink()
    (roberta / "vocab.txt").write_text("met 1\nAnna 2\n")
    (roberta / "bpe.codes").write_text("m e 5\nme t 4\n")
    change(roberta, "tokenizer_config.json", tokenizer_class=f"{name}Tokenizer")
    with pytest.raises(CannotJudge, match=f"{name}Tokenizer splits texts with Python") as error:
        save(roberta, tmp_path)
    assert "--system 'command:" in str(error.value)


def test_special_tokens_that_only_the_settings_split(bert: Path, tmp_path: Path) -> None:
    change(bert, "tokenizer_config.json", split_special_tokens=True)
    with pytest.raises(CannotJudge, match="give different token ids for"):
        save(bert, tmp_path)
