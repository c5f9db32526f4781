"""A Hugging Face folder, looked at before anything of it is loaded."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.errors import CannotJudge, UsageError
from mt_gate.exporting.heads import TEXT_TO_TEXT, Head, architecture_of
from mt_gate.exporting.label_words import first_pieces
from mt_gate.exporting.labels import labels_and_answers, unasked
from mt_gate.exporting.relation_forms import ENTITIES, INPUT_FORM, form_of
from mt_gate.jsonio import decode_json, read_bytes, sha256_file
from mt_gate.sut.card import CARD, TOKENIZER, Asked, derived
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.input_form import InputForm
from mt_gate.sut.passage import TEMPLATE
from mt_gate.sut.token_feeds import load_tokenizer
from mt_gate.tasks.relation_extraction import ID as RELATIONS

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
    INPUT_FORM,
    ENTITIES,
    "ontology*.json",
)
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_UNBOUNDED = 1_000_000
"""Tokenizers without a limit write 1e30 or so."""
_RELATIVE = 512
"""Tokens that models with relative positions, which state no limit, are trained with."""


class HuggingFaceFolder(NamedTuple):
    """What the configuration files say; no weights are read."""

    path: Path
    config: Mapping[str, Any]
    labels: tuple[str, ...]
    answers: Mapping[str, str]
    architecture: str
    reading: InputForm
    auto: str
    max_length: int
    fingerprint: str

    @property
    def form(self) -> str:
        """The name of the input form."""
        return self.reading.input_form


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


def _further_down(path: Path) -> str:
    """Point at a checkpoint in a folder of this one, the likeliest slip; nothing where none is."""
    found = sorted(file.parent for name in (CARD, CONFIG) for file in path.glob(f"*/{name}"))
    return f"; {found[0]} holds one: did you mean that folder?" if found else ""


def inspect(
    path: Path,
    task: str,
    asked: Asked = Asked(),  # noqa: B008 - immutable
) -> HuggingFaceFolder:
    """Check a folder and read what its configuration says.

    Raises:
        CannotJudge: no configuration, pickled weights only, custom code, another task's head,
            labels that do not fit the task, or no tokenizer.
        UsageError: a longer input than the model takes.
    """
    cause = "expected a Hugging Face checkpoint saved with save_pretrained()"
    config_path = path / CONFIG
    if not config_path.is_file():
        raise CannotJudge(
            f"{path}: has neither checkpoint.json nor {CONFIG}; {cause}{_further_down(path)}"
        )
    data = read_bytes(config_path, limit=MAX_CONFIG, cause=cause)
    config = decode_json(data, dict[str, Any], path=config_path, cause=cause)
    _check_weights(path)
    if "auto_map" in config:
        raise CannotJudge(
            f"{config_path}: asks for code of its own (auto_map), which mt-gate never runs; "
            "export the model to ONNX yourself and write a checkpoint.json beside it"
        )
    architecture, head = architecture_of(config_path, config, task)
    labels, answers = labels_and_answers(config_path, config, task, head.form, asked.answers)
    _check_tokenizer(path)
    reading = _reading(path, task, head)
    if head.form == TEXT_TO_TEXT and (path / TOKENIZER).is_file():
        # The export looks again; here a wrong word is found before weights are loaded.
        first_pieces(load_tokenizer(CheckpointFolder(path)), labels, path)
    usual, most = _max_lengths(path, config, head.form)
    length = asked.max_length or usual
    if length > most:
        raise UsageError(
            f"--max-length {length}: {path} takes at most {most} tokens; give that or less"
        )
    changed = {
        **({"answers": answers} if answers != unasked(task, labels, head.form) else {}),
        **({"max_length": length} if length != usual else {}),
    }
    return HuggingFaceFolder(
        path=path,
        config=config,
        labels=labels,
        answers=answers,
        architecture=architecture,
        reading=reading,
        auto=head.auto,
        max_length=length,
        fingerprint=derived(_fingerprint(path, reading.ontology), changed),
    )


def _reading(path: Path, task: str, head: Head) -> InputForm:
    if task == RELATIONS:
        return form_of(path, head)
    template = TEMPLATE if head.form == TEXT_TO_TEXT else ""
    return InputForm(input_form=head.form, template=template)


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


def _check_tokenizer(path: Path) -> None:
    if not any(file for pattern in _TOKENIZERS for file in path.glob(pattern)):
        raise CannotJudge(
            f"{path}: no tokenizer; expected tokenizer.json, or the vocabulary it is made from; "
            "save it beside the model with tokenizer.save_pretrained()"
        )


def _max_lengths(path: Path, config: Mapping[str, Any], form: str) -> tuple[int, int]:
    """Return the tokens that are fed by default, and the most the model takes."""
    stated = _stated_length(path, config)
    if form == TEXT_TO_TEXT:  # positions are relative: a limit is a habit there
        return min(stated, _RELATIVE), _UNBOUNDED
    return stated, stated


def _stated_length(path: Path, config: Mapping[str, Any]) -> int:
    """Return the least limit of configuration and tokenizer, special tokens counted."""
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
        "luke",
    }  # fmt: skip


def _fingerprint(path: Path, ontology: str) -> str:
    digest = hashlib.sha256()
    counted = {file.name for pattern in _COUNTED for file in path.glob(pattern)}
    names = sorted(counted | ({ontology} if is_beside(path, ontology) else set()))
    for name in names:
        digest.update(f"{name}\0{sha256_file(path / name)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def is_beside(path: Path, name: str) -> bool:
    """Whether a name is that of a file in the folder itself."""
    return bool(name) and Path(name).name == name and os.path.isfile(path / name)
