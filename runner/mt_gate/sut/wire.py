"""Messages between a run and the process of its checkpoint: one line of JSON each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from mt_gate.results.result import CheckpointHead
from mt_gate.sut.card import Card, CheckpointOptions
from mt_gate.sut.protocol import Noise, Packed

WINDOW = 20_000
"""Inputs sent, encoded and sorted by length together: memory does not grow with their number."""
AT_ONCE = 16
"""Answers a line: with the scores of 10,000 long labels each, they fit in ``confined.MAX_LINE``."""


class Open(msgspec.Struct, frozen=True, tag=True):
    """Load the exported checkpoint in ``folder``; answered by ``Opened``.

    ``task`` is the import path of the task's record, as the run's own table has it.
    """

    folder: str
    task: str
    device: str
    name: str
    options: CheckpointOptions


class Predict(msgspec.Struct, frozen=True, tag=True):
    """Answer inputs; answered by ``Answers`` until ``last``."""

    inputs: Sequence[Mapping[str, Any]]


class MeasureNoise(msgspec.Struct, frozen=True, tag=True):
    """Measure the noise on inputs; answered by ``MeasuredNoise``."""

    inputs: Sequence[Mapping[str, Any]]


class Export(msgspec.Struct, frozen=True, tag=True):
    """Export a Hugging Face folder to ``out``; answered by ``Exported``. ``task``: as above."""

    checkpoint: str
    task: str
    out: str
    precision: str
    inputs: Sequence[Mapping[str, Any]]
    options: CheckpointOptions
    expected: str


class Opened(msgspec.Struct, frozen=True, tag=True):
    """The checkpoint is loaded and has answered."""

    head: CheckpointHead
    cache_key: str
    card: Card
    reads_types: bool


Answer = tuple[int, Packed]
"""The index of an input, and the prediction for it."""


class Answers(msgspec.Struct, frozen=True, tag=True):
    """Some predictions; none while it works on."""

    items: Sequence[Answer] = ()
    last: bool = False


class MeasuredNoise(msgspec.Struct, frozen=True, tag=True):
    """Largest difference of a score, by the change of its computation."""

    noise: Noise


class Exported(msgspec.Struct, frozen=True, tag=True):
    """The card of an export."""

    card: Card


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Message for the user, and the exit code; ``bare``: the message does not say where."""

    message: str
    exit_code: int
    bare: bool = False


Request = Open | Predict | MeasureNoise | Export
Reply = Opened | Answers | MeasuredNoise | Exported | Failed
REQUESTS: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
REPLIES: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
