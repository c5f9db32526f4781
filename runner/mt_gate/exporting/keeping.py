"""Exports that are kept in the cache, by what they were made from."""

from __future__ import annotations

from pathlib import Path

from mt_gate.errors import CannotJudge
from mt_gate.exporting.hugging_face import inspect
from mt_gate.sut.card import Asked, identify, read_card
from mt_gate.sut.folder import CheckpointFolder

KEPT_EXPORT = 1
"""Counts up when exports of this release differ from those that older ones kept."""


def kept_folder(checkpoint: Path, task: str, asked: Asked, cache: Path) -> Path:
    """Return where the export of a Hugging Face folder is kept, whether or not it is there.

    Raises:
        CannotJudge: the checkpoint is unfit.
        UsageError: it cannot be read as it is ``asked``.
    """
    fingerprint = inspect(checkpoint, task, asked).fingerprint.removeprefix("sha256:")
    return cache / "exports" / f"{fingerprint[:32]}-{task}-fp32-{KEPT_EXPORT}"


def is_fit(folder: Path) -> bool:
    """Say whether a whole export lies in a folder."""
    try:
        card = read_card(folder)
        identify(CheckpointFolder(folder, card.files), card)
    except CannotJudge:
        return False
    return True
