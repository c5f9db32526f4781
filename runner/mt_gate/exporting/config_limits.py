"""What ``config.json`` may ask for: no code, no files elsewhere, sizes that its weights hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.weights import Weights
from mt_gate.sut.card import MOST_LABELS

MOST_DEPTH = 20
MOST_POSITIONS = 10_000_000
_OF_ITS_OWN = "its own code"
_ELSEWHERE: Mapping[str, str] = {
    "auto_map": _OF_ITS_OWN,
    "custom_pipelines": _OF_ITS_OWN,
    "custom_generate": _OF_ITS_OWN,
    "kernel_config": _OF_ITS_OWN,
    "use_kernels": _OF_ITS_OWN,
    "transformers_weights": "weights from another file",
    "backbone": "weights of another checkpoint",
    "quantization_config": "code for its quantised weights",
    "compression_config": "code for its quantised weights",
}
"""Keys by which a configuration leads to what is not in its weights."""
_ATTENTION = "attn_implementation"
_ATTENTIONS = ("eager", "sdpa")
"""Any other name would be looked for among installed packages, or fetched as a repository."""
_LAYERS = re.compile(r"(?:.*_)?layers?")
_SHARING = 64
"""Layers that may share their weights (ALBERT), and so be more than there are tensors."""
_DIMENSIONS = {
    "vocab_size", "hidden_size", "intermediate_size", "embedding_size", "type_vocab_size",
    "num_attention_heads", "num_key_value_heads", "head_dim", "entity_vocab_size",
    "entity_emb_size", "d_model", "d_ff", "d_kv", "num_heads", "dim", "hidden_dim", "n_heads",
    "n_head", "n_embd", "encoder_ffn_dim", "decoder_ffn_dim",
}  # fmt: skip
_MOST = {
    "num_labels": MOST_LABELS,
    **dict.fromkeys(
        ("max_position_embeddings", "n_positions", "relative_attention_num_buckets"),
        MOST_POSITIONS,
    ),
}
_COUNTS = {"num_hidden_layers", "num_layers", "num_decoder_layers", "n_layer", "n_layers"}
_TABLES = {"id2label", "label2id"}
_MADE = "save the checkpoint again, or fix the file"


def check_config(path: Path, config: Mapping[str, Any], weights: Weights) -> None:
    """Check a configuration before anything is built from it.

    Raises:
        CannotJudge: it leads to code or weights elsewhere, or has a size that is none, or one that
            the weights cannot hold.
    """
    for key, value in walk(path, config):
        _check_elsewhere(path, key, value)
        if value is not None:
            _check_size(path, key, value, weights)


def walk(path: Path, config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each value with the name that it has, at any depth; labels are no names.

    Raises:
        CannotJudge: nested too deeply.
    """
    left: list[tuple[str, Any, int]] = [("", config, 0)]
    while left:
        key, value, depth = left.pop()
        if depth > MOST_DEPTH:
            raise CannotJudge(
                f"{path}: nested more than {MOST_DEPTH} levels deep; expected fewer; {_MADE}"
            )
        yield key, value
        if isinstance(value, dict):
            named = key not in _TABLES
            left += [(name if named else "", inner, depth + 1) for name, inner in value.items()]
        elif isinstance(value, list):
            left += [(key, inner, depth + 1) for inner in value]


def _check_elsewhere(path: Path, key: str, value: Any) -> None:
    if value and key in _ELSEWHERE:
        raise CannotJudge(
            f"{path}: asks for {_ELSEWHERE[key]} ({key}), which mt-gate never runs; "
            "export the model to ONNX yourself and write a checkpoint.json next to it"
        )
    if _ATTENTION not in key:
        return
    for name in value.values() if isinstance(value, dict) else [value]:
        if isinstance(name, (str, dict, list)) and name not in _ATTENTIONS:
            raise CannotJudge(
                f"{path}: {key[:60]} is {str(name)[:60]!r}; expected eager or sdpa, "
                "since others are code from elsewhere; remove the key from the file"
            )


def _check_size(path: Path, key: str, value: Any, weights: Weights) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    most, least = _bounds(key, weights)
    if least is not None:
        is_fit = is_whole and least <= value <= most
    else:
        is_fit = not is_whole or abs(value) <= most
    if not is_fit:
        raise CannotJudge(
            f"{path}: {key[:60]} is {str(value)[:40]!r}; expected a whole number"
            f"{'' if least is None else f' from {least}'} up to {most:,}, which is what the "
            f"weights allow; {_MADE}"
        )


def _bounds(key: str, weights: Weights) -> tuple[int, int | None]:
    """Return the most that a number may be, and the least where it must be one."""
    layers = max(weights.tensors, _SHARING)
    if key in _MOST:
        return _MOST[key], 1
    if key == "pad_token_id":
        return weights.elements, -1
    if key in _COUNTS:
        return layers, 0
    if key in _DIMENSIONS:  # DeBERTa has no types of tokens: none may be meant
        return weights.elements, 0
    return (layers if _LAYERS.fullmatch(key) else (1 << 63) - 1), None
