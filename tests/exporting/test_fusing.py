"""Which operators an export has, by precision, and what is left as it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs mt-gate[export]")

import numpy as np
import onnx
import torch
import transformers
from onnx import numpy_helper
from onnxscript import ir
from onnxscript.rewriter import ort_fusions

from making import LABELS, save_bert
from mt_gate.exporting import fusing
from mt_gate.exporting.writing import set_precision, write_onnx


def operators(model: onnx.ModelProto) -> Counter[str]:
    """Count operators; those that are ONNX Runtime's own begin with ms."""
    own = {"com.microsoft": "ms."}
    return Counter(own.get(node.domain, "") + node.op_type for node in model.graph.node)


def bert(folder: Path) -> Any:
    saved = save_bert(folder / "bert", LABELS)
    return transformers.AutoModelForTokenClassification.from_pretrained(saved)


def written(folder: Path, model: torch.nn.Module) -> onnx.ModelProto:
    path = folder / "model.onnx"
    write_onnx(model.eval(), model.config, path)
    return onnx.load(path)


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_only_half_precision_has_operators_of_the_runtime(tmp_path: Path, precision: str) -> None:
    model = bert(tmp_path)
    written(tmp_path, model)
    set_precision(tmp_path / "model.onnx", precision)
    made = onnx.load(tmp_path / "model.onnx")
    assert not made.graph.value_info
    found, layers = operators(made), model.config.num_hidden_layers
    if precision == "fp16":
        assert found["ms.Attention"] == found["ms.BiasGelu"] == layers
        assert not found["Softmax"]
    else:
        assert found["Gelu"] == found["Softmax"] == layers
        assert not any(name.startswith("ms.") for name in found)


@pytest.mark.parametrize("architecture", ["ModernBert", "MPNet"])
def test_what_is_not_fused(tmp_path: Path, architecture: str) -> None:
    """Of rotary embeddings the rules make what the runtime refuses; other attention is not found.

    The product of MPNet's would have another name then, which mutation does not look for.
    """
    config = getattr(transformers, f"{architecture}Config")(
        vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=48, pad_token_id=0,
    )  # fmt: skip
    model = getattr(transformers, f"{architecture}ForTokenClassification")(config)
    assert not own_operators(fusing.half(written(tmp_path, model)))


def test_layers_that_share_weights_share_what_is_put_together(tmp_path: Path) -> None:
    config = transformers.AlbertConfig(
        vocab_size=40, hidden_size=96, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=48, embedding_size=16,
    )  # fmt: skip
    model = transformers.AlbertForTokenClassification(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(std=0.2)
    made = fusing.half(written(tmp_path, model))
    nodes = [node for node in made.graph.node if node.op_type == "Attention"]
    assert len(nodes) == 3
    assert len({tuple(node.input[1:3]) for node in nodes}) == 1


@pytest.mark.parametrize("change", [0.1, float("nan")])
def test_what_answers_otherwise_is_not_fused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: float
) -> None:
    model = written(tmp_path, bert(tmp_path))
    assert operators(fusing.half(model))["ms.Attention"]
    rules = ort_fusions.optimize_for_ort

    def broken(model: Any, **options: Any) -> Any:
        found = rules(model, **options)
        bias = next(value for name, value in model.graph.initializers.items() if "bias" in name)
        bias.const_value = onnx_tensor(bias.const_value.numpy() + np.float32(change), bias.name)
        return found

    monkeypatch.setattr(ort_fusions, "optimize_for_ort", broken)
    assert not own_operators(fusing.half(model))


def own_operators(model: onnx.ModelProto) -> list[str]:
    return [name for name in operators(model) if name.startswith("ms.")]


def onnx_tensor(values: Any, name: str) -> Any:
    return ir.serde.deserialize_tensor(numpy_helper.from_array(values, name))
