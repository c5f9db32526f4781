"""The export: weights to ``model.onnx``, checked against PyTorch before it is kept."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mt_gate import __version__
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import scratch
from mt_gate.base.jsonio import sha256_file
from mt_gate.exporting import models, writing
from mt_gate.exporting.hugging_face import (
    HuggingFaceFolder,
    check_unchanged,
    inspect,
    is_beside,
    taken,
)
from mt_gate.exporting.labels import first_pieces
from mt_gate.exporting.models import told
from mt_gate.exporting.relation_forms import CLASSIFIER
from mt_gate.exporting.tokenizer import Text, save_tokenizer
from mt_gate.suites.quick import open_suite
from mt_gate.sut import card as cards
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import Inputs, load_tokenizer, open_reader
from mt_gate.tasks.boolq import TEXT_TO_TEXT
from mt_gate.tasks.relation_extraction import STARTS
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    import torch

    from mt_gate.exporting.parity import Reference

_CAUSE = "check the checkpoint, and disk space, memory and permissions of this machine"


def need_export_packages() -> None:
    """Raise CannotJudge where torch or transformers is missing."""
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise CannotJudge(
            f"this checkpoint is not exported yet and {error.name} is not installed; "
            "pip install 'mt-gate[export]', in a workflow 'uses: org/mt-gate/full', or run "
            "'mt-gate export' where it is and use the exported folder"
        ) from None


def suite_inputs(suite: str, task: str, most: int) -> list[Mapping[str, Any]]:
    """Return the first inputs of a suite, for the parity report.

    Raises:
        UsageError: no such suite, or one for another task.
        CannotJudge: the suite is unfit.
    """
    read = open_suite(suite)
    if read.head.task != task:
        raise UsageError(
            f"suite {read.head.name}: for task {read.head.task}, the checkpoint is for {task}; "
            "name another --suite"
        )
    return [source.input for source in islice(read.sources, most)]


def export(
    checkpoint: Path,
    task: str,
    out: Path,
    precision: str,
    inputs: Sequence[Mapping[str, Any]],
    asked: cards.CheckpointOptions = cards.CheckpointOptions(),  # noqa: B008 - immutable
    expected: str = "",
) -> cards.Card:
    """Write ``model.onnx``, ``tokenizer.json`` and ``checkpoint.json`` to ``out``.

    Args:
        checkpoint: Hugging Face folder with safetensors.
        task: what the checkpoint is for.
        out: a folder that does not exist yet, or holds an earlier export.
        precision: fp32, fp16, or int8 (weights only, computed in fp32).
        inputs: inputs of the task for the parity report.
        asked: how the user wants the checkpoint read.
        expected: the fingerprint that it was seen with before; empty for none.

    Raises:
        CannotJudge: the checkpoint is unfit or changes meanwhile, a library fails, or the export
            does not answer like the checkpoint.
        UsageError: ``out`` holds other things, or the checkpoint cannot be read as ``asked``.
    """
    with told(f"{checkpoint}: cannot be exported to {out}", _CAUSE):
        _check_free(out)
        seen = inspect(checkpoint, task, asked)
        check_unchanged(checkpoint, expected or seen.fingerprint, seen.fingerprint)
        need_export_packages()
        out.parent.mkdir(parents=True, exist_ok=True)
        with scratch(out.parent, cards.DRAFT) as folder, writing.quiet(), writing.offline():
            copy, draft = folder / "checkpoint", folder / "export"
            copy.mkdir()
            draft.mkdir()
            with _named(checkpoint, copy, draft):
                held = taken(seen, task, asked, copy)
                card = _export(held, draft, precision, inputs, task, asked)
            _replace_folder(draft, out)
    return card


@contextlib.contextmanager
def _named(checkpoint: Path, *places: Path) -> Iterator[None]:
    """Name the checkpoint in messages, where they name a place that is gone when they are read."""
    try:
        yield
    except CannotJudge as error:
        text = str(error)
        for place in places:
            text = text.replace(str(place), str(checkpoint))
        raise CannotJudge(text) from None


def _check_free(out: Path) -> None:
    """Refuse a folder with anything in it that no export wrote: the whole folder is replaced."""
    if not out.exists():
        return
    there = {entry.name for entry in out.iterdir()} if out.is_dir() else {""}
    if not there:
        return
    others = sorted(there - _written(out)) if cards.CARD in there else sorted(there)
    if others:
        held = f" (it has {quoted(others[0])})" if others[0] else ""
        raise UsageError(
            f"--out {out}: exists and is not an export alone{held}; name another folder, or move "
            "what no export wrote"
        )


def _written(out: Path) -> set[str]:
    """Return the names of the files that an earlier export wrote to a folder."""
    names = {cards.CARD, cards.MODEL, cards.TOKENIZER}
    with contextlib.suppress(CannotJudge):
        names.update(cards.read_card(out).files)
    return names


def _replace_folder(draft: Path, out: Path) -> None:
    """Put an export in its place; an earlier one goes with the scratch folder, or stays."""
    before = draft.with_name("before")
    with contextlib.suppress(FileNotFoundError):
        out.replace(before)
    try:
        draft.replace(out)
    except OSError:
        if (out / cards.CARD).is_file():  # another process was first: its export serves
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
    asked: cards.CheckpointOptions,
) -> cards.Card:
    from mt_gate.exporting import parity

    card = cards.Card(
        task=task,
        labels=folder.labels,
        name=folder.path.resolve().name,
        architecture=folder.architecture,
        **msgspec.structs.asdict(folder.reading),
        max_length=folder.max_length,
        answers=folder.answers,
        precision=precision,
        fingerprint=folder.fingerprint,
        tools=_tools(),
    )
    limit = save_tokenizer(folder, draft, _texts(inputs, task))
    if folder.form != TEXT_TO_TEXT:  # positions are relative: a limit is a habit there
        card = msgspec.structs.replace(card, max_length=min(folder.max_length, limit))
    beside = _save_beside(folder, draft)
    # The reader checks the other files before weights are loaded.
    reader = open_reader(CheckpointFolder(draft), card)
    reference = _write_model(folder, draft, reader.inputs)
    writing.set_precision(draft / cards.MODEL, precision)
    session = parity.open_session(draft, reader)
    length = parity.longest_input(reference, session, reader, card)
    _check_length(folder, asked, length)
    files = {name: sha256_file(draft / name) for name in (cards.MODEL, *beside)}
    card = msgspec.structs.replace(card, files=files, max_length=length)
    found = parity.measure(reference, session, draft, card, inputs)
    parity.check(found, precision, folder.path)
    card = cards.with_parity(card, found)
    cards.write_card(draft, card)
    return card


def _tools() -> dict[str, str]:
    import onnx
    import torch
    import transformers

    return {
        "mt-gate": __version__,
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
        "onnx": onnx.__version__,
    }


def _texts(inputs: Iterable[Mapping[str, Any]], task: str) -> Iterator[Text]:
    """Yield the texts of inputs, each alone or as the pair that the checkpoint reads."""
    for value in inputs:
        texts = tuple(value[name] for name in TASKS[task].texts if name in value)
        yield (texts[0], texts[1]) if len(texts) > 1 else texts[0]


def _check_length(folder: HuggingFaceFolder, asked: cards.CheckpointOptions, found: int) -> None:
    """Refuse a model that takes fewer tokens than the user wants."""
    if (asked.max_length or 0) > found:
        raise UsageError(
            f"--max-length {asked.max_length}: {folder.path} takes at most {found} tokens; give "
            "that or less"
        )


def _save_beside(folder: HuggingFaceFolder, draft: Path) -> tuple[str, ...]:
    """Copy the ontology, if there is one; return the names of all files next to the model."""
    ontology = folder.reading.ontology
    if not is_beside(folder.source, ontology):
        return (cards.TOKENIZER,)
    shutil.copyfile(folder.source / ontology, draft / ontology)
    return (cards.TOKENIZER, ontology)


def _write_model(folder: HuggingFaceFolder, draft: Path, inputs: Inputs) -> Reference:
    """Write ``model.onnx`` in fp32; return what its scores are held against."""
    if folder.form == TEXT_TO_TEXT:
        return _write_text_to_text(folder, draft)
    if folder.form == STARTS:
        return _write_start_states(folder, draft, inputs)
    return _write_classifier(folder, draft, inputs)


def _write_start_states(folder: HuggingFaceFolder, draft: Path, inputs: Inputs) -> Reference:
    from mt_gate.exporting.start_states import with_classifier

    encoder: Any = models.load_model(folder, unused="pooler.")
    file, where = folder.source / CLASSIFIER, folder.path / CLASSIFIER
    model = with_classifier(encoder, file, len(folder.labels), where)
    writing.write_onnx(model, encoder.config, draft / cards.MODEL, inputs)
    whole: Callable[..., torch.Tensor] = model
    return lambda feeds: whole(**feeds)


def _write_classifier(folder: HuggingFaceFolder, draft: Path, inputs: Inputs) -> Reference:
    model = models.load_model(folder)
    with models.one_language(model):
        writing.write_onnx(model, model.config, draft / cards.MODEL, inputs)

    def reference(feeds: Mapping[str, torch.Tensor]) -> torch.Tensor:
        logits: torch.Tensor = model(**feeds).logits
        return logits

    return reference


def _write_text_to_text(folder: HuggingFaceFolder, draft: Path) -> Reference:
    from mt_gate.exporting.text_to_text import FirstStep, narrowed

    tokenizer = load_tokenizer(CheckpointFolder(draft))
    pieces = first_pieces(tokenizer, folder.labels, folder.path)
    # Its sdpa attention, which transformers 5 takes, is what PyTorch 2.13 cannot export.
    model = models.load_model(folder, attention="eager")
    with narrowed(model, pieces) as step:
        writing.write_onnx(step, model.config, draft / cards.MODEL)
    whole: Callable[..., torch.Tensor] = FirstStep(model, pieces)
    return lambda feeds: whole(**feeds)
