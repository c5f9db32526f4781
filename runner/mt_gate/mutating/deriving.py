"""A copy of an exported checkpoint with something changed, recorded in its metadata."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mt_gate.base import files
from mt_gate.base.jsonio import decode_json, read_bytes, readable, write_whole
from mt_gate.sut.card import CARD, MAX_CARD, Card, identify, read_card
from mt_gate.sut.folder import CheckpointFolder

CAUSE = "Expected a checkpoint made by mt-gate export, or a Hugging Face folder."

Change = Callable[[Path, dict[str, Any]], None]
"""Changes the files of a folder, and the card that will be written to it."""


def derive(
    checkpoint: Path,
    folder: Path,
    change: Change,
    record: Mapping[str, Any],
    left_out: Callable[[str], bool] = lambda _: False,
) -> Card:
    """Write a changed copy of an exported checkpoint to an empty folder, and return its metadata.

    The card gets ``record``, with the original's fingerprint, and a new fingerprint. ``left_out``
    are files that ``change`` writes itself.
    """
    original = _identified(checkpoint)
    copy(checkpoint, folder, left_out)
    data = read_bytes(checkpoint / CARD, limit=MAX_CARD, cause=CAUSE)
    card = decode_json(data, dict[str, Any], path=checkpoint / CARD, cause=CAUSE)
    change(folder, card)
    for outdated in ("fingerprint", "files", "parity"):
        card.pop(outdated, None)
    write_json(folder / CARD, card)
    known = _identified(folder)
    about = {
        "fingerprint": known.fingerprint,
        "files": known.files,
        "mutation": {**record, "of": original.fingerprint},
    }
    write_json(folder / CARD, {**card, **about})
    return known


def copy(source: Path, target: Path, left_out: Callable[[str], bool]) -> None:
    """Copy the files of a folder; folders in it are no part of a checkpoint."""
    for path in sorted(source.iterdir()):
        if path.is_file() and not path.name.startswith(".") and not left_out(path.name):
            with (
                files.opened(path, cause=CAUSE, inside=source) as old,
                (target / path.name).open("wb") as new,
            ):
                shutil.copyfileobj(old, new)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON for people to read, whole or not at all."""
    write_whole(path, readable(value))


def _identified(folder: Path) -> Card:
    card = read_card(folder)
    identity, _ = identify(CheckpointFolder(folder, card.files), card)
    return identity
