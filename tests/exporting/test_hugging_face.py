"""Folders as strangers may make them, looked at: refused in one line, or counted whole."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cases import cases, read_cases, table
from making_folders import (
    CONFIG,
    LABELS,
    SHAPES,
    TOKENIZER_CONFIG,
    header,
    packed,
    safetensors,
    shard,
    write_folder,
)
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.folder_files import COUNTED, MOST_SHARDS, Weights, read_weights
from mt_gate.exporting.hugging_face import check_config, clear, copy_folder, inspect, is_exported
from mt_gate.sut.card import CheckpointOptions

ELEMENTS = 40 * 8 + 8 * 16 + 3 * 8 + 3
DATA = bytes(4 * ELEMENTS)
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def refused(folder: Path, *words: str, task: str = "ner") -> None:
    with pytest.raises(CannotJudge) as error:
        inspect(folder, task)
    for word in words:
        assert word in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 800


def write_index(folder: Path, content: Any) -> None:
    (folder / WEIGHTS).unlink()
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (folder / INDEX).write_bytes(data)


def test_a_folder(folder: Path) -> None:
    actual = inspect(folder, "ner")
    assert (actual.labels, actual.max_length, actual.source) == (LABELS, 32, folder)
    assert actual.weights == ((WEIGHTS,), len(SHAPES), ELEMENTS)


class TestFingerprint:
    def test_each_shard(self, folder: Path) -> None:
        shard(folder, "a.safetensors", "b.safetensors", "b.safetensors")
        before = inspect(folder, "ner").fingerprint
        (folder / "b.safetensors").write_bytes(safetensors({"x": (2,)}, fill=b"\1"))
        assert inspect(folder, "ner").fingerprint != before

    @pytest.mark.parametrize("name", table(__file__, "each_file"))
    def test_each_file(self, folder: Path, name: str) -> None:
        before = inspect(folder, "ner").fingerprint
        with (folder / name).open("a") as file:
            file.write(" ")
        assert inspect(folder, "ner").fingerprint != before

    def test_the_hub_s_snapshots(self, folder: Path, tmp_path: Path) -> None:
        before = inspect(folder, "ner")
        repository = tmp_path / "models--org--name"
        snapshot = repository / "snapshots" / "0123"
        snapshot.mkdir(parents=True)
        folder.rename(repository / "blobs")
        for file in (repository / "blobs").iterdir():
            (snapshot / file.name).symlink_to(f"../../blobs/{file.name}")
        assert inspect(snapshot, "ner").fingerprint == before.fingerprint


class TestCopy:
    def test_a_copy(self, folder: Path, tmp_path: Path) -> None:
        for name in ("generation_config.json", "adapter.bin", "modeling_evil.py", "chat.jinja"):
            (folder / name).write_text("{}")
        into = tmp_path / "copy"
        into.mkdir()
        seen = inspect(folder, "ner")
        actual = copy_folder(seen, "ner", CheckpointOptions(), into)
        assert actual._replace(source=folder) == seen
        assert actual.source == into
        names = sorted(path.name for path in into.iterdir())
        assert names == ["config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"]
        assert all(any(map(Path(name).match, COUNTED)) for name in names)
        assert not any(path.is_symlink() for path in into.iterdir())

    @pytest.mark.parametrize("name", [WEIGHTS, "config.json", "added_tokens.json"])
    def test_files_that_change_in_between(self, folder: Path, tmp_path: Path, name: str) -> None:
        seen = inspect(folder, "ner")
        with (folder / name).open("ab") as file:
            file.write(b"{} "[-1 if name == "config.json" else 0 :])
        (tmp_path / "copy").mkdir()
        with pytest.raises(CannotJudge, match="changed while they were read"):
            copy_folder(seen, "ner", CheckpointOptions(), tmp_path / "copy")


KINDS: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda path: path.mkdir(), "a folder. Expected a regular file"),
    "fifo": (os.mkfifo, "a FIFO. Expected a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "a link out of"),
    "memory": (lambda path: path.symlink_to("/proc/self/mem"), "a link out of"),
    "outside": (lambda path: path.symlink_to("../secret.txt"), "a link out of"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "does not exist"),
    "loop": (lambda path: path.symlink_to(path.name), "cannot be read"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["config.json", WEIGHTS, "tokenizer_config.json", "vocab.txt"])
def test_files_that_are_none(folder: Path, tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "secret.txt").write_text("hunter2")
    make, words = KINDS[kind]
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    with pytest.raises(CannotJudge) as actual:
        inspect(folder, "ner")
    assert name in str(actual.value)
    assert words in str(actual.value)
    assert "hunter2" not in str(actual.value)


@cases("exporting/folder_refused")
def test_settings_that_are_refused(
    folder: Path, file: str, task: str, changes: str, words: str
) -> None:
    before = {"config.json": CONFIG, "tokenizer_config.json": TOKENIZER_CONFIG}.get(file, {})
    (folder / file).write_text(json.dumps({**before, **json.loads(changes)}))
    refused(folder, *words.split("|"), task=task)


class TestConfiguration:
    WEIGHTS = Weights(("model.safetensors",), tensors=70, elements=100_000)

    @cases("exporting/config_allowed")
    def test_what_may_be_there(self, more: str) -> None:
        check_config(Path("config.json"), {**CONFIG, **json.loads(more)}, self.WEIGHTS)

    @cases("exporting/config_refused")
    def test_what_may_not(self, key: str, value: str, words: str) -> None:
        actual = {key: json.loads(value)}
        for config in (actual, {"text_config": actual}, {"parts": [[{"deeper": actual}]]}):
            self.refuse({**CONFIG, **config}, key[:60], words)

    def test_depth(self) -> None:
        nested: Any = 1
        for _ in range(900):
            nested = {"a": [nested]}
        self.refuse({**CONFIG, "a": nested}, "levels deep")

    def refuse(self, config: dict[str, Any], *words: str) -> None:
        with pytest.raises(CannotJudge) as error:
            check_config(Path("config.json"), config, self.WEIGHTS)
        for word in ("config.json", *words):
            assert word in str(error.value)
        assert len(str(error.value)) < 400


BROKEN = {
    "empty": b"",
    "seven bytes": b"\0" * 7,
    "no header": bytes(8),
    "a header of all memory": b"\xff" * 8 + b"{}",
    "a header longer than the file": (200).to_bytes(8, "little") + b"{}",
    "cut": safetensors()[:-1],
    "longer": safetensors() + b"\0",
    "not JSON": packed(b"{nothing", DATA),
    "a list": packed(b"[]", DATA),
    "deep": packed(b'{"a":' * 5000, DATA),
    "undecodable": packed(b'{"\xff": {}}', DATA),
    "without tensors": packed(b"{}", b""),
    "no places": packed({"a": {"dtype": "F32", "shape": [1]}}, bytes(4)),
}
for row in read_cases("exporting/headers_broken"):
    bias = {**header()["classifier.bias"], **json.loads(row["fields"])}
    BROKEN[row["what"]] = packed({**header(), "classifier.bias": bias}, DATA)


class TestWeights:
    def test_shards(self, folder: Path) -> None:
        shard(folder, "a.safetensors", "b.safetensors", "a.safetensors")
        names, tensors, _ = read_weights(folder)
        assert names == ("a.safetensors", "b.safetensors")
        assert tensors == 2  # the second of a.safetensors took the first one's place

    def test_as_the_library_writes_them(self, hugging_face: Path) -> None:
        from safetensors.numpy import load_file

        actual = read_weights(hugging_face)
        tensors = load_file(hugging_face / WEIGHTS).values()
        assert (actual.tensors, actual.elements) == (
            len(tensors),
            sum(each.size for each in tensors),
        )

    @pytest.mark.parametrize("name", BROKEN)
    def test_broken_files(self, folder: Path, name: str) -> None:
        (folder / WEIGHTS).write_bytes(BROKEN[name])
        refused(folder, WEIGHTS, "Save the checkpoint again")

    @cases("exporting/shards_elsewhere")
    def test_shards_elsewhere(self, folder: Path, name: str) -> None:
        write_index(folder, {"metadata": {}, "weight_map": {"a": json.loads(name)}})
        refused(folder, INDEX, "names the shard", "next to the index")

    @pytest.mark.parametrize(
        "content",
        [b"", [], {}, {"weight_map": []}, {"weight_map": {}}, {"weight_map": {"a": 1}},
         {"weight_map": {"a": ["b"]}}, b'{"weight_map": ' * 3000, b'{"weight_map": {"a": "\xff"}}'],
    )  # fmt: skip
    def test_an_index_that_is_none(self, folder: Path, content: Any) -> None:
        write_index(folder, content)
        refused(folder, INDEX)

    def test_too_many_shards(self, folder: Path) -> None:
        table = {str(number): f"{number}.safetensors" for number in range(MOST_SHARDS + 1)}
        write_index(folder, {"weight_map": table})
        refused(folder, f"names {MOST_SHARDS + 1} shards")

    def test_none_or_twice(self, folder: Path) -> None:
        (folder / INDEX).write_text("{}")
        refused(folder, "has both", "Remove one")
        (folder / INDEX).unlink()
        (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
        refused(folder, "pickled weights (pytorch_model.bin)")
        (folder / "pytorch_model.bin").unlink()
        refused(folder, "no weights. Expected model.safetensors")


@pytest.fixture
def exported(tmp_path: Path, small: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "kept"))


def test_a_whole_export_is_reused(exported: Path) -> None:
    assert is_exported(exported)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "checkpoint.json").unlink(),
        lambda folder: (folder / "model.onnx").write_bytes(b"half"),
        lambda folder: (folder / "checkpoint.json").write_text("{"),
    ],
)
def test_a_partial_export_is_removed(exported: Path, change: Callable[[Path], object]) -> None:
    change(exported)
    assert not is_exported(exported)
    clear(exported)
    assert not exported.exists()
