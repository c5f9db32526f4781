"""What checkpoints and systems say of themselves, and what they answer."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import msgspec

from fuzz.target import Target, files_of, scratch, written
from making_onnx import network, tagger
from mt_gate.base.errors import CannotJudge
from mt_gate.sut import wire
from mt_gate.sut.boolq import read_vocabulary
from mt_gate.sut.card import CARD, VOCABULARY, read_card
from mt_gate.sut.folder import CheckpointFolder, examine
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.command import ENTITIES, LABELS, Line, read_line

TEXT = "Anna met Boris in Oslo."


def _card(data: bytes) -> None:
    written(CARD, data)
    read_card(scratch())


def _model(data: bytes) -> None:
    examine(data, Path("model.onnx"))


@cache
def _models() -> dict[str, bytes]:
    return {"tagger": tagger().SerializeToString(), "network": network().SerializeToString()}


def _vocabulary(data: bytes) -> None:
    written(VOCABULARY, data)
    read_vocabulary(CheckpointFolder(scratch()))


def _lines(data: bytes) -> None:
    for exchange in (ENTITIES, LABELS):
        for line in data.split(b"\n")[:8]:
            try:
                read = read_line(line, "command", exchange)
                if isinstance(read, Line):
                    exchange.settled({"text": TEXT}, read, "command")
            except CannotJudge as refused:
                if not str(refused).isprintable():
                    raise ValueError(f"not one line: {refused}") from None


def _line_seeds() -> dict[str, bytes]:
    rows = (
        {"system": {"name": "tagger", "fingerprint": "1"}},
        {"id": 0, "entities": [[0, 4, "PER"], [9, 14, "PER"], [18, 22, "LOC"]]},
        {"id": 1, "labels": ["toxic"], "scores": {"toxic": 0.9, "fine": 0.1}},
    )
    return {"answers": b"\n".join(json.dumps(row).encode() for row in rows)}


def _reply(data: bytes) -> None:
    result = wire.REPLIES.decode(data)
    if isinstance(result, wire.Answers):
        [*(Prediction.unpacked(fields) for _, fields in result.items)]


def _reply_seeds() -> dict[str, bytes]:
    items = [(0, ({"entities": []}, None, "")), (1, (None, 0.5, "too-long"))]
    result = wire.Answers(items, last=True)
    failed = wire.Failed("It is broken.", 3)
    return {"answers": msgspec.json.encode(result), "failed": msgspec.json.encode(failed)}


TARGETS = {
    "checkpoint.json": Target(
        _card, lambda: files_of("runner/mt_gate/checkpoints/*/checkpoint.json")
    ),
    "model.onnx": Target(_model, _models),
    "vocabulary": Target(_vocabulary, lambda: {"words": b"<pad>\n<unk>\nthe\nof\n"}),
    "command-protocol": Target(_lines, _line_seeds),
    "worker-replies": Target(
        # What ``sut.confined`` answers, its only caller.
        _reply,
        _reply_seeds,
        (msgspec.DecodeError, UnicodeDecodeError, RecursionError),
    ),
}
