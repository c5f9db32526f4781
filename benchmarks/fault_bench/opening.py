"""Checkpoints of a study, reference and candidates alike: which one it is, and how it is opened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import canonical, sha256_file
from mt_gate.running.systems import open_checkpoint
from mt_gate.settings.record import Settings
from mt_gate.sut.card import CARD
from mt_gate.sut.confined import ConfinedCheckpoint


def open_side(
    settings: Settings,
    checkpoint: Path,
    cache: Path,
    inputs: Sequence[Mapping[str, Any]],
    say: Say,
) -> ConfinedCheckpoint:
    """Open a checkpoint as the settings say, whichever checkpoint they name.

    An export has the precision that it was made in: a fault may be another than the reference's.

    Args:
        settings: of the study.
        checkpoint: exported, or of Hugging Face.
        cache: folder for exports.
        inputs: of the task, for an export's parity.
        say: reports an export.

    Raises:
        UsageError: no such folder, or it cannot be read as the settings say.
        CannotJudge: what is there is unfit.
    """
    exported = (checkpoint / CARD).is_file()
    precision = None if exported else settings.precision
    own = replace(settings, checkpoint=str(checkpoint), precision=precision)
    return open_checkpoint(own, cache, inputs, say)


def digest(folder: Path) -> str:
    """Return a hash of the files of a checkpoint's folder.

    Raises:
        CannotJudge: it has none, or one cannot be read.
    """
    try:
        found = {
            path.name: sha256_file(path) for path in sorted(folder.iterdir()) if path.is_file()
        }
    except OSError as error:
        raise CannotJudge(
            f"{folder}: cannot be read ({error.strerror}); expected a checkpoint"
        ) from None
    return hashlib.sha256(canonical(found)).hexdigest()
