"""Makers of a tagger that looks its words up, in ONNX by hand: right, or with a mistake in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from making import LABELS, NAMES

CITIES = ("Oslo", "Paris", "Rome", "Berlin", "Quito")
WORDS = ("[PAD]", "[UNK]", *NAMES, "was", "Was", "a", "friend", "of", "in", ".", "?")


def save_tagger(folder: Path, *, unlike: Mapping[str, float] = {}, mistake: str = "") -> Path:
    """Write a tagger that ignores its mask: padding would be read as text.

    A word has its own label's score, and what the sentence's mean adds to "O".

    Args:
        folder: to write to.
        unlike: words that add to "O" in the whole sentence, and how much.
        mistake: an export's: "random", "batch" or nothing.
    """
    from onnx import TensorProto, checker, helper, numpy_helper, save

    folder.mkdir(parents=True)
    labels = np.zeros((len(WORDS), len(LABELS)), np.float32)
    context = np.zeros_like(labels)
    for number, word in enumerate(WORDS):
        kind = "B-LOC" if word in CITIES else "B-PER" if word in NAMES else "O"
        labels[number, LABELS.index(kind)] = 4 + (number / 2 if word in NAMES else 0)
        context[number, 0] = {"[PAD]": 900.0, **unlike}.get(word, number / 300)
    constants = {"labels": labels, "context": context, "axis": np.array([1], np.int64)}
    nodes = [
        helper.make_node("Gather", ["labels", "input_ids"], ["own"]),
        helper.make_node("Gather", ["context", "input_ids"], ["around"]),
        helper.make_node("ReduceMean", ["around", "axis"], ["mean"], keepdims=1),
        helper.make_node("Add", ["own", "mean"], ["right"]),
        *_ending(mistake),
    ]
    graph = helper.make_graph(
        nodes,
        "tagger",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", 7])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model)
    save(model, folder / "model.onnx")
    _save_tokenizer(folder)
    card = {"task": "ner", "labels": LABELS, "max_length": 64}
    (folder / "checkpoint.json").write_text(json.dumps(card))
    return folder


def _ending(mistake: str) -> list[Any]:
    """Return the nodes from the right scores to those given."""
    from onnx import helper

    if mistake == "random":  # dropout left on
        return [
            helper.make_node("RandomUniformLike", ["right"], ["noise"], high=0.5, low=0.0),
            helper.make_node("Add", ["right", "noise"], ["logits"]),
        ]
    if mistake == "batch":  # activations quantised with one scale a batch
        parts = ["rounded", "scale", "zero"]
        return [
            helper.make_node("DynamicQuantizeLinear", ["right"], parts),
            helper.make_node("DequantizeLinear", parts, ["logits"]),
        ]
    return [helper.make_node("Identity", ["right"], ["logits"])]


def _save_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    model = models.WordLevel({word: number for number, word in enumerate(WORDS)}, "[UNK]")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
