"""Folders that mt-gate or save_pretrained() did not write: run, or refused with what works."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cases import cases
from making_folders import CONFIG, LABELS, safetensors, write_folder
from making_onnx import save_checkpoint, tagger
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting import hugging_face
from mt_gate.exporting.hugging_face import fetch, inspect
from mt_gate.sut.card import CheckpointOptions


def refused(folder: Path, *words: str, task: str = "ner") -> None:
    with pytest.raises(CannotJudge) as error:
        inspect(folder, task)
    for word in words:
        assert word in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@cases("exporting/foreign_folders")
def test_a_folder_of_another_library(tmp_path: Path, files: str, words: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in files.split():
        (folder / name).write_bytes(safetensors() if name.endswith(".safetensors") else b"{}")
    refused(folder, str(folder), *words.split("|"))


@pytest.mark.parametrize("name", ["model.gguf", "best-model.pt", "config.cfg", "model_head.pkl"])
def test_a_whole_checkpoint_with_such_a_file(tmp_path: Path, name: str) -> None:
    folder = write_folder(tmp_path / "whole")
    (folder / name).write_text("{}")
    assert inspect(folder, "ner").labels == LABELS


class TestOnnx:
    """Folders of optimum and transformers.js: ONNX models next to config.json."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = write_folder(tmp_path / "optimum")
        (folder / "model.safetensors").unlink()
        for name in ("model.onnx", "model.onnx_data", "model_quantized.onnx"):
            (folder / name).write_bytes(name.encode() * 100)
        return folder

    @pytest.mark.parametrize("below", ["", "onnx"])
    @pytest.mark.parametrize(
        ("precision", "names"),
        [
            ("", ["model.onnx", "model.onnx_data"]),
            ("fp32", ["model.onnx", "model.onnx_data"]),
            ("int8", ["model_quantized.onnx"]),
        ],
    )
    def test_the_model_of_a_precision(
        self, folder: Path, below: str, precision: str, names: list[str]
    ) -> None:
        (folder / below).mkdir(exist_ok=True)
        for file in folder.glob("*.onnx*"):
            file.rename(folder / below / file.name)
        options = CheckpointOptions(precision=precision)
        seen = inspect(folder, "ner", options)
        assert [*seen.weights.names] == [str(Path(below, name)) for name in names]
        (folder / below / names[-1]).write_bytes(b"other" * 200)
        assert inspect(folder, "ner", options).fingerprint != seen.fingerprint

    def test_no_model_of_the_precision(self, folder: Path) -> None:
        with pytest.raises(
            CannotJudge, match=r"no ONNX model called model_fp16\.onnx, only 'model"
        ):
            inspect(folder, "ner", CheckpointOptions(precision="fp16"))

    def test_weights_of_transformers_come_first(self, folder: Path) -> None:
        (folder / "model.safetensors").write_bytes(safetensors())
        assert not inspect(folder, "ner").weights.onnx

    @pytest.mark.export
    def test_a_run(self, tmp_path: Path, hugging_face: Path, command: Callable[..., Any]) -> None:
        folder = Path(shutil.copytree(hugging_face, tmp_path / "optimum"))
        (folder / "model.safetensors").unlink()
        made = save_checkpoint(tmp_path / "made", tagger())
        shutil.copy(made / "model.onnx", folder / "model.onnx")
        shutil.copy(made / "tokenizer.json", folder / "tokenizer.json")
        answer = command("export", folder, "--task", "ner", "--out", tmp_path / "out")
        assert answer.code == 0, answer
        assert "not compared with another" in answer.err
        card = json.loads((tmp_path / "out" / "checkpoint.json").read_text())
        assert "parity" not in card
        run = command(
            "run", "--checkpoint", folder, "--task", "ner", "--sources", 5, "--device", "cpu"
        )
        assert run.code == 0, run


class TestLabels:
    def test_a_number_of_labels(self, tmp_path: Path) -> None:
        architectures = ["BertForSequenceClassification"]
        folder = write_folder(
            tmp_path / "x", id2label=None, num_labels=3, architectures=architectures
        )
        assert inspect(folder, "text").labels == ("LABEL_0", "LABEL_1", "LABEL_2")

    def test_labels_that_are_numbers(self, tmp_path: Path) -> None:
        architectures = ["BertForSequenceClassification"]
        folder = write_folder(
            tmp_path / "x", id2label={"0": 1, "1": 5}, architectures=architectures
        )
        assert inspect(folder, "text").labels == ("1", "5")


class TestAdapters:
    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Path:
        folder = tmp_path / "adapter"
        folder.mkdir()
        self.write(folder, str(tmp_path / "base"))
        (folder / "adapter_model.safetensors").write_bytes(safetensors())
        return folder

    def write(self, folder: Path, base: object) -> None:
        settings = {"peft_type": "LORA", "task_type": "TOKEN_CLS", "base_model_name_or_path": base}
        (folder / "adapter_config.json").write_text(json.dumps(settings))

    def test_the_base_is_named(self, adapter: Path) -> None:
        self.write(adapter, "org/base")
        refused(adapter, "'org/base'", "hf download", "merge_and_unload()")

    def test_a_base_here(self, adapter: Path, tmp_path: Path) -> None:
        base = write_folder(tmp_path / "base", architectures=["BertForMaskedLM"])
        seen = inspect(adapter, "ner")
        assert (seen.labels, seen.base) == (LABELS, base)
        assert seen.architecture == "BertForTokenClassification"
        (base / "vocab.txt").write_text("other")
        assert inspect(adapter, "ner").fingerprint != seen.fingerprint

    def test_its_own_labels(self, adapter: Path, tmp_path: Path) -> None:
        write_folder(tmp_path / "base")
        labels = {"0": "O", "1": "B-X", "2": "I-X"}
        (adapter / "config.json").write_text(json.dumps({**CONFIG, "id2label": labels}))
        assert inspect(adapter, "ner").labels == ("O", "B-X", "I-X")

    def test_a_base_in_the_hub_s_cache(
        self, adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        base = write_folder(tmp_path / "snapshot")
        calls = hub(monkeypatch, base)
        self.write(adapter, "org/base")
        assert inspect(adapter, "ner").base == base
        assert calls == [("org/base", None, True)]  # nothing is downloaded

    @pytest.mark.parametrize("base", [None, 3, "", "\0", "../nowhere"])
    def test_no_usable_base(self, adapter: Path, base: object) -> None:
        self.write(adapter, base)
        refused(adapter, "adapter_config.json")


def hub(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[tuple[str, str | None, bool]]:
    """Replace the hub's client by one that has a snapshot; return the requests that it gets."""
    calls = []

    def download(
        name: str, revision: str | None = None, local_files_only: bool = False, **_: object
    ) -> str:
        calls.append((name, revision, local_files_only))
        return str(folder)

    hugging_face._download.cache_clear()
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=download))
    return calls


class TestHub:
    @pytest.mark.parametrize(
        ("name", "asked"),
        [
            ("hub:org/name@v1.0", ("org/name", "v1.0", False)),
            ("hub:org/name", ("org/name", None, False)),
            ("hub:bert@refs/pr/3", ("bert", "refs/pr/3", False)),
            ("org/name", ("org/name", None, False)),
        ],
    )
    def test_a_revision(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, asked: tuple
    ) -> None:
        folder = write_folder(tmp_path / "snapshot")
        calls = hub(monkeypatch, folder)
        assert fetch(name) == fetch(name) == folder
        assert calls == [asked]  # once, so that all of a run reads one snapshot

    @pytest.mark.parametrize("name", ["hub:", "hub:a/b/c", "hub:../x", "hub:a/b@", "no-folder"])
    def test_no_name(self, name: str) -> None:
        with pytest.raises(UsageError, match="does not exist"):
            fetch(name)

    def test_doctor(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any]
    ) -> None:
        hub(monkeypatch, write_folder(tmp_path / "snapshot"))
        text = command("doctor", "--checkpoint", "hub:org/name@v1", "--device", "cpu").out
        assert "3: O, B-PER, I-PER" in text
        assert "mt-gate run --checkpoint hub:org/name@v1 --task ner" in text
