"""From the text after ``--checkpoint`` to a system under test."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.errors import CannotJudge, UsageError
from mt_gate.sut.card import CARD, Asked
from mt_gate.sut.onnx import OnnxSystem

KEPT_EXPORT = 1
"""Counts up when exports of this release differ from those that older ones kept."""


def open_checkpoint(
    checkpoint: str,
    task: str,
    device: str,
    *,
    cache: Path,
    parity_inputs: Callable[[], Sequence[Mapping[str, Any]]],
    say: Callable[[str], None],
    asked: Asked = Asked(),  # noqa: B008 - immutable
) -> OnnxSystem:
    """Load an exported checkpoint; export a Hugging Face folder first, once.

    Raises:
        UsageError: no such folder, or it cannot be read as it is ``asked``.
        CannotJudge: what is there is unfit.
    """
    path = Path(checkpoint)
    if not path.exists():
        raise UsageError(
            f"checkpoint {checkpoint}: no such folder; expected one made by 'mt-gate export', "
            "or a Hugging Face checkpoint"
        )
    if not path.is_dir():
        raise UsageError(f"checkpoint {checkpoint}: a file; expected the folder that holds it")
    if not (path / CARD).is_file():
        path = _exported(path, task, asked, cache, parity_inputs, say)
    return OnnxSystem(path, task, device, Path(checkpoint).resolve().name, asked)


def _exported(
    path: Path,
    task: str,
    asked: Asked,
    cache: Path,
    parity_inputs: Callable[[], Sequence[Mapping[str, Any]]],
    say: Callable[[str], None],
) -> Path:
    from mt_gate.exporting.hugging_face import inspect

    fingerprint = inspect(path, task, asked).fingerprint
    digits = fingerprint.removeprefix("sha256:")[:32]
    kept = cache / "exports" / f"{digits}-{task}-fp32-{KEPT_EXPORT}"
    if (kept / CARD).is_file():
        with contextlib.suppress(CannotJudge):
            OnnxSystem(kept, task, "cpu")
            return kept
    from mt_gate.exporting.export import export

    say(f"exporting {path} to ONNX (once; kept in {kept})")
    export(path, task, kept, "fp32", parity_inputs(), asked, fingerprint)
    return kept
