"""Small token classifiers as plain ONNX, made without torch: good ones, and ones that misbehave."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

OPSET = 20
EVERY = ("batch", "length")
Weights = dict[str, np.ndarray]


def scores(words: int, labels: int, seed: int = 0) -> np.ndarray:
    """Return logits by token id, float32, shape (words, labels)."""
    return np.random.default_rng(seed).normal(size=(words, labels)).astype(np.float32)


def token_model(weights: Weights, nodes: Sequence[NodeProto] = ()) -> onnx.ModelProto:
    """Return a model from ``input_ids`` to ``logits``: rows of ``table``, after more ``nodes``.

    Args:
        weights: ``table``, shape (words, labels), and what the nodes need.
        nodes: from ``found``, shape (batch, length, labels), to ``logits``; none for the rows.
    """
    own = nodes or [helper.make_node("Identity", ["found"], ["logits"])]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["found"]), *own],
        "tokens",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, EVERY)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [*EVERY, None])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def write_token_checkpoint(
    folder: Path, like: Path, model: onnx.ModelProto, *, kept: str = ""
) -> Path:
    """Write a checkpoint by hand: a model with the tokenizer and labels of another.

    Args:
        folder: to write to.
        like: an exported checkpoint.
        model: as ``token_model`` makes it.
        kept: the file that it keeps its weights in; empty for none beside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(like / "tokenizer.json", folder / "tokenizer.json")
    card = json.loads((like / "checkpoint.json").read_text())
    own = {name: card[name] for name in ("task", "labels", "max_length")}
    (folder / "checkpoint.json").write_text(json.dumps(own))
    place = {"location": kept, "save_as_external_data": True, "size_threshold": 0} if kept else {}
    onnx.save(model, folder / "model.onnx", **place)
    return folder
