"""What a checkpoint says of itself, and whether it opens."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mt_gate.base import figures
from mt_gate.base.errors import MtGateError, UsageError
from mt_gate.base.redaction import shorten
from mt_gate.doctor.findings import DoctorFinding, FindingSection, State
from mt_gate.sut.card import CARD, Card, read_card
from mt_gate.tasks.table import TASKS

_LABELS = 12
_LONGEST_LABEL = 40


def check_folder(path: Path) -> None:
    """Raise UsageError where there is no such folder."""
    if not path.is_dir():
        raise UsageError(
            f"--checkpoint {path}: no such folder; expected one made by 'mt-gate export', or a "
            "Hugging Face checkpoint"
        )


def checkpoint(path: Path, device: str) -> FindingSection:
    """Return what the checkpoint in a folder is, and whether it opens on a device."""
    found = _exported(path, device) if (path / CARD).is_file() else _hugging_face(path)
    return FindingSection("checkpoint", tuple(found))


def _exported(path: Path, device: str) -> Iterable[DoctorFinding]:
    try:
        card = read_card(path)
    except MtGateError as error:
        yield DoctorFinding("card", State.PROBLEM, str(error))
        return
    yield from _said(path, card)
    yield _opened(path, card, device)


def _said(path: Path, card: Card) -> Iterable[DoctorFinding]:
    yield DoctorFinding("card", State.OK, f"{path / CARD}: {card.name or path.resolve().name}")
    yield DoctorFinding("task", State.OK, f"{card.task}, input form {card.input_form}")
    what = f"{card.architecture}, {card.precision}, at most {figures.count(card.max_length)} tokens"
    yield DoctorFinding("model", State.OK, what)
    labels = [shorten(label, _LONGEST_LABEL) for label in card.labels[:_LABELS]]
    left = len(card.labels) - len(labels)
    more = f" and {left} more" if left else ""
    yield DoctorFinding("labels", State.OK, f"{len(card.labels)}: {', '.join(labels)}{more}")
    if card.parity is None:
        yield DoctorFinding(
            "parity", State.NOTE, "checkpoint.json records no comparison with a reference"
        )
    else:
        parity = card.parity
        text = (
            f"with {parity.reference} on {parity.inputs} inputs: equal predictions "
            f"{figures.percent(parity.equal_predictions)}, largest logit difference "
            f"{figures.significant(parity.largest_logit_difference)}"
        )
        yield DoctorFinding("parity", State.OK, text)


def _opened(path: Path, card: Card, device: str) -> DoctorFinding:
    from mt_gate.sut.confined import ConfinedCheckpoint

    try:
        system = ConfinedCheckpoint(path, card.task, device, path.resolve().name)
        system.close()
    except MtGateError as error:
        return DoctorFinding("opens", State.PROBLEM, str(error))
    except ImportError as error:
        return DoctorFinding("opens", State.PROBLEM, f"not tried: {error.name} is not installed")
    head = system.head
    text = f"on {head.runtime.provider}, and answers; fingerprint {head.fingerprint[:19]}"
    return DoctorFinding("opens", State.OK, text)


def _hugging_face(path: Path) -> Iterable[DoctorFinding]:
    """Yield what a checkpoint that a run would export first is for."""
    from mt_gate.exporting.hugging_face import inspect

    fit, failures = [], []
    for task in TASKS:
        try:
            found = inspect(path, task)
            fit.append(f"task {task} ({found.architecture}, {len(found.labels)} labels)")
        except MtGateError as error:
            failures.append(str(error))
    if not fit:
        yield DoctorFinding("folder", State.PROBLEM, failures[0])
        return
    yield DoctorFinding(
        "folder", State.OK, f"{path}: a Hugging Face checkpoint for {', '.join(fit)}"
    )
    yield DoctorFinding("export", *_exportable())


def _exportable() -> tuple[State, str]:
    from mt_gate.doctor.requirements import installed_version

    wanted = ("torch", "transformers", "onnx", "onnxscript")
    missing = [name for name in wanted if installed_version(name) is None]
    if missing:
        text = f"a run exports it first, and {', '.join(missing)} is missing"
        return State.PROBLEM, f"{text}: pip install 'mt-gate[export]'"
    return State.OK, "a run exports it first, once; 'mt-gate export' does it beforehand"
