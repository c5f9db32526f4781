"""Faults around the weights: what the tokenizer does, which label is which, how much is read.

Each changes an exported checkpoint's ``tokenizer.json`` or card, as a new release of a library, a
wrong file or a line of configuration does. The tokenizer is changed as JSON, in the form that the
``tokenizers`` library writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from fault_bench.exported import Change
from fault_bench.faults import Fault
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import decode_json, read_whole, write_whole
from mt_gate.ontologies.ontology import parts_of
from mt_gate.sut.card import LEAST_LENGTH, MAX_FILE, TOKENIZER

_CAUSE = "expected the tokenizer.json that the tokenizers library writes"
_BERT = "BertNormalizer"
_LETTERS = "\u00c9a \u00e9A"  # E with an accent: both cases, with it and without
_PADDING = ("[PAD]", "<pad>")
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
        data = read_whole(path, limit=MAX_FILE, cause=_CAUSE)
        tokenizer = decode_json(data, Json, path=path, cause=_CAUSE)
        edit(tokenizer, fault)
        write_whole(path, msgspec.json.encode(tokenizer))

    return change


def _casing(tokenizer: Json, _: Fault) -> None:
    steps = _normalizers(tokenizer.get("normalizer"))
    lowering = [step for step in steps if step["type"] == "Lowercase" or step.get("lowercase")]
    for step in steps:
        if step["type"] == _BERT:
            # What is left out of a BERT normalizer's accents hangs on its lower-casing.
            if step.get("strip_accents") is None:
                step["strip_accents"] = step["lowercase"]
            step["lowercase"] = not lowering
    kept = [step for step in steps if step["type"] != "Lowercase"]
    if not any(step["type"] == _BERT for step in kept) and not lowering:
        kept.append({"type": "Lowercase"})
    _normalize_by(tokenizer, kept, "case")


def _accents(tokenizer: Json, _: Fault) -> None:
    steps = _normalizers(tokenizer.get("normalizer"))
    stripping = [step for step in steps if step["type"] == "StripAccents" or _strips(step)]
    for step in steps:
        if step["type"] == _BERT:
            step["strip_accents"] = not stripping
    # Join again the parts that were split to be stripped: the vocabulary has the whole.
    kept = [{"type": "NFC"} if step["type"] == "StripAccents" else step for step in steps]
    if not any(step["type"] == _BERT for step in kept) and not stripping:
        kept += [{"type": "NFD"}, {"type": "StripAccents"}]
    _normalize_by(tokenizer, kept, "accents")


def _strips(step: Json) -> bool:
    """Whether a BERT normalizer strips accents; left open, it does where it lower-cases."""
    if step["type"] != _BERT:
        return False
    own = step.get("strip_accents")
    return bool(step["lowercase"] if own is None else own)


def _normalizers(own: Json | None) -> list[Json]:
    """Return a normalizer's steps, those of sequences within it one by one."""
    if not own:
        return []
    if own["type"] != "Sequence":
        return [dict(own)]
    return [step for part in own["normalizers"] for step in _normalizers(part)]


def _normalize_by(tokenizer: Json, steps: list[Json], what: str) -> None:
    """Let a tokenizer normalize by other steps.

    Raises:
        CannotJudge: that changes nothing, since a step that cannot be read does the same.
    """
    before = _normalized(tokenizer)
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": steps} if steps else None
    if _normalized(tokenizer) == before:
        raise CannotJudge(f"its tokenizer treats {what} alike, whatever is put into its normalizer")


def _normalized(tokenizer: Json) -> str:
    """Return what becomes of letters with case and accents."""
    from tokenizers import Tokenizer

    normalizer = Tokenizer.from_str(msgspec.json.encode(tokenizer).decode()).normalizer
    return _LETTERS if normalizer is None else str(normalizer.normalize_str(_LETTERS))


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


def _padded_before(tokenizer: Json, fault: Fault) -> None:
    """Put padding before the text, where a mask that was made for padding behind it lets it in."""
    template, vocabulary = _template_of(tokenizer), tokenizer["model"].get("vocab")
    known = {token["content"]: token["id"] for token in tokenizer.get("added_tokens", ())}
    known |= vocabulary if isinstance(vocabulary, dict) else {}
    padding = next((piece for piece in _PADDING if piece in known), None)
    if padding is None:
        raise CannotJudge(f"its tokenizer has no piece for padding ({' or '.join(_PADDING)})")
    template["special_tokens"][padding] = {
        "id": padding,
        "ids": [known[padding]],
        "tokens": [padding],
    }
    pieces = [{"SpecialToken": {"id": padding, "type_id": 0}}] * int(fault.strength)
    for form in ("single", "pair"):
        template[form] = [*pieces, *template[form]]


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
    left = round(fault.strength * length)
    if not LEAST_LENGTH <= left < length:
        raise CannotJudge(
            f"of its greatest length, {length}, {fault.strength:g} is {left}; expected less than "
            f"all, and {LEAST_LENGTH} or more"
        )
    card["max_length"] = left


def _labels_exchanged(card: Json, fault: Fault) -> None:
    labels = [parts_of(label) for label in card["labels"]]
    forms: dict[str, set[tuple[str, str]]] = {}
    for label in labels:
        if not label.says_nothing:
            forms.setdefault(label.kind, set()).add(label.form)
    pairs = _pairs_of_one_form(forms)
    wanted = int(fault.strength)
    if wanted > len(pairs):
        raise CannotJudge(f"its labels have no {wanted} pairs of kinds that have the same forms")
    partner = {one: other for pair in pairs[:wanted] for one, other in (pair, pair[::-1])}
    card["labels"] = [label.called(partner.get(label.kind, label.kind)) for label in labels]


def _pairs_of_one_form(forms: Mapping[str, set[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return kinds two by two, each in one pair, in their order."""
    pairs: list[tuple[str, str]] = []
    alone: dict[frozenset[tuple[str, str]], str] = {}
    for kind, own in forms.items():
        other = alone.pop(frozenset(own), None)
        if other is None:
            alone[frozenset(own)] = kind
        else:
            pairs.append((other, kind))
    return pairs


_CARDS: dict[str, Callable[[Json, Fault], None]] = {
    "truncation": _truncation,
    "labels-exchanged": _labels_exchanged,
}
_TOKENIZERS: dict[str, Callable[[Json, Fault], None]] = {
    "casing": _casing,
    "accents": _accents,
    "segment-ids": _segment_ids,
    "template": _wrong_template,
    "padding-side": _padded_before,
    "sister-tokenizer": _sister,
}
KINDS = (*_CARDS, *_TOKENIZERS)
