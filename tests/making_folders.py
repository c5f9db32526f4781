"""Hugging Face folders written by hand: files and headers, of which nothing is ever loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LABELS = ("O", "B-PER", "I-PER")
SHAPES: Mapping[str, tuple[int, ...]] = {
    "bert.embeddings.word_embeddings.weight": (40, 8),
    "bert.encoder.layer.0.output.dense.weight": (8, 16),
    "classifier.weight": (3, 8),
    "classifier.bias": (3,),
}
CONFIG: Mapping[str, Any] = {
    "architectures": ["BertForTokenClassification"],
    "model_type": "bert",
    "vocab_size": 40,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
    "layer_norm_eps": 1e-12,
    "position_embedding_type": "absolute",
    "_attn_implementation_autoset": True,
    "id2label": {str(index): label for index, label in enumerate(LABELS)},
    "label2id": {label: index for index, label in enumerate(LABELS)},
}
TOKENIZER_CONFIG: Mapping[str, Any] = {
    "do_lower_case": True,
    "model_max_length": 512,
    "tokenizer_class": "BertTokenizer",
    "added_tokens_decoder": {"0": {"content": "[PAD]", "special": True}},
}


def header(shapes: Mapping[str, tuple[int, ...]] = SHAPES) -> dict[str, Any]:
    """Return the header of a safetensors file of 32-bit floats."""
    result: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        size = 4
        for length in shape:
            size *= length
        result[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    return result


def packed(table: Any, data: bytes) -> bytes:
    """Return a safetensors file: a header, whatever it says, and data."""
    text = table if isinstance(table, bytes) else json.dumps(table).encode()
    return len(text).to_bytes(8, "little") + text + data


def safetensors(shapes: Mapping[str, tuple[int, ...]] = SHAPES, *, fill: bytes = b"\0") -> bytes:
    """Return a safetensors file whose every byte of data is ``fill``."""
    table = header(shapes)
    ends = [entry["data_offsets"][1] for name, entry in table.items() if name[0] != "_"]
    return packed(table, fill * max(ends))


def write_folder(folder: Path, **config: Any) -> Path:
    """Write a folder that looks whole; ``config`` replaces what its configuration says."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **config}))
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER_CONFIG))
    (folder / "tokenizer.json").write_text('{"model": {"vocab": {"[PAD]": 0}}}')
    (folder / "model.safetensors").write_bytes(safetensors())
    return folder


def shard(folder: Path, *names: str) -> Path:
    """Put a folder's weights into shards of these names, a tensor each, with an index."""
    (folder / "model.safetensors").unlink()
    places = dict(zip(SHAPES, names, strict=False))
    for tensor, name in places.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(safetensors({tensor: SHAPES[tensor]}))
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder
