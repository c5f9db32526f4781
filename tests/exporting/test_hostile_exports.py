"""Exports of folders that lie: refused in one line, quietly, offline, and nothing stays behind."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from making import SENTENCES
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.hugging_face import inspect
from mt_gate.exporting.writing import offline, quiet
from mt_gate.sut.card import read_card

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

from safetensors.numpy import load_file, save_file

from mt_gate.exporting import export as exporting
from mt_gate.exporting.export import export

INPUTS = [{"text": text} for text in SENTENCES[:10]]


@pytest.fixture
def folder(hugging_face: Path, tmp_path: Path) -> Path:
    """A checkpoint that the test may damage."""
    return Path(shutil.copytree(hugging_face, tmp_path / "saved"))


@pytest.fixture
def refused(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Export, expecting one short line, nothing said, and nothing written."""

    def check(*words: str, expected: str = "") -> str:
        with pytest.raises(CannotJudge) as told:
            export(folder, "ner", tmp_path / "out" / "made", "fp32", INPUTS, expected=expected)
        for word in words:
            assert word in str(told.value)
        assert len(str(told.value)) < 700
        assert str(tmp_path / "out" / ".mt-gate") not in str(told.value)
        assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
        assert capfd.readouterr() == ("", "")
        return str(told.value)

    return check


def put_into_shards(folder: Path) -> None:
    """Store the weights as two files with an index, as large checkpoints are."""
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


def test_shards_in_a_subfolder(folder: Path, refused: Callable) -> None:
    put_into_shards(folder)
    (folder / "inner").mkdir()
    (folder / "model-00000.safetensors").rename(folder / "inner" / "model-00000.safetensors")
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text().replace("model-00000", "inner/model-00000"))
    refused("names the shard 'inner/model-00000.safetensors'")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers(folder: Path, refused: Callable, value: float) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.bias"][0] = value
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    refused("logits that are not finite", "NaN, infinity")


def test_replaced_after_it_was_seen(folder: Path, refused: Callable) -> None:
    seen = inspect(folder, "ner").fingerprint
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (folder / "model.safetensors").write_bytes(data)
    refused("changed while they were read", expected=seen)


def test_replaced_while_it_is_exported(
    folder: Path, refused: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    need = exporting.need_export_packages

    def swap() -> None:
        need()
        data = bytearray((folder / "model.safetensors").read_bytes())
        data[-1] ^= 1
        (folder / "model.safetensors").write_bytes(data)

    monkeypatch.setattr(exporting, "need_export_packages", swap)
    refused("changed while they were read")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"intermediate_size": 5000, "vocab_size": 9000, "hidden_size": 9000}, "describes a model"),
        ({"num_hidden_layers": 30}, "weights lack"),
        ({"hidden_size": 30}, "transformers cannot load it"),
        ({"num_attention_heads": 7}, "transformers cannot load it"),
        ({"hidden_act": "evil"}, "transformers cannot load it"),
        ({"layer_norm_eps": "a"}, "transformers cannot load it|PyTorch cannot export it"),
        ({"model_type": "org/evil"}, "transformers cannot load it"),
        ({"model_type": "gpt2"}, "transformers cannot load it|weights lack transformer"),
        ({"id2label": {"0": "O"}}, "tag scheme"),
        ({"to_dict": "a"}, "transformers cannot load it"),
    ],
)
def test_configurations(folder: Path, refused: Callable, change: Any, words: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    assert re.search(words, refused())


class TestTokenizersOfOlderFiles:
    """Made by transformers from a vocabulary: of the folder's own, whatever its settings say."""

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

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("vocab.txt", b""),
            ("vocab.txt", b"\xff\xfe\n"),
            ("vocab.txt", b"only\n"),
            ("tokenizer_config.json", b'{"tokenizer_class": "TransfoXLTokenizer"}'),
            ("tokenizer_config.json", b'{"tokenizer_class": "RagTokenizer"}'),
            ("tokenizer_config.json", b'{"tokenizer_class": ["a"], "unk_token": 3}'),
            ("special_tokens_map.json", b"[]"),
        ],
    )
    def test_broken(self, folder: Path, refused: Callable, name: str, text: bytes) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / name).write_bytes(text)
        refused(str(folder))


def test_what_libraries_print_stays_with_them(capfd: pytest.CaptureFixture[str]) -> None:
    import logging
    import warnings

    with quiet():
        print("out")
        print("err", file=sys.stderr)
        warnings.warn("warned", stacklevel=1)
        logging.getLogger("transformers").critical("logged")
    assert capfd.readouterr() == ("", "")


def test_offline_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants as constants
    import transformers.utils.hub as hub

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    if hasattr(hub, "_is_offline_mode"):  # of transformers 4
        monkeypatch.setattr(hub, "_is_offline_mode", False)
    with offline():
        assert constants.HF_HUB_OFFLINE
        assert hub.is_offline_mode()
    assert not constants.HF_HUB_OFFLINE
    assert not hub.is_offline_mode()
