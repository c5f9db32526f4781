"""A Hugging Face folder, looked at before anything of it is loaded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.errors import CannotJudge, UsageError
from mt_gate.jsonio import decode_json, read_bytes, sha256_file
from mt_gate.tasks.tag_scheme import read_tag_scheme

CONFIG = "config.json"
MAX_CONFIG = 16 << 20
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_COUNTED = (
    "*.safetensors",
    "*.safetensors.index.json",
    CONFIG,
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*",
    "merges.txt",
    "*.model",
)
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_HEADS = {"ner": "ForTokenClassification"}
_UNBOUNDED = 1_000_000
"""Tokenizers without a limit write 1e30 or so."""


class HuggingFaceFolder(NamedTuple):
    """What the configuration files say; no weights are read."""

    path: Path
    config: Mapping[str, Any]
    labels: tuple[str, ...]
    architecture: str
    max_length: int
    fingerprint: str


def fetch(checkpoint: str) -> Path:
    """Return a local folder for a path or a hub id; only safe files are fetched.

    Raises:
        UsageError: no such folder, and no such checkpoint on the hub.
    """
    path = Path(checkpoint)
    if path.exists():
        return path
    if not _HUB_ID.fullmatch(checkpoint):
        raise UsageError(
            f"checkpoint {checkpoint!r}: no such folder; expected an exported or Hugging Face "
            "folder, or a hub id like dslim/bert-base-NER"
        )
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(checkpoint, allow_patterns=list(_COUNTED)))
    except Exception as error:  # the hub's client raises errors of many libraries
        raise UsageError(
            f"checkpoint {checkpoint!r}: no such folder, and the hub did not give it "
            f"({' '.join(str(error).split())[:200]}); check the path, the id and the network"
        ) from None


def inspect(path: Path, task: str) -> HuggingFaceFolder:
    """Check a folder and read what its configuration says.

    Raises:
        CannotJudge: no configuration, pickled weights only, custom code, another task's head,
            labels that are no tag scheme, or no tokenizer.
    """
    cause = "expected a Hugging Face checkpoint saved with save_pretrained()"
    config_path = path / CONFIG
    if not config_path.is_file():
        raise CannotJudge(f"{path}: has neither checkpoint.json nor {CONFIG}; {cause}")
    data = read_bytes(config_path, limit=MAX_CONFIG, cause=cause)
    config = decode_json(data, dict[str, Any], path=config_path, cause=cause)
    _check_weights(path)
    if "auto_map" in config:
        raise CannotJudge(
            f"{config_path}: asks for code of its own (auto_map), which mt-gate never runs; "
            "export the model to ONNX yourself and write a checkpoint.json beside it"
        )
    architecture = _architecture(config_path, config, task)
    labels = _labels(config_path, config)
    read_tag_scheme(labels, where=str(config_path))
    _check_tokenizer(path)
    return HuggingFaceFolder(
        path=path,
        config=config,
        labels=labels,
        architecture=architecture,
        max_length=_max_length(path, config),
        fingerprint=_fingerprint(path),
    )


def _check_weights(path: Path) -> None:
    if any(path.glob("*.safetensors")):
        return
    pickles = sorted(file.name for pattern in _PICKLES for file in path.glob(pattern))
    if pickles:
        raise CannotJudge(
            f"{path}: weights are pickled ({pickles[0]}), which can run code when read; expected "
            "safetensors: save again with save_pretrained(..., safe_serialization=True)"
        )
    raise CannotJudge(f"{path}: no weights; expected model.safetensors")


def _architecture(path: Path, config: Mapping[str, Any], task: str) -> str:
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names and isinstance(names[0], str) else "none"
    if task not in _HEADS:
        raise UsageError(f"task {task}: checkpoints for it cannot be exported yet; tasks: ner")
    if not name.endswith(_HEADS[task]):
        raise CannotJudge(
            f"{path}: architecture {name}; task {task} expects one that ends in {_HEADS[task]}; "
            "name the right checkpoint or the right --task"
        )
    return name


def _check_tokenizer(path: Path) -> None:
    if not any(file for pattern in _TOKENIZERS for file in path.glob(pattern)):
        raise CannotJudge(
            f"{path}: no tokenizer; expected tokenizer.json, or the vocabulary it is made from; "
            "save it beside the model with tokenizer.save_pretrained()"
        )


def _labels(path: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    table = config.get("id2label")
    try:
        labels = {int(key): value for key, value in dict(table or {}).items()}
    except (TypeError, ValueError):
        labels = {}
    complete = sorted(labels) == list(range(len(labels)))
    if not labels or not complete or not all(isinstance(v, str) for v in labels.values()):
        raise CannotJudge(
            f"{path}: id2label is {str(table)[:80]}; expected a text for each label 0, 1, 2, ..."
        )
    return tuple(labels[index] for index in range(len(labels)))


def _max_length(path: Path, config: Mapping[str, Any]) -> int:
    """Return the most tokens the model takes, special tokens counted."""
    bounds = [_UNBOUNDED]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        # RoBERTa counts positions from its padding id on.
        shift = int(config.get("pad_token_id") or 0) + 1 if _counts_from_padding(config) else 0
        bounds.append(positions - shift)
    file = path / "tokenizer_config.json"
    if file.is_file():
        data = read_bytes(file, limit=MAX_CONFIG, cause="mend it or remove it")
        stated = decode_json(data, dict[str, Any], path=file, cause="mend it or remove it")
        length = stated.get("model_max_length")
        if isinstance(length, (int, float)) and 0 < length < _UNBOUNDED:
            bounds.append(int(length))
    return min(bounds)


def _counts_from_padding(config: Mapping[str, Any]) -> bool:
    return str(config.get("model_type")) in {
        "roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "xlm-roberta-xl",
    }  # fmt: skip


def _fingerprint(path: Path) -> str:
    digest = hashlib.sha256()
    names = sorted({file.name for pattern in _COUNTED for file in path.glob(pattern)})
    for name in names:
        digest.update(f"{name}\0{sha256_file(path / name)}\n".encode())
    return f"sha256:{digest.hexdigest()}"
