"""Headers of weights: what is read of them, and every way in which they may lie."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from making_folders import SHAPES, header, packed, safetensors, shard, write_folder
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.weights import MOST_SHARDS, read_weights

ELEMENTS = 40 * 8 + 8 * 16 + 3 * 8 + 3
DATA = bytes(4 * ELEMENTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def refused(folder: Path, *words: str) -> None:
    with pytest.raises(CannotJudge) as told:
        read_weights(folder)
    for word in words:
        assert word in str(told.value)
    assert len(str(told.value)) < 700


def test_a_file(folder: Path) -> None:
    assert read_weights(folder) == (("model.safetensors",), len(SHAPES), ELEMENTS)


def test_shards(folder: Path) -> None:
    shard(folder, "a.safetensors", "b.safetensors", "a.safetensors")
    names, tensors, _ = read_weights(folder)
    assert names == ("a.safetensors", "b.safetensors")
    assert tensors == 2  # the second of a.safetensors took the first one's place


def test_as_the_library_writes_them(hugging_face: Path) -> None:
    from safetensors.numpy import load_file

    found = read_weights(hugging_face)
    tensors = load_file(hugging_face / "model.safetensors").values()
    assert (found.tensors, found.elements) == (len(tensors), sum(each.size for each in tensors))


@pytest.mark.parametrize(
    "name",
    [
        "../outside.safetensors",
        "inner/model-00001.safetensors",
        "/tmp/model.safetensors",
        "inner\\model.safetensors",
        "..",
        "",
        ".safetensors",
        "shard\0.safetensors",
        "pytorch_model.bin",
        "config.json",
    ],
)
def test_shards_elsewhere(folder: Path, name: str) -> None:
    (folder / "inner").mkdir()
    for place in (
        folder / "inner" / "model-00001.safetensors",
        folder.parent / "outside.safetensors",
    ):
        place.write_bytes(safetensors())
    (folder / "model.safetensors").unlink()
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": {"a": name}}))
    refused(folder, "model.safetensors.index.json", "names the shard", "next to the index")


def test_shards_that_are_missing_or_links_out(folder: Path) -> None:
    shard(folder, "a.safetensors")
    (folder / "a.safetensors").rename(folder.parent / "a.safetensors")
    refused(folder, "a.safetensors: no such file")
    (folder / "a.safetensors").symlink_to("../a.safetensors")
    refused(folder, "a link out of")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}}', '{"weight_map": {"a": 1}}',
     '{"weight_map": {"a": null}}', '{"weight_map": {"a": ["b"]}}', '{"weight_map": ' * 3000,
     '{"weight_map": {"a": "\udcff"}}'],
)  # fmt: skip
def test_an_index_that_is_none(folder: Path, text: str) -> None:
    (folder / "model.safetensors").unlink()
    index = folder / "model.safetensors.index.json"
    index.write_bytes(text.encode(errors="surrogateescape"))
    refused(folder, "model.safetensors.index.json")


def test_too_many_shards(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    table = {str(number): f"{number}.safetensors" for number in range(MOST_SHARDS + 1)}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": table}))
    refused(folder, f"names {MOST_SHARDS + 1} shards")


def test_a_file_and_an_index(folder: Path) -> None:
    (folder / "model.safetensors.index.json").write_text("{}")
    refused(folder, "holds both", "once")


def test_no_weights(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    refused(folder, "pickled (pytorch_model.bin)")
    (folder / "pytorch_model.bin").unlink()
    refused(folder, "no weights; expected model.safetensors")


def changed(**fields: Any) -> dict[str, Any]:
    return {**header(), "classifier.bias": {**header()["classifier.bias"], **fields}}


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
    "negative": packed(changed(shape=[-3]), DATA),
    "a shape of fractions": packed(changed(shape=[1.5]), DATA),
    "a shape that is a number": packed(changed(shape=3), DATA),
    "larger than its place": packed(changed(shape=[4]), DATA),
    "more than there is in the world": packed(changed(shape=[1 << 40] * 8), DATA),
    "beyond 64 bits": packed(changed(shape=[1 << 70]), DATA),
    "many axes": packed(changed(shape=[1] * 40 + [3]), DATA),
    "another type": packed(changed(dtype="F13"), DATA),
    "a type that is a number": packed(changed(dtype=4), DATA),
    "a type that is a text": packed(changed(dtype="F32" * 9000), DATA),
    "over another": packed(changed(data_offsets=[0, 12]), DATA),
    "backwards": packed(changed(data_offsets=[1900, 1888]), DATA),
    "behind the end": packed(changed(data_offsets=[5000, 5012]), DATA),
    "with room before": packed(changed(data_offsets=[1889, 1901]), DATA + b"\0"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(folder: Path, name: str) -> None:
    (folder / "model.safetensors").write_bytes(BROKEN[name])
    refused(folder, "model.safetensors", "save the checkpoint again")


def test_files_that_are_none(folder: Path) -> None:
    path = folder / "model.safetensors"
    for make, word in (
        (os.mkfifo, "a FIFO"),
        (os.mkdir, "a folder"),
        (lambda path: path.symlink_to("/dev/zero"), "a link out of"),
        (lambda path: path.symlink_to("nowhere"), "no such file"),
    ):
        path.rmdir() if path.is_dir() else path.unlink()
        make(path)
        refused(folder, "model.safetensors", word)
