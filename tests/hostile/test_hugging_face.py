"""Hugging Face folders: what is looked at before anything of it is loaded."""

from __future__ import annotations

import json
import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hostile.models import BOUND, Evil, instead, outside
from hostile.running import Case, Ground, gate

FOLDER = "hugging-face"
CONFIG = r"hugging-face(/config\.json)?:? .*([Ee]xpect|fix|must|pass|see|never|export|name the)"
WEIGHTS = r"hugging-face.*(safetensors|weights).*([Ee]xpect|save|fix|must|pass|see|export)"
TOKENS = r"hugging-face.*(tokenizer|vocab).*([Ee]xpect|save|fix|must|pass|see|remove)"
PLACE = r"hugging-face/[\w.-]+:? .*(link|regular|not exist|has no|/proc|device|FIFO|folder)"
NEITHER = f"{PLACE}|neither"


def of(
    identity: str,
    change: Callable[[Path], object],
    line: str,
    codes: tuple[int, ...] = (3,),
    task: str = "ner",
) -> Case:
    def made(ground: Ground) -> list[str]:
        change(ground.take(FOLDER))
        suite = "suite" if task == "ner" else f"{task}-default"
        return gate(ground, checkpoint=FOLDER, suite=suite, task=task)

    return Case(identity, made, line, codes)


def put(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    return instead(make, name)


def text(name: str, content: bytes | str) -> Callable[[Path], object]:
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def values(name: str, content: object) -> Callable[[Path], object]:
    return text(name, json.dumps(content))


def config(
    identity: str,
    line: str = CONFIG,
    codes: tuple[int, ...] = (3,),
    task: str = "ner",
    /,
    **more: Any,
) -> Case:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | more))

    return of(f"config-{identity}", change, line, codes, task)


def header(data: bytes, length: int | None = None, after: bytes = b"") -> bytes:
    return struct.pack("<Q", len(data) if length is None else length) + data + after


def tensors(**arrays: Any) -> bytes:
    return header(json.dumps(arrays).encode(), after=bytes(64))


def tensor(kind: Any = "F32", shape: Any = (4,), place: Any = (0, 16)) -> dict[str, Any]:
    return {"dtype": kind, "shape": shape, "data_offsets": place}


def index(where: str, make: Callable[[Path], object] | None = None) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        weights = folder / "model.safetensors"
        names = json.loads(
            weights.read_bytes()[8 : 8 + struct.unpack("<Q", weights.read_bytes()[:8])[0]]
        )
        names.pop("__metadata__", None)
        table = {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(names, where)}
        (folder / "model.safetensors.index.json").write_text(json.dumps(table))
        place = folder / where
        if make is None and not os.path.isabs(where):
            place.parent.mkdir(parents=True, exist_ok=True)
            weights.rename(place)
            return
        weights.unlink()
        if make is not None:
            make(place)

    return change


def pickled(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        (folder / name).write_bytes(pickle.dumps(Evil()))

    return change


def without(*names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def form(**content: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        labels = {"0": "no_relation", "1": "per:title"}
        result = json.loads(path.read_text()) | {
            "architectures": ["BertForSequenceClassification"],
            "id2label": labels,
        }
        path.write_text(json.dumps(result))
        values("input_form.json", content)(folder)

    return change


FILES = [
    of(f"{short}-{identity}", put(name, make), line)
    for short, name, line in (
        ("config", "config.json", NEITHER),
        ("tokenizer", "tokenizer.json", f"{PLACE}|{TOKENS}"),
        ("weights", "model.safetensors", f"{PLACE}|{WEIGHTS}"),
        ("tokenizer-config", "tokenizer_config.json", PLACE),
    )
    for identity, make in {
        "fifo": os.mkfifo,
        "environment": lambda path: path.symlink_to("/proc/self/environ"),
    }.items()
]
PLACES = [
    *FILES,
    of("config-link-out", lambda folder: outside(folder / "config.json"), PLACE),
    of("weights-missing", without("model.safetensors"), "weights"),
]
CONFIGS = [
    *(
        of(f"config-{identity}", text("config.json", data), CONFIG)
        for identity, data in {
            "empty": b"",
            "undecodable": b'{"a": "\xff"}',
            "brackets": b"[" * 500_000,
        }.items()
    ),
    config("auto-map", "auto_map", auto_map={"AutoModelForTokenClassification": "evil.Model"}),
]
ADAPTERS = [
    of(
        "adapter",
        values(
            "adapter_config.json", {"base_model_name_or_path": "evil/model", "peft_type": "LORA"}
        ),
        "adapter",
    ),
    of(
        "tokenizer-of-its-own-code",
        lambda folder: (
            (folder / "tokenizer.json").replace(folder / "vocab.json"),
            values("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.T", None]}})(
                folder
            ),
        ),
        "auto_map",
    ),
]
SAFE = [
    of(f"tensors-{identity}", text("model.safetensors", data), f"{WEIGHTS}|{BOUND}")
    for identity, data in {
        "empty": b"",
        "pickle": pickle.dumps(Evil()),
        "header-of-2-63": header(b"{}", 1 << 63),
        "shape-that-lies": tensors(a=tensor(shape=(10**9, 10**9))),
        "shape-that-overflows": tensors(a=tensor(shape=(1 << 62, 1 << 62))),
        "over-each-other": tensors(a=tensor(), b=tensor()),
        "of-another-model": tensors(a=tensor(shape=(16,), place=(0, 64))),
    }.items()
]
INDEXES = [
    of("index-outside", index("../outside.safetensors"), "index|outside|safetensors"),
    of(
        "index-environment",
        index("model-1.safetensors", lambda path: path.symlink_to("/proc/self/environ")),
        f"{PLACE}|index",
    ),
    *(
        of(f"pickle-{name.rpartition('.')[2]}", pickled(name), "pickled.*safe_serialization")
        for name in ("pytorch_model.bin", "model.pt")
    ),
]
FORMS = [
    of(
        f"form-{identity}",
        form(**content),
        r"input_form\.json|form|head|template|types|ontology",
        (2, 3),
        "re",
    )
    for identity, content in {
        "unknown": {"input_form": "telepathy"},
        "attributes": {"input_form": "plain-text", "template": "{head.__class__} {tail}"},
    }.items()
]
CASES = [*PLACES, *CONFIGS, *ADAPTERS, *SAFE, *INDEXES, *FORMS]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_folder(case: Case, attack: Callable) -> None:
    attack(case)
