"""Which operators an export has, by precision, and what is left as it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

pytest.importorskip("transformers", reason="needs mt-gate[export]")

import onnx
import torch
import transformers
from onnx import numpy_helper
from onnxscript import ir
from onnxscript.rewriter import ort_fusions

from making import LABELS, save_bert
from mt_gate.exporting.models import write_onnx
from mt_gate.exporting.precision import fused_half, quantise, set_precision


def operators(model: onnx.ModelProto) -> Counter[str]:
    own = {"com.microsoft": "ms."}
    return Counter(own.get(node.domain, "") + node.op_type for node in model.graph.node)


def is_fused(model: onnx.ModelProto) -> bool:
    return any(name.startswith("ms.") for name in operators(model))


def written(folder: Path, model: torch.nn.Module) -> onnx.ModelProto:
    write_onnx(model.eval(), model.config, folder / "model.onnx")
    return onnx.load(folder / "model.onnx")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> onnx.ModelProto:
    folder = tmp_path_factory.mktemp("bert")
    saved = save_bert(folder / "bert", LABELS)
    return written(folder, transformers.AutoModelForTokenClassification.from_pretrained(saved))


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_only_half_precision_has_operators_of_the_runtime(
    tmp_path: Path, bert: onnx.ModelProto, precision: str
) -> None:
    onnx.save(bert, tmp_path / "model.onnx")
    set_precision(tmp_path / "model.onnx", precision)
    made = onnx.load(tmp_path / "model.onnx")
    assert not made.graph.value_info
    actual = operators(made)
    if precision == "fp16":
        assert actual["ms.Attention"] == actual["ms.BiasGelu"] == 2
        assert not actual["Softmax"]
    else:
        assert actual["Gelu"] == actual["Softmax"] == 2
        assert not is_fused(made)


@pytest.mark.parametrize("change", [0.1, float("nan")])
def test_what_answers_otherwise_is_not_fused(
    bert: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch, change: float
) -> None:
    rules = ort_fusions.optimize_for_ort

    def broken(model: Any, **options: Any) -> Any:
        actual = rules(model, **options)
        bias = next(value for name, value in model.graph.initializers.items() if "bias" in name)
        values = bias.const_value.numpy() + np.float32(change)
        changed = numpy_helper.from_array(values, bias.name)
        bias.const_value = ir.serde.deserialize_tensor(changed)
        return actual

    monkeypatch.setattr(ort_fusions, "optimize_for_ort", broken)
    assert not is_fused(fused_half(bert))


@given(arrays.arrays(np.float32, (5, 7), elements=st.floats(-100, 100, width=32)))
@example(np.full((5, 7), 2.28e-43, np.float32))
def test_rows_are_rounded_by_half_a_scale_at_most(values: np.ndarray) -> None:
    rounded, scale = quantise(values)
    assert rounded.dtype == np.int8
    assert np.all(np.abs(rounded * scale - values) <= scale * 0.501)
