"""A Hugging Face folder, looked at before anything of it is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, reported
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.exporting import folder_files
from mt_gate.exporting.folder_files import CONFIG
from mt_gate.exporting.heads import architecture_of, export_of
from mt_gate.exporting.weights import Weights, check_config, read_weights, walk
from mt_gate.sut.card import CARD, LEAST_LENGTH, TOKENIZER, CheckpointOptions, derived
from mt_gate.sut.input_form import InputForm
from mt_gate.tasks.boolq import TEXT_TO_TEXT

MAX_CONFIG = 8 << 20
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
TOLD, ADAPTER = "tokenizer_config.json", "adapter_config.json"
_SAVED = "expected a Hugging Face checkpoint saved with save_pretrained()"
_TOKENIZERS = (TOKENIZER, "vocab.txt", "vocab.json", "*.model")
_UNBOUNDED = 1_000_000
"""Tokenizers without a limit write 1e30 or so."""
_RELATIVE = 512
"""Tokens that models with relative positions, which state no limit, are trained with."""


class HuggingFaceFolder(NamedTuple):
    """What the configuration files and the weights' headers say; no weights are read.

    ``path`` is the user's folder, ``source`` the one that is read: that folder, or a copy of it.
    """

    path: Path
    source: Path
    weights: Weights
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
        return Path(snapshot_download(checkpoint, allow_patterns=list(folder_files.COUNTED)))
    except Exception as error:  # the hub's client raises errors of many libraries
        raise UsageError(
            f"checkpoint {checkpoint!r}: no such folder, and the hub did not give it "
            f"({reported(error)}); check the path, the id and the network"
        ) from None


def _further_down(path: Path) -> str:
    """Point at a checkpoint in a folder of this one, the likeliest slip; nothing where none is."""
    found = sorted(file.parent for name in (CARD, CONFIG) for file in path.glob(f"*/{name}"))
    return f"; {found[0]} has one: did you mean that folder?" if found else ""


def inspect(
    path: Path,
    task: str,
    asked: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
) -> HuggingFaceFolder:
    """Check a folder and read what its configuration says; only JSON and headers are read.

    Raises:
        CannotJudge: no configuration, pickled weights only, code or weights from elsewhere, sizes
            that the weights cannot hold, another task's head, labels that do not fit the task, no
            tokenizer, or a file that is no regular one of the folder.
        UsageError: a longer input than the model takes.
    """
    if not os.path.lexists(path / CONFIG):
        raise CannotJudge(
            f"{path}: has neither checkpoint.json nor {CONFIG}; {_SAVED}{_further_down(path)}"
        )
    config = _json(path, CONFIG)
    weights = read_weights(path)
    _check_no_adapter(path)
    check_config(path / CONFIG, config, weights)
    architecture, head = architecture_of(path / CONFIG, config, task)
    of_task = export_of(task)
    labels, answers = of_task.labels(path / CONFIG, config, head.form, asked.answers)
    told = _json(path, TOLD) if os.path.lexists(path / TOLD) else {}
    _check_tokenizer(path, told)
    reading = of_task.reading(path, head)
    usual, most = _max_lengths(path, config, told, head.form)
    length = asked.max_length or usual
    if length > most:
        raise UsageError(
            f"--max-length {length}: {path} takes at most {most} tokens; give that or less"
        )
    changed = {
        **({"answers": answers} if answers != of_task.usual_answers(labels, head.form) else {}),
        **({"max_length": length} if length != usual else {}),
    }
    names = _counted(path, reading)
    return HuggingFaceFolder(
        path=path,
        source=path,
        weights=weights,
        config=config,
        labels=labels,
        answers=answers,
        architecture=architecture,
        reading=reading,
        auto=head.auto,
        max_length=length,
        fingerprint=derived(folder_files.fingerprint(path, names), changed),
    )


def taken(
    seen: HuggingFaceFolder, task: str, asked: CheckpointOptions, into: Path
) -> HuggingFaceFolder:
    """Copy what counts of a folder, so that what was fingerprinted is what is exported.

    Args:
        seen: the folder as it was looked at.
        task: as it was then.
        asked: as it was then.
        into: an empty folder of our own.

    Returns:
        The same, of which ``source`` is the copy.

    Raises:
        CannotJudge: the folder is another one by now.
    """
    folder_files.fingerprint(seen.path, _counted(seen.path, seen.reading), into)
    try:
        found = inspect(into, task, asked)
    except MtGateError:
        found = None
    check_unchanged(seen.path, seen.fingerprint, found.fingerprint if found else "")
    assert found is not None
    return found._replace(path=seen.path)


def check_unchanged(path: Path, expected: str, found: str) -> None:
    """Raise CannotJudge where a folder has another fingerprint than it had."""
    if found != expected:
        raise CannotJudge(
            f"{path}: its files changed while they were read; expected a checkpoint that nothing "
            "writes to; run again when it is complete"
        )


def _counted(path: Path, reading: InputForm) -> tuple[str, ...]:
    ontology = reading.ontology
    return folder_files.counted(path, *([ontology] if is_beside(path, ontology) else []))


def _json(path: Path, name: str) -> dict[str, Any]:
    """Return the object in a file of the folder."""
    data = read_bytes(path / name, limit=MAX_CONFIG, cause=_SAVED, inside=path)
    found = decode_json(data, dict[str, Any], path=path / name, cause=_SAVED)
    for _ in walk(path / name, found):  # what libraries copy level by level
        pass
    return found


def _check_no_adapter(path: Path) -> None:
    if os.path.lexists(path / ADAPTER):
        raise CannotJudge(
            f"{path}: holds an adapter ({ADAPTER}) for weights that are elsewhere; expected the "
            "whole model: merge it (merge_and_unload() of PEFT), save that, and remove the adapter"
        )


def _check_tokenizer(path: Path, told: Mapping[str, Any]) -> None:
    if not any(file for pattern in _TOKENIZERS for file in path.glob(pattern)):
        raise CannotJudge(
            f"{path}: no tokenizer; expected tokenizer.json, or the vocabulary it is made from; "
            "save it next to the model with tokenizer.save_pretrained()"
        )
    if told.get("auto_map"):
        raise CannotJudge(
            f"{path / TOLD}: asks for its own code (auto_map), which mt-gate never runs; "
            f"if {TOKENIZER} alone gives the same token ids, remove the key"
        )


def _max_lengths(
    path: Path, config: Mapping[str, Any], told: Mapping[str, Any], form: str
) -> tuple[int, int]:
    """Return the tokens that are fed by default, and the most the model takes."""
    stated = _stated_length(config, told)
    if stated < LEAST_LENGTH:
        raise CannotJudge(
            f"{path}: takes at most {stated} tokens, by {CONFIG} and {TOLD}; expected "
            f"{LEAST_LENGTH} or more; fix the files"
        )
    if form == TEXT_TO_TEXT:  # positions are relative: a limit is a habit there
        return min(stated, _RELATIVE), _UNBOUNDED
    return stated, stated


def _stated_length(config: Mapping[str, Any], told: Mapping[str, Any]) -> int:
    """Return the least limit of configuration and tokenizer; the export tries what really fits."""
    bounds = [_UNBOUNDED]
    positions = config.get("max_position_embeddings")
    if positions is not None:
        bounds.append(positions)
    length = told.get("model_max_length")
    if isinstance(length, (int, float)) and 0 < length < _UNBOUNDED:
        bounds.append(int(length))
    return min(bounds)


def is_beside(path: Path, name: str) -> bool:
    """Whether a name is that of a file in the folder itself."""
    return bool(name) and Path(name).name == name and os.path.isfile(path / name)
