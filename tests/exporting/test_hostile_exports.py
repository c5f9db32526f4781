"""Exports of folders that lie: refused in one line, quietly, offline, and nothing stays behind."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import cases
from making import SENTENCES
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import inspect
from mt_gate.sut.card import read_card

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

from safetensors.numpy import load_file, save_file

from mt_gate.exporting import export as exporting
from mt_gate.exporting.export import export

INPUTS = [{"text": text} for text in SENTENCES[:10]]


@pytest.fixture
def folder(hugging_face: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(hugging_face, tmp_path / "saved"))


@pytest.fixture
def refused(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def check(*words: str, expected: str = "") -> str:
        with pytest.raises(CannotJudge) as result:
            export(folder, "ner", tmp_path / "out" / "made", "fp32", INPUTS, expected=expected)
        for word in words:
            assert word in str(result.value)
        assert len(str(result.value)) < 700
        assert str(tmp_path / "out" / ".mt-gate") not in str(result.value)
        assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
        assert capfd.readouterr() == ("", "")
        return str(result.value)

    return check


def put_into_shards(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    places = {name: f"model-0000{index % 2}.safetensors" for index, name in enumerate(tensors)}
    for file in set(places.values()):
        part = {name: tensors[name] for name, place in places.items() if place == file}
        save_file(part, folder / file, metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()


def test_shards_without_a_network(
    folder: Path,
    exported: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    called: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *address: called.append(address))
    monkeypatch.delenv("HF_HUB_OFFLINE")
    put_into_shards(folder)
    card = export(folder, "ner", tmp_path / "out" / "made", "fp32", INPUTS)
    assert card.parity is not None
    assert card.parity.equal_predictions == 1
    assert card.fingerprint == inspect(folder, "ner").fingerprint
    assert card.fingerprint != read_card(exported).fingerprint
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["made"]
    assert called == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers(folder: Path, refused: Callable, value: float) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.bias"][0] = value
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    refused("logits that are not finite", "NaN, infinity")


@pytest.mark.parametrize("when", ["after it was seen", "while it is exported"])
def test_replaced(
    folder: Path, refused: Callable, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    seen = inspect(folder, "ner").fingerprint

    def swap() -> None:
        data = bytearray((folder / "model.safetensors").read_bytes())
        data[-1] ^= 1
        (folder / "model.safetensors").write_bytes(data)

    if when == "after it was seen":
        swap()
    monkeypatch.setattr(exporting, "need_export_packages", swap)
    refused("changed while they were read", expected=seen)


class TestTokenizersOfOlderFiles:
    @pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json"])
    def test_vocabularies_elsewhere(self, folder: Path, tmp_path: Path, name: str) -> None:
        (folder / "tokenizer.json").unlink()
        secret = tmp_path / "environ"
        secret.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nTOKEN=hunter2\n")
        there = folder / name  # transformers 5 saves one of the two alone
        settings = json.loads(there.read_text()) if there.exists() else {}
        settings |= {"vocab_file": str(secret), "init_inputs": [str(secret)]}
        (folder / name).write_text(json.dumps(settings))
        export(folder, "ner", tmp_path / "made", "fp32", INPUTS)
        made = (tmp_path / "made" / "tokenizer.json").read_text()
        assert "hunter2" not in made
        assert '"oslo"' in made

    @cases("exporting/vocabularies_broken")
    def test_broken(self, folder: Path, refused: Callable, file: str, text: str) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / file).write_text(text)
        refused(str(folder))
