"""Attention and what stands beside it as single operators of ONNX Runtime.

PyTorch's exporter writes attention as a dozen operators, which the runtime does not put together
by itself. On a GPU each reads and writes all it computes with: one operator in their place takes
half to two thirds of the time. On a CPU it hardly matters, so that only fp16 exports have them;
fp32 ones keep to ONNX's own operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import ModelProto

_SIZES = {"batch": 3, "length": 9}
"""Of the free axes, in what both are asked."""
_TOLERANCE = 1e-4
"""Of the largest score, or of 1: both compute in fp32, in another order."""

Feeds = dict[str, np.ndarray[Any, Any]]


def fused(model: ModelProto) -> ModelProto:
    """Return an fp32 model with fused operators, or itself where it has none or answers otherwise.

    onnxscript's rules are made for the models of its authors: of some that have rotary embeddings
    it makes what the runtime refuses. So both are asked the same, some of it padded.
    """
    import onnx_ir
    from onnxscript.rewriter.ort_fusions import optimize_for_ort

    try:
        made = optimize_for_ort(onnx_ir.serde.deserialize_model(model), clear_metadata=True)[0]
        other: ModelProto = onnx_ir.serde.serialize_model(made)
        feeds = _feeds(model)
        wanted, found = _answer(model, feeds), _answer(other, feeds)
    except (
        Exception
    ):  # rules and runtime raise what they like; what cannot be fused is exported whole
        return model
    alike = found.shape == wanted.shape and np.allclose(
        found, wanted, rtol=0, atol=_TOLERANCE * max(1.0, float(np.abs(wanted).max()))
    )
    return other if alike else model


def _feeds(model: ModelProto) -> Feeds:
    """Return three inputs, all that a mask has to tell but the first shorter than the others."""
    made = {}
    for given in model.graph.input:
        axes = given.type.tensor_type.shape.dim
        shape = [_SIZES.get(axis.dim_param, axis.dim_value) for axis in axes]
        if given.name.endswith("token_type_ids"):
            values = np.zeros(shape, np.int64)
        elif given.name == "input_ids":
            values = np.arange(np.prod(shape), dtype=np.int64).reshape(shape) % 5 + 1
        else:
            values = np.ones(shape, np.int64)
        if given.name == "attention_mask":
            values[1, shape[1] // 2 :] = values[2, -1:] = 0
        made[given.name] = values
    return made


def _answer(model: ModelProto, feeds: Feeds) -> np.ndarray[Any, Any]:
    from mt_gate.sut.session import runtime

    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    answer: np.ndarray[Any, Any] = session.run(None, feeds)[0]
    return answer
