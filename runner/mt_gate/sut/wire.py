"""What a run and the process of its checkpoint say to each other: a line of JSON each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from mt_gate.results.result import CheckpointHead
from mt_gate.sut.card import Card, CheckpointOptions
from mt_gate.sut.protocol import Noise, Prediction

WINDOW = 20_000
"""Inputs sent, encoded and sorted by length together: memory does not grow with their number."""
_AT_ONCE = 256
"""Answers a line."""


class _Message(msgspec.Struct, frozen=True, tag=True):
    """One line."""


class Open(_Message, frozen=True, tag=True):
    """Load the exported checkpoint in ``folder``; answered by ``Opened``.

    ``task`` is the import path of the task's record, as the run's own table has it.
    """

    folder: str
    task: str
    device: str
    name: str
    options: CheckpointOptions


class Predict(_Message, frozen=True, tag=True):
    """Answer inputs; answered by ``Answers`` until ``last``."""

    inputs: Sequence[Mapping[str, Any]]


class MeasureNoise(_Message, frozen=True, tag=True):
    """Measure the noise on inputs; answered by ``MeasuredNoise``."""

    inputs: Sequence[Mapping[str, Any]]


class Export(_Message, frozen=True, tag=True):
    """Export a Hugging Face folder to ``out``; answered by ``Exported``. ``task``: as above."""

    checkpoint: str
    task: str
    out: str
    precision: str
    inputs: Sequence[Mapping[str, Any]]
    options: CheckpointOptions
    expected: str


class Opened(_Message, frozen=True, tag=True):
    """The checkpoint is loaded and has answered."""

    head: CheckpointHead
    cache_key: str
    card: Card
    reads_types: bool


class Answers(_Message, frozen=True, tag=True):
    """Index, output, margin (None for infinity) and reason of each; nothing while it works on."""

    items: Sequence[tuple[int, Mapping[str, Any] | None, float | None, str]] = ()
    last: bool = False


class MeasuredNoise(_Message, frozen=True, tag=True):
    """How far scores moved, by what alone was changed."""

    noise: Noise


class Exported(_Message, frozen=True, tag=True):
    """The card of an export."""

    card: Card


class Failed(_Message, frozen=True, tag=True):
    """What a user is to read, and the exit code; ``bare`` of where it failed."""

    message: str
    exit_code: int
    bare: bool = False


Request = Open | Predict | MeasureNoise | Export
Reply = Opened | Answers | MeasuredNoise | Exported | Failed

_REQUESTS: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_REPLIES: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)


def line(message: _Message) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def read_request(text: bytes) -> Request:
    """Read a line of the run."""
    return _REQUESTS.decode(text)


def read_reply(text: bytes) -> Reply:
    """Read a line of the checkpoint's process. Raises msgspec.DecodeError: it is not one."""
    return _REPLIES.decode(text)


def answers(predicted: Sequence[tuple[int, Prediction]]) -> Iterator[Answers]:
    """Yield the messages that carry predictions; one without any says that work goes on."""
    for start in range(0, len(predicted) or 1, _AT_ONCE):
        some = predicted[start : start + _AT_ONCE]
        yield Answers(
            [
                (index, output, None if margin == float("inf") else margin, reason)
                for index, (output, margin, reason) in some
            ]
        )


def predictions(message: Answers) -> list[tuple[int, Prediction]]:
    """Return the predictions that a message carries."""
    return [
        (index, Prediction(output, float("inf") if margin is None else margin, reason))
        for index, output, margin, reason in message.items
    ]
