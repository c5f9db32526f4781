"""The export compared with PyTorch, before it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.models import Reference
from mt_gate.sut import card as cards
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.folder import CheckpointFolder, read_model
from mt_gate.sut.reader import (
    IDS,
    InputRefusal,
    Reader,
    longest,
    open_reader,
    short_feeds,
    stretched,
)
from mt_gate.sut.session import Session
from mt_gate.tasks.table import TASKS

Logits = np.ndarray[Any, np.dtype[np.float32]]
_TOKENS_A_BATCH = 1024
_MOST_TRIED, _MOST_BOTH = 4100, 1024
"""Tokens of the longest input that is tried, and of the longest that ONNX Runtime is tried on:
attention takes memory with the square of the length. Longer limits are believed."""


BOUNDS = {"fp32": (1e-3, 0.995), "fp16": (0.1, 0.98), "int8": (2.0, 0.90)}
"""Limits per precision: largest logit difference, smallest share of equal predictions."""


def open_session(draft: Path, reader: Reader) -> Session:
    """Load the exported model on the CPU, where a position out of range is an error."""
    return Session(read_model(CheckpointFolder(draft), cards.MODEL), "cpu", reader.inputs)


def longest_input(reference: Reference, session: Session, reader: Reader, card: cards.Card) -> int:
    """Return how many tokens the model takes, found by trying, at most ``card.max_length``."""
    feeds = short_feeds(reader, card.task)
    if not feeds:
        return card.max_length

    def fits(length: int) -> bool:
        longer = stretched(feeds, length)
        try:
            with torch.no_grad():
                reference({name: torch.from_numpy(longer[name]) for name in session.inputs})
            if length <= _MOST_BOTH:
                session.logits(longer)
        except Exception:  # a position table, a mask or a buffer: each fails in its own way
            return False
        return True

    most = min(card.max_length, _MOST_TRIED)
    tokens = longest(fits, feeds[IDS].shape[1], most)
    return card.max_length if tokens == most else tokens


def measure(
    reference: Reference,
    session: Session,
    draft: Path,
    card: cards.Card,
    inputs: Sequence[Mapping[str, Any]],
) -> cards.Parity:
    """Answer ``inputs`` with the export in ``draft`` and with the reference. Raises CannotJudge."""
    reader = open_reader(CheckpointFolder(draft), card)
    items = [item for item in reader.encode(inputs) if not isinstance(item, InputRefusal)]
    if not items:
        raise CannotJudge(
            f"{card.name}: none of the {len(inputs)} inputs for the parity report fits into "
            f"max_length {card.max_length}. Choose another --suite or a larger --max-length."
        )
    is_right = TASKS[card.task].is_right
    largest, equal = 0.0, 0
    for batch in exact_length_batches([reader.lengths(item) for item in items], _TOKENS_A_BATCH):
        chosen = [items[index] for index in batch]
        feeds = reader.feeds(chosen)
        exported = session.logits(feeds).astype(np.float32)
        with torch.no_grad():
            wanted = reference(
                {name: torch.from_numpy(feeds[name]) for name in session.inputs}
            ).numpy()
        if not np.isfinite(wanted).all():
            raise CannotJudge(
                f"{card.name}: the checkpoint itself returns logits that are not finite. Its "
                "weights have NaN, infinity, or numbers that overflow. Train or save it again."
            )
        if not np.isfinite(exported).all():
            raise CannotJudge(
                f"{card.name}: the {card.precision} export returns logits that are not finite, but "
                "the checkpoint does not. Try --precision fp32."
            )
        largest = max(largest, float(np.abs(exported - wanted).max()))
        answers = (reader.decode(chosen, logits) for logits in (exported, wanted))
        for _, (one, *_), (other, *_) in zip(chosen, *answers, strict=True):
            equal += one is not None and other is not None and is_right(other, one)
    return cards.Parity(
        reference=f"torch {torch.__version__}",
        inputs=len(items),
        largest_logit_difference=largest,
        equal_predictions=equal / len(items),
    )


def check(parity: cards.Parity, precision: str, checkpoint: Path) -> None:
    """Raise CannotJudge where the export does not answer like the checkpoint."""
    most, least = BOUNDS[precision]
    fits = parity.largest_logit_difference <= most
    if fits and parity.equal_predictions >= least:
        return
    raise CannotJudge(
        f"{checkpoint}: the {precision} export differs from {parity.reference} by up to "
        f"{figures.significant(parity.largest_logit_difference)} in a logit, with "
        f"{figures.percent(parity.equal_predictions)} equal predictions of {parity.inputs}. "
        f"Allowed: at most {figures.setting(most)} and at least {figures.percent(least)}. Try "
        "--precision fp32."
    )
