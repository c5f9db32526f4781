"""Changed copies of an exported checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from fault_bench.onnx_weights import OnnxWeights
from mt_gate.base.files import decode_json, read_whole
from mt_gate.mutating.mutate import copy, write_json
from mt_gate.mutating.operators import Mutation, mutate_layers
from mt_gate.sut.card import CARD, MAX_CARD, MODEL, Card, identify, read_card
from mt_gate.sut.folder import CheckpointFolder

CAUSE = "Expected a checkpoint made by mt-gate export."

Change = Callable[[Path, dict[str, Any]], None]
"""Changes the files of a folder, and the card that will be written to it."""


def write_exported(checkpoint: Path, mutation: Mutation, folder: Path) -> Card:
    """Write a mutant of an exported checkpoint to an empty folder.

    Returns:
        Its metadata, with a new fingerprint.
    """
    weights = OnnxWeights(checkpoint / MODEL)

    def change(draft: Path, _: Any) -> None:
        weights.save(mutate_layers(weights.layers, weights.tensors, mutation), draft / MODEL)

    record = msgspec.to_builtins(mutation)
    return derive(checkpoint, folder, change, record, lambda name: name.startswith(MODEL))


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
    original = _identify(checkpoint)
    copy(checkpoint, folder, left_out)
    data = read_whole(checkpoint / CARD, limit=MAX_CARD, cause=CAUSE)
    card = decode_json(data, dict[str, Any], path=checkpoint / CARD, cause=CAUSE)
    change(folder, card)
    for outdated in ("fingerprint", "files", "parity"):
        card.pop(outdated, None)
    write_json(folder / CARD, card)
    known = _identify(folder)
    about = {
        "fingerprint": known.fingerprint,
        "files": known.files,
        "mutation": {**record, "of": original.fingerprint},
    }
    write_json(folder / CARD, {**card, **about})
    return known


def _identify(folder: Path) -> Card:
    card = read_card(folder)
    return identify(CheckpointFolder(folder, card.files), card)[0]
