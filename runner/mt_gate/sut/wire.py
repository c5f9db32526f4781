"""Messages between a run and the process of its checkpoint: one line of JSON each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from mt_gate.results.result import CheckpointHead
from mt_gate.sut.card import Card, CheckpointOptions
from mt_gate.sut.protocol import Noise, Packed

WINDOW = 20_000
"""Inputs that are sent, encoded and sorted by length together, so that memory stays bounded."""
AT_ONCE = 16
"""Predictions per line: each with scores of 10,000 long labels, they fit ``confined.MAX_LINE``."""


class Open(msgspec.Struct, frozen=True, tag=True):
    """Load the exported checkpoint in ``folder``; the reply is ``Opened``.

    ``task`` is the import path of the task's record, as in the run's task table.
    """

    folder: str
    task: str
    device: str
    name: str
    options: CheckpointOptions


class Predict(msgspec.Struct, frozen=True, tag=True):
    """Predict inputs; the replies are ``Answers``, until one has ``last``."""

    inputs: Sequence[Mapping[str, Any]]


class MeasureNoise(msgspec.Struct, frozen=True, tag=True):
    """Measure the noise on inputs; the reply is ``MeasuredNoise``."""

    inputs: Sequence[Mapping[str, Any]]


class Export(msgspec.Struct, frozen=True, tag=True):
    """Export a Hugging Face folder to ``out``; reply: ``Exported``. ``task`` is as in ``Open``."""

    checkpoint: str
    task: str
    out: str
    precision: str
    inputs: Sequence[Mapping[str, Any]]
    options: CheckpointOptions
    expected: str


class Opened(msgspec.Struct, frozen=True, tag=True):
    """The checkpoint is loaded and has predicted a short input."""

    head: CheckpointHead
    cache_key: str
    card: Card
    reads_types: bool


Answer = tuple[int, Packed]
"""The index of an input, and the prediction for it."""


class Answers(msgspec.Struct, frozen=True, tag=True):
    """Some predictions; without any, the reply only shows that the process is alive."""

    items: Sequence[Answer] = ()
    last: bool = False


class MeasuredNoise(msgspec.Struct, frozen=True, tag=True):
    """Largest difference of a score for each change of the computation."""

    noise: Noise


class Exported(msgspec.Struct, frozen=True, tag=True):
    """The card of an export."""

    card: Card


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Message for the user, and the exit code; ``bare``: the run adds the checkpoint's name."""

    message: str
    exit_code: int
    bare: bool = False


Request = Open | Predict | MeasureNoise | Export
Reply = Opened | Answers | MeasuredNoise | Exported | Failed
REQUESTS: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
REPLIES: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
