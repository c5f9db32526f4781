"""Folders as strangers may make them, looked at: refused in one line, or counted whole."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

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
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting.folder_files import COUNTED
from mt_gate.exporting.hugging_face import inspect, taken
from mt_gate.sut.card import LONGEST_LABEL, MOST_LABELS, CheckpointOptions

ROUNDS = 600
"""Folders that the fuzz makes; more of them: MT_GATE_FUZZ."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def refused(folder: Path, *words: str, task: str = "ner") -> None:
    with pytest.raises(CannotJudge) as told:
        inspect(folder, task)
    for word in words:
        assert word in str(told.value)
    assert len(str(told.value)) < 800


def test_a_folder(folder: Path) -> None:
    found = inspect(folder, "ner")
    assert (found.labels, found.max_length, found.source) == (LABELS, 32, folder)


class TestFingerprint:
    """Whatever may change an answer changes it."""

    @pytest.mark.parametrize("name", ["a.safetensors", "b.safetensors", "c.safetensors"])
    def test_each_shard(self, folder: Path, name: str) -> None:
        shard(folder, "a.safetensors", "b.safetensors", "c.safetensors", "c.safetensors")
        before = inspect(folder, "ner").fingerprint
        shape = next(iter(SHAPES.values())) if name[0] == "a" else (2,)
        (folder / name).write_bytes(safetensors({"x": shape}, fill=b"\1"))
        assert inspect(folder, "ner").fingerprint != before

    @pytest.mark.parametrize(
        "name",
        ["config.json", "tokenizer_config.json", "tokenizer.json", "vocab.txt", "vocab.json",
         "merges.txt", "special_tokens_map.json", "added_tokens.json", "spiece.model",
         "sentencepiece.bpe.model", "tokenizer.fast.4.0.json", "entity_vocab.json",
         "input_form.json", "ontology.json", "classifier.safetensors"],
    )  # fmt: skip
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


class TestTaken:
    """What is exported is a copy of what was fingerprinted, and of nothing else."""

    def test_a_copy(self, folder: Path, tmp_path: Path) -> None:
        for name in ("generation_config.json", "adapter.bin", "modeling_evil.py", "chat.jinja"):
            (folder / name).write_text("{}")
        into = tmp_path / "copy"
        into.mkdir()
        seen = inspect(folder, "ner")
        found = taken(seen, "ner", CheckpointOptions(), into)
        assert found._replace(source=folder) == seen
        assert found.source == into
        names = sorted(path.name for path in into.iterdir())
        assert names == sorted(
            ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
        )
        assert all(any(map(Path(name).match, COUNTED)) for name in names)
        assert not any(path.is_symlink() for path in into.iterdir())

    @pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
    def test_files_that_change_in_between(self, folder: Path, tmp_path: Path, name: str) -> None:
        seen = inspect(folder, "ner")
        data = bytearray((folder / name).read_bytes())
        data[-1] ^= 1
        (folder / name).write_bytes(data)
        (tmp_path / "copy").mkdir()
        with pytest.raises(CannotJudge, match="changed while they were read"):
            taken(seen, "ner", CheckpointOptions(), tmp_path / "copy")

    def test_a_file_that_comes_in_between(self, folder: Path, tmp_path: Path) -> None:
        seen = inspect(folder, "ner")
        (folder / "added_tokens.json").write_text("{}")
        (tmp_path / "copy").mkdir()
        with pytest.raises(CannotJudge, match="changed while they were read"):
            taken(seen, "ner", CheckpointOptions(), tmp_path / "copy")


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink(missing_ok=True)
    make(path)


KINDS: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda path: path.mkdir(), "a folder; expected a regular file"),
    "fifo": (os.mkfifo, "a FIFO; expected a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "a link out of"),
    "environment": (lambda path: path.symlink_to("/proc/self/environ"), "a link out of"),
    "memory": (lambda path: path.symlink_to("/proc/self/mem"), "a link out of"),
    "outside": (lambda path: path.symlink_to("../secret.txt"), "a link out of"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "no such file"),
    "loop": (lambda path: path.symlink_to(path.name), "cannot be read"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
             "vocab.txt"]
)  # fmt: skip
def test_files_that_are_none(folder: Path, tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "secret.txt").write_text("hunter2")
    (folder / "vocab.txt").write_text("[PAD]")
    make, words = KINDS[kind]
    replaced(folder / name, make)
    with pytest.raises(CannotJudge) as told:
        inspect(folder, "ner")
    assert name in str(told.value)
    assert words in str(told.value)
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("name", ["input_form.json", "entity_vocab.json", "added_tokens.json"])
@pytest.mark.parametrize("text", [b"", b"[1]", b"\xff\xfe", b'{"a":' * 9000, b'{"head": 1e999}'])
def test_what_is_read_for_relations(folder: Path, name: str, text: bytes) -> None:
    config = {**CONFIG, "architectures": ["LukeForEntityPairClassification"]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("x")
    (folder / name).write_bytes(text)
    refused(folder, ".json", task="re")


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"{", b"\xff{}", b'{"a":' * 9000, b'{"a": 1e999}', b"\0" * 99]
)
@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_files_that_are_no_objects(folder: Path, name: str, text: bytes) -> None:
    (folder / name).write_bytes(text)
    refused(folder, name)


def test_too_large_files(folder: Path) -> None:
    with (folder / "config.json").open("r+b") as file:
        file.truncate(1 << 40)
    refused(folder, "config.json", "bytes, at most")


def test_weights_beyond_what_can_be_exported(folder: Path) -> None:
    rows = 3 << 30
    table = header({"a": (rows, 1)})
    with (folder / "model.safetensors").open("wb") as file:
        file.write(packed(table, b""))
        file.truncate(file.tell() + 4 * rows)
    refused(folder, "more than 8 GiB")


def test_many_files(folder: Path) -> None:
    for number in range(1001):
        (folder / f"vocab{number}").touch()
    refused(folder, "files of a checkpoint, at most 1000")


def test_adapters(folder: Path) -> None:
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "org/evil"}')
    refused(folder, "adapter_config.json", "merge")


def test_code_of_a_tokenizer(folder: Path) -> None:
    told = {**TOKENIZER_CONFIG, "auto_map": {"AutoTokenizer": ["evil.Tokenizer", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    refused(folder, "tokenizer_config.json", "auto_map")


@pytest.mark.parametrize(
    "table",
    [None, [], {}, "O", 3, [["0", "O"]], {"0": 1}, {"0": None}, {"0": ["O"]}, {"1": "O"},
     {"0": "O", "2": "B-X"}, {"00": "O"}, {"9" * 5000: "O"}, {"0": "O", "x": "B-X"}],
)  # fmt: skip
def test_label_tables(folder: Path, table: Any) -> None:
    (folder / "config.json").write_text(json.dumps({**CONFIG, "id2label": table}))
    refused(folder, "config.json: id2label is", "a text for each label")


def test_labels_without_end(folder: Path) -> None:
    long = {"0": "O", "1": "B-" + "x" * LONGEST_LABEL}
    (folder / "config.json").write_text(json.dumps({**CONFIG, "id2label": long}))
    refused(folder, "a label of 258 characters (B-xxx", "at most 256")
    many = {str(index): f"B-{index}" for index in range(MOST_LABELS + 1)}
    (folder / "config.json").write_text(json.dumps({**CONFIG, "id2label": many}))
    refused(folder, "10,001 labels", "at most 10,000")


@pytest.mark.parametrize("name", [None, [], [1], [None], ["x y"], ["B" * 101], "Bert", [["a"]], 7])
def test_architectures(folder: Path, name: Any) -> None:
    (folder / "config.json").write_text(json.dumps({**CONFIG, "architectures": name}))
    refused(folder, "config.json: architecture")


@pytest.mark.parametrize("length", [1, 2, 2.9, True, 1e-300])
def test_lengths_that_hold_nothing(folder: Path, length: Any) -> None:
    told = {**TOKENIZER_CONFIG, "model_max_length": length}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    refused(folder, "tokens", "expected 3 or more")


@pytest.mark.parametrize("length", [None, "512", [512], {"a": 1}, -1, 0, 1e30, 10**40])
def test_lengths_that_say_nothing(folder: Path, length: Any) -> None:
    told = {**TOKENIZER_CONFIG, "model_max_length": length}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    assert inspect(folder, "ner").max_length == 32


VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2**31, 2**63, -(2**70), 10**40, 1e308, 0.5, "", "0", "O", "../../x",
    "/proc/self/environ", "org/evil", "\udcff", "a\nb::error::c", "x" * 5000, [], {}, [1, "a"],
    {"0": "O"}, {"": {"": {}}}, [[[[]]]], ["BertForTokenClassification"],
)  # fmt: skip


def mutated(value: Any, rng: random.Random) -> Any:
    """Return a copy with one value, at any depth, deleted, replaced, moved or doubled."""
    copy = json.loads(json.dumps(value))
    at = copy
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return copy
        key = rng.choice(keys)
        if not isinstance(at[key], (dict, list)) or rng.random() < 0.3:
            break
        at = at[key]
    what = rng.randrange(4)
    if what == 0:
        del at[key]
    elif what == 1 and isinstance(at, dict):
        at[str(rng.choice(VALUES))[:40]] = at.pop(key)
    elif what == 2:
        at[key] = [at[key]] * rng.randrange(4)
    else:
        at[key] = rng.choice(VALUES)
    return copy


def write_mutated(folder: Path, name: str, rng: random.Random) -> None:
    """Change one of a folder's files in up to three places."""
    weights = "model.safetensors"
    table = header() if name == weights else json.loads((folder / name).read_text())
    for _ in range(rng.randrange(1, 4)):
        table = mutated(table, rng)
    if name == weights:
        size = max(header()["classifier.bias"]["data_offsets"])
        (folder / name).write_bytes(packed(table, bytes(size)))
    else:
        (folder / name).write_text(json.dumps(table))


def said(folder: Path, task: str) -> str:
    """Return the message that a look ends with; empty where there is nothing to say."""
    try:
        inspect(folder, task)
    except (CannotJudge, UsageError) as error:
        return str(error)
    return ""


def test_mutations(tmp_path: Path) -> None:
    """No structural change ends in anything but a look, or one line that says what is wrong."""
    rng = random.Random(14)
    single = write_folder(tmp_path / "single")
    whole = shard(write_folder(tmp_path / "whole"), "a.safetensors", "b.safetensors")
    pairs = write_folder(tmp_path / "pairs", architectures=["BertForSequenceClassification"])
    tasks = {single: ("ner",), whole: ("ner",), pairs: ("boolq", "re")}
    messages = []
    for _ in range(int(os.environ.get("MT_GATE_FUZZ", ROUNDS))):
        source = rng.choice((single, whole, pairs))
        folder = Path(shutil.copytree(source, tmp_path / "mutated"))
        names = sorted(path.name for path in folder.iterdir() if path.name[0] not in "ab")
        write_mutated(folder, rng.choice(names), rng)
        messages.append(said(folder, rng.choice(tasks[source])))
        shutil.rmtree(folder)
    assert all(len(message.splitlines()) <= 1 for message in messages)
    assert max(map(len, messages)) < 1000
    assert min(messages.count(""), len(messages) - messages.count("")) > len(messages) / 10
