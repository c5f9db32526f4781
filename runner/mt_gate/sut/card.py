"""``checkpoint.json``: what an exported checkpoint is, beside its model and tokenizer.

It may be written by hand for any ONNX model; only ``task`` and ``labels`` are
asked for then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.errors import CannotJudge
from mt_gate.jsonio import canonical, decode_json, read_bytes, replacing, sha256_file

FORMAT = 1
CARD, MODEL, TOKENIZER = "checkpoint.json", "model.onnx", "tokenizer.json"
MAX_CARD = 1 << 20
_CAUSE = "export the checkpoint anew with 'mt-gate export', or mend the file"


class Parity(msgspec.Struct, frozen=True, kw_only=True):
    """How the exported model compares with the reference on ``inputs`` sentences.

    ``largest_logit_difference`` is absolute; ``equal_predictions`` a share in [0, 1].
    """

    reference: str
    inputs: int
    largest_logit_difference: float
    equal_predictions: float


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``checkpoint.json``; ``files`` are sha256 digests that bind the card to its files."""

    task: str
    labels: tuple[str, ...]
    format: int = FORMAT
    name: str = ""
    architecture: str = "unknown"
    input_form: str = "text"
    max_length: int = 512
    precision: str = "fp32"
    fingerprint: str = ""
    files: Mapping[str, str] = {}
    parity: Parity | None = None
    tools: Mapping[str, str] = {}


def read_card(folder: Path) -> Card:
    """Read and check ``checkpoint.json``.

    Raises:
        CannotJudge: missing, of a later format, or not of the expected form.
    """
    path = folder / CARD
    data = read_bytes(path, limit=MAX_CARD, cause=_CAUSE)
    found = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format", FORMAT)
    if isinstance(found, int) and found > FORMAT:
        raise CannotJudge(
            f"{path}: format {found}, this release reads up to {FORMAT}; use a newer mt-gate"
        )
    card = decode_json(data, Card, path=path, cause=_CAUSE)
    if not 3 <= card.max_length <= 1_000_000:
        raise CannotJudge(f"{path}: max_length {card.max_length}; expected 3 or more; {_CAUSE}")
    if card.input_form != "text":
        raise CannotJudge(f"{path}: input_form {card.input_form!r}; expected 'text'; {_CAUSE}")
    return card


def identify(folder: Path, card: Card) -> Card:
    """Return the card with a fingerprint that its files bear out.

    Raises:
        CannotJudge: a file is missing, or is not the one that the card names.
    """
    digests = {}
    # Weights may lie beside the model (model.onnx.data): they are part of what is fingerprinted.
    beside = {path.name for path in folder.glob(f"{MODEL}*") if path.is_file()}
    for name in sorted({MODEL, TOKENIZER, *beside, *card.files}):
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise CannotJudge(f"{path}: no such file, {CARD} needs it beside it; {_CAUSE}")
        digests[name] = sha256_file(path)
        if card.files.get(name, digests[name]) != digests[name]:
            raise CannotJudge(
                f"{path}: is not the file that {CARD} describes (sha256 differs); {_CAUSE}"
            )
    if card.fingerprint and card.files:
        return card
    own = canonical([digests, card.task, card.labels, card.max_length, card.input_form])
    fingerprint = f"sha256:{hashlib.sha256(own).hexdigest()}"
    return msgspec.structs.replace(card, fingerprint=fingerprint, files=digests)


def write_card(folder: Path, card: Card) -> None:
    """Write ``checkpoint.json``, whole or not at all."""
    with replacing(folder / CARD) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
