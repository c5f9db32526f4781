"""The tokenizer of an export gives the ids of AutoTokenizer, which obeys more than one file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from making import LABELS, SENTENCES, save_roberta
from making_boolq import save_pair_bert
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import copy_folder, inspect
from mt_gate.sut.card import MOST_LENGTH, CheckpointOptions
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import load_tokenizer
from speeds import Made

pytest.importorskip("transformers", reason="needs mt-gate[export]")

from mt_gate.exporting.export import export
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
    """Return the folder with the written tokenizer, and the tokenizer's own limit."""
    copy, draft = tmp_path / "copy", tmp_path / "draft"
    copy.mkdir()
    draft.mkdir()
    source = copy_folder(inspect(folder, task), task, CheckpointOptions(), copy)
    return draft, save_tokenizer(source, draft, TEXTS)


def assert_as_transformers(folder: Path, draft: Path) -> None:
    from transformers import AutoTokenizer

    served = AutoTokenizer.from_pretrained(folder)
    written = load_tokenizer(CheckpointFolder(draft))
    for text in (*TEXTS, *PROBES):
        assert written.encode(text).ids == served(text)["input_ids"], text


@cases("exporting/tokenizer_settings")
def test_settings_of_a_bert(bert: Path, tmp_path: Path, file: str, settings: str) -> None:
    change(bert, file, **json.loads(settings))
    draft, _ = save(bert, tmp_path)
    assert_as_transformers(bert, draft)


def test_lower_case_that_only_the_settings_ask_for(bert: Path, tmp_path: Path) -> None:
    change(bert, "tokenizer_config.json", do_lower_case=False)
    draft, _ = save(bert, tmp_path)
    written = load_tokenizer(CheckpointFolder(draft))
    assert written.encode("Oslo").tokens != written.encode("oslo").tokens


@pytest.mark.parametrize("prefix", [True, False])
def test_prefix_space_of_a_byte_level_tokenizer(
    roberta: Path, tmp_path: Path, prefix: bool
) -> None:
    change(roberta, "tokenizer_config.json", add_prefix_space=prefix)
    draft, _ = save(roberta, tmp_path)
    assert_as_transformers(roberta, draft)


def test_no_settings_at_all(bert: Path, tmp_path: Path) -> None:
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (bert / name).unlink(missing_ok=True)
    draft, _ = save(bert, tmp_path)
    assert_as_transformers(bert, draft)


def test_a_file_that_agrees_keeps_its_bytes(bert: Path, tmp_path: Path) -> None:
    draft, _ = save(bert, tmp_path)
    assert (draft / "tokenizer.json").read_bytes() == (bert / "tokenizer.json").read_bytes()


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


def test_special_tokens_that_only_the_settings_split(bert: Path, tmp_path: Path) -> None:
    change(bert, "tokenizer_config.json", split_special_tokens=True)
    with pytest.raises(CannotJudge, match="AutoTokenizer gives token ids for"):
        save(bert, tmp_path)


def test_pairs_without_types_of_tokens(tmp_path: Path) -> None:
    """A model that gets no types takes all tokens as of the first text."""
    folder = save_pair_bert(tmp_path / "bert")
    change(folder, "tokenizer_config.json", model_input_names=["input_ids", "attention_mask"])
    draft, _ = save(folder, tmp_path, "boolq")
    found = load_tokenizer(CheckpointFolder(draft)).encode("Anna", "met Boris")
    assert {*found.type_ids} == {0}
    assert {*found.sequence_ids} == {None, 0, 1}
    assert_as_transformers(folder, draft)


def test_another_case_is_another_system(bert: Path, tmp_path: Path) -> None:
    """The same weights under other settings differ in fingerprint, before and after the export."""
    seen = set()
    for name in ("one", "other"):
        seen.add(inspect(bert, "ner").fingerprint)
        export(bert, "ner", tmp_path / name, "fp32", [{"text": text} for text in SENTENCES[:9]])
        seen.add(OnnxSystem(tmp_path / name, "ner", "cpu").head.fingerprint)
        change(bert, "tokenizer_config.json", do_lower_case=False)
    assert len(seen) == 4
