"""Exports that are kept in the cache, by what they were made from."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.card import MODEL, beside, read_card
from mt_gate.sut.folder import CheckpointFolder

KEPT_EXPORT = 3
"""Counts up when exports of this release differ from those that older ones kept."""


def kept_folder(cache: Path, fingerprint: str, task: str, precision: str) -> Path:
    """Return where the export of a checkpoint is kept, whether or not it is there."""
    digits = fingerprint.removeprefix("sha256:")[:32]
    return cache / "exports" / f"{digits}-{task}-{precision}-{KEPT_EXPORT}"


def is_kept(folder: Path) -> bool:
    """Say whether a whole export lies in a folder, as it was written."""
    try:
        card = read_card(folder)
        files = CheckpointFolder(folder, card.files)
        for name in card.files:
            files.count(name)
    except CannotJudge:
        return False
    return {MODEL, beside(card)} <= set(files.digests)


def clear(folder: Path) -> None:
    """Remove what lies where an export is to be kept, and is none."""
    with contextlib.suppress(OSError):
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
