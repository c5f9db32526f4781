"""Export weights to ``model.onnx``, and compare it with PyTorch before it is stored."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from mt_gate import __version__
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import scratch, sha256_file
from mt_gate.exporting.hugging_face import (
    HuggingFaceFolder,
    check_unchanged,
    copy_folder,
    has_file,
    inspect,
    need_export_packages,
    quiet,
    report_failures,
)
from mt_gate.exporting.tokenizer import Texts, save_tokenizer
from mt_gate.suites.quick import open_suite
from mt_gate.sut import card as cards
from mt_gate.sut import wire, worker
from mt_gate.sut.folder import CheckpointFolder, read_model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import open_reader
from mt_gate.sut.session import Session
from mt_gate.tasks.boolq import TEXT_TO_TEXT
from mt_gate.tasks.table import TASKS, named_in_table

_CAUSE = "Check the checkpoint, and the disk space, memory and permissions of this machine."


def suite_inputs(suite: str, task: str, most: int) -> list[Mapping[str, Any]]:
    """Return the first inputs of a suite, for the parity report."""
    read = open_suite(suite)
    if read.head.task != task:
        raise UsageError(
            f"Suite {read.head.name} is for task {read.head.task}, but the checkpoint is for "
            f"{task}. Choose another --suite."
        )
    return [source.input for source in islice(read.sources, most)]


def export(
    checkpoint: Path,
    task: str,
    out: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    options: cards.CheckpointOptions = cards.CheckpointOptions(),  # noqa: B008 - immutable
    expected: str = "",
) -> cards.Card:
    """Write ``model.onnx``, ``tokenizer.json`` and ``checkpoint.json`` to ``out``."""
    with report_failures(f"{checkpoint}: cannot be exported to {out}", _CAUSE):
        _check_free(out)
        seen = inspect(checkpoint, task, options)
        check_unchanged(checkpoint, expected or seen.fingerprint, seen.fingerprint)
        need_export_packages()
        out.parent.mkdir(parents=True, exist_ok=True)
        with scratch(out.parent, cards.DRAFT) as folder, quiet():
            copy, draft = folder / "checkpoint", folder / "export"
            draft.mkdir()
            try:
                source = copy_folder(seen, task, options, copy)
                card = _export(source, draft, precision, inputs, task, options)
            except CannotJudge as error:  # show the user's path instead of the copies
                text = str(error).replace(str(copy), str(checkpoint))
                raise CannotJudge(text.replace(str(draft), str(checkpoint))) from None
            _replace_folder(draft, out)
    return card


def _check_free(out: Path) -> None:
    if not out.exists():
        return
    there = {entry.name for entry in out.iterdir()} if out.is_dir() else {""}
    written: set[str] = set()
    if cards.CARD in there:
        written = {cards.CARD, cards.MODEL, cards.TOKENIZER}
        with contextlib.suppress(CannotJudge):
            written.update(cards.read_card(out).files)
    others = sorted(there - written)
    if others:
        hint = f" (it has {quoted(others[0])})" if others[0] else ""
        raise UsageError(
            f"--out {out} has files that no export wrote{hint}. Choose another folder, or "
            "move those files."
        )


def _replace_folder(draft: Path, out: Path) -> None:
    before = draft.with_name("before")
    with contextlib.suppress(FileNotFoundError):
        out.replace(before)
    try:
        draft.replace(out)
    except OSError:
        if (out / cards.CARD).is_file():  # another process was first: use its export
            return
        with contextlib.suppress(OSError):
            before.replace(out)
        raise


def _export(
    folder: HuggingFaceFolder,
    draft: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    task: str,
    options: cards.CheckpointOptions,
) -> cards.Card:
    from mt_gate.exporting import language_models, models
    from mt_gate.exporting.precision import WEIGHTS, set_precision

    texts = [tuple(value[name] for name in TASKS[task].texts if name in value) for value in inputs]
    chat = language_models.read_chat_template(folder) if options.prompt else ""
    card = draft_card(folder, draft, task, precision, texts)
    names = [cards.MODEL, cards.TOKENIZER]
    if has_file(folder.source, folder.reading.ontology):
        names.append(folder.reading.ontology)
        shutil.copyfile(folder.source / names[-1], draft / names[-1])
    tokens: Sequence[Sequence[int]] = ()
    if options.prompt:
        card = language_models.with_prompt(card, folder, options.prompt, chat)
        tokens = language_models.scored_tokens(card, CheckpointFolder(draft))
    # The reader checks the other files before weights are loaded.
    reader = open_reader(CheckpointFolder(draft), card)
    reference = None
    if folder.weights.onnx:
        model, *others = (folder.source / name for name in folder.weights.names)
        shutil.copyfile(model, draft / cards.MODEL)
        names += [shutil.copyfile(file, draft / file.name).name for file in others]
    else:
        reference = models.write_model(folder, draft, reader.inputs, tokens)
        set_precision(draft / cards.MODEL, precision)
        names += [WEIGHTS] * (draft / WEIGHTS).is_file()
    # Use the CPU, where a position out of range is an error.
    loaded = read_model(CheckpointFolder(draft), cards.MODEL)
    session = Session(loaded, "cpu", reader.inputs)
    length = models.longest_input(reference, session, reader, card, folder.path)
    check_length(options, length, folder.path)
    files = {name: sha256_file(draft / name) for name in names}
    card = msgspec.structs.replace(card, files=files, max_length=length)
    if reference is None:
        stated = "fp16" if "fp16" in folder.weights.onnx else "fp32"
        card = msgspec.structs.replace(card, precision="int8" if loaded.integers else stated)
    else:
        report = models.measure_parity(reference, session, draft, card, inputs)
        models.check_parity(report, precision, folder.path)
        card = msgspec.structs.replace(card, parity=report)
    cards.write_card(draft, card)
    return card


def check_length(options: cards.CheckpointOptions, length: int, path: Path) -> None:
    """Raise UsageError if ``--max-length`` is more than the ``length`` that a model takes."""
    if (options.max_length or 0) > length:
        raise UsageError(
            f"--max-length {options.max_length} is too large: {path} takes at most {length}."
        )


def draft_card(
    folder: HuggingFaceFolder, draft: Path, task: str, precision: str, texts: Iterable[Texts] = ()
) -> cards.Card:
    """Write the tokenizer to ``draft``; return the card that the configuration implies."""
    import onnx
    import torch
    import transformers

    limit = save_tokenizer(folder, draft, texts)
    if folder.form == TEXT_TO_TEXT:  # positions are relative: ignore the tokenizer's limit
        limit = folder.max_length
    return cards.Card(
        task=task,
        labels=folder.labels,
        name=folder.path.resolve().name,
        architecture=folder.architecture,
        **msgspec.structs.asdict(folder.reading),
        max_length=min(folder.max_length, limit),
        answers=folder.answers,
        precision=precision,
        fingerprint=folder.fingerprint,
        tools=(
            {
                "mt-gate": __version__,
                "torch": str(torch.__version__),
                "transformers": transformers.__version__,
                "onnx": onnx.__version__,
            }
        ),
    )


def main() -> None:
    """Reply to the requests on standard input until it ends.

    This process exports a folder, or opens it in PyTorch.
    """
    # Libraries read this on import. Never download what a folder lacks from the hub.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")

    def export_requested(asked: wire.Export) -> wire.Exported:
        task = named_in_table(asked.task).id
        places = Path(asked.checkpoint), task, Path(asked.out), asked.precision
        return wire.Exported(export(*places, asked.inputs, asked.options, asked.expected))

    worker.main(export_requested, _open_in_torch)


def _open_in_torch(*arguments: Any) -> OnnxSystem:
    need_export_packages()
    from mt_gate.exporting.torch_backend import TorchSystem

    return TorchSystem(*arguments)
