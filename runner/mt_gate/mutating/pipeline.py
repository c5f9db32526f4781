"""Faults around the weights: what the tokenizer does, which label is which, how much is read.

Each changes an exported checkpoint's ``tokenizer.json`` or card, as a new release of a library, a
wrong file or a line of configuration does. The tokenizer is changed as JSON, in the form that the
``tokenizers`` library writes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import decode_json, read_bytes, write_whole
from mt_gate.mutating.deriving import Change
from mt_gate.mutating.faults import Fault
from mt_gate.sut.card import LEAST_LENGTH, MAX_BESIDE, TOKENIZER
from mt_gate.tasks.relation_extraction import is_none

_CAUSE = "expected the tokenizer.json that the tokenizers library writes"
_BERT = "BertNormalizer"
Json = dict[str, Any]


def change_of(fault: Fault) -> Change:
    """Return what a fault of the pipeline does to a folder and its card."""
    act = _CARDS.get(fault.kind)
    if act:
        return lambda _, card: act(card, fault)
    edit = _TOKENIZERS[fault.kind]

    def change(folder: Path, card: Json) -> None:
        if fault.kind == "template" and "head" in card and "tail" in card:
            card["head"], card["tail"] = card["tail"], card["head"]
            return
        path = folder / TOKENIZER
        if not path.is_file():
            raise CannotJudge(f"the checkpoint has no {TOKENIZER}")
        data = read_bytes(path, limit=MAX_BESIDE, cause=_CAUSE)
        tokenizer = decode_json(data, Json, path=path, cause=_CAUSE)
        edit(tokenizer, fault)
        write_whole(path, msgspec.json.encode(tokenizer))

    return change


def _casing(tokenizer: Json, _: Fault) -> None:
    normalizer = tokenizer.get("normalizer") or {}
    if normalizer.get("type") != _BERT:
        _add_normalizer(tokenizer, {"type": "Lowercase"})
        return
    # What is left out of a BERT normalizer's accents hangs on its lower-casing.
    if normalizer.get("strip_accents") is None:
        normalizer["strip_accents"] = normalizer["lowercase"]
    normalizer["lowercase"] = not normalizer["lowercase"]


def _accents(tokenizer: Json, _: Fault) -> None:
    normalizer = tokenizer.get("normalizer") or {}
    if normalizer.get("type") != _BERT:
        _add_normalizer(tokenizer, {"type": "NFD"})
        _add_normalizer(tokenizer, {"type": "StripAccents"})
        return
    stripped = normalizer.get("strip_accents")
    normalizer["strip_accents"] = not (normalizer["lowercase"] if stripped is None else stripped)


def _add_normalizer(tokenizer: Json, added: Json) -> None:
    """Let a normalizer follow the tokenizer's own."""
    own = tokenizer.get("normalizer")
    before = own["normalizers"] if own and own["type"] == "Sequence" else [own] if own else []
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": [*before, added]}


def _segment_ids(tokenizer: Json, _: Fault) -> None:
    template = _template_of(tokenizer)
    for part in template["single"]:
        _content(part)["type_id"] = 1
    for part in template["pair"]:
        _content(part)["type_id"] = 0


def _wrong_template(tokenizer: Json, _: Fault) -> None:
    template = _template_of(tokenizer)
    template["single"] = [part for part in template["single"] if "Sequence" in part]
    for part in template["pair"]:
        if "Sequence" in part:
            part["Sequence"]["id"] = "B" if part["Sequence"]["id"] == "A" else "A"


def _template_of(tokenizer: Json) -> Json:
    found: Json = tokenizer.get("post_processor") or {}
    if found.get("type") != "TemplateProcessing":
        raise CannotJudge(
            f"its tokenizer has post-processor {found.get('type', 'none')}, without a template"
        )
    return found


def _content(part: Json) -> Json:
    content: Json = part.get("Sequence") or part["SpecialToken"]
    return content


def _sister(tokenizer: Json, fault: Fault) -> None:
    vocabulary = tokenizer["model"].get("vocab")
    if not isinstance(vocabulary, dict):
        raise CannotJudge("its tokenizer's vocabulary is not a table of pieces and ids")
    added = {token["content"] for token in tokenizer.get("added_tokens", ())}
    pieces = sorted(piece for piece in vocabulary if piece not in added)
    number = min(len(pieces), max(2, round(fault.strength * len(pieces)))) // 2 * 2
    chosen = Random(f"{fault.kind} {fault.seed}").sample(pieces, number)
    for one, other in zip(chosen[::2], chosen[1::2], strict=True):
        vocabulary[one], vocabulary[other] = vocabulary[other], vocabulary[one]


def _truncation(card: Json, fault: Fault) -> None:
    length = card.get("max_length", 512)
    card["max_length"] = max(LEAST_LENGTH, round(fault.strength * length))


def _labels_exchanged(card: Json, fault: Fault) -> None:
    labels = card["labels"]
    kinds = list(dict.fromkeys(kind for kind in map(_kind, labels) if kind))
    partner: dict[str, str] = {}
    for one, other in list(zip(kinds[::2], kinds[1::2], strict=False))[: int(fault.strength)]:
        partner |= {one: other, other: one}
    renamed = [_renamed(label, partner) for label in labels]
    if sorted(renamed) != sorted(labels) or renamed == labels:
        raise CannotJudge("its labels have no two kinds of the same forms")
    if int(fault.strength) > len(kinds) // 2:
        raise CannotJudge(f"its labels have no {fault.strength:g} pairs of kinds")
    card["labels"] = renamed


def _kind(label: str) -> str:
    """Return a label without its prefix (B-PER); empty for the one that says nothing."""
    bare = label[2:] if label[:2] in _PREFIXES else label
    return "" if bare == "O" or is_none(bare) else bare


def _renamed(label: str, partner: dict[str, str]) -> str:
    kind = _kind(label)
    return label[: len(label) - len(kind)] + partner[kind] if kind in partner else label


_PREFIXES = ("B-", "I-", "E-", "S-", "L-", "U-")
_CARDS: dict[str, Callable[[Json, Fault], None]] = {
    "truncation": _truncation,
    "labels-exchanged": _labels_exchanged,
}
_TOKENIZERS: dict[str, Callable[[Json, Fault], None]] = {
    "casing": _casing,
    "accents": _accents,
    "segment-ids": _segment_ids,
    "template": _wrong_template,
    "sister-tokenizer": _sister,
}
KINDS = (*_CARDS, *_TOKENIZERS)
