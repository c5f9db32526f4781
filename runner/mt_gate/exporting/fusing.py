"""Attention and what stands beside it as single operators of ONNX Runtime.

PyTorch's exporter writes attention as a dozen operators, which the runtime does not put together
by itself. On a GPU each reads and writes all it computes with: one operator in their place takes
a quarter to two thirds of the time. On a CPU it hardly matters, so that only fp16 exports have
them; fp32 ones keep to ONNX's own operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mt_gate.exporting import precision
from mt_gate.sut.limits import usable_cores
from mt_gate.sut.session import runtime

if TYPE_CHECKING:
    from onnx import ModelProto

_ATTENTION = {("com.microsoft", "Attention"), ("com.microsoft", "MultiHeadAttention")}
"""Without one of them the rest is worth little, and products that mutation looks for have other
names (``mutating.onnx_layers``)."""
_SIZES = {"batch": 3, "length": 9}
"""Of the free axes, in what both are asked."""
_TOLERANCE, _TOLERANCE_HALF = 1e-4, 0.02
"""Of the largest score, or of 1: in fp32, where sums are in another order, and in fp16."""

Feeds = dict[str, np.ndarray[Any, Any]]


def half(model: ModelProto) -> ModelProto:
    """Return an fp32 model in fp16, with fused operators where they answer as it does.

    onnxscript's rules are made for the models of its authors: of some that have rotary embeddings
    they make what the runtime refuses. So three inputs, some padded, are asked of both on the CPU.

    Args:
        model: with the shapes between its operators, which the rules go by.
    """
    fused = _fused(model)
    return precision.half(model) if fused is None else fused


def _fused(model: ModelProto) -> ModelProto | None:
    try:
        made = _with_rules(model)
        if _ATTENTION.isdisjoint((node.domain, node.op_type) for node in made.graph.node):
            return None
        feeds = _feeds(model)
        wanted = _answer(model, feeds)
        if not _is_near(_answer(made, feeds), wanted, _TOLERANCE):
            return None
        made = precision.half(made)
        return made if _is_near(_answer(made, feeds), wanted, _TOLERANCE_HALF) else None
    except Exception:  # rules and runtime raise what they like: then it is exported as it is
        return None


def _with_rules(model: ModelProto) -> ModelProto:
    from onnxscript import ir
    from onnxscript.rewriter.ort_fusions import optimize_for_ort

    made, _ = optimize_for_ort(ir.serde.deserialize_model(model), clear_metadata=True)
    # Layers that share their weights (ALBERT) would else have a copy each of what was put together.
    # Written and read once: the pass takes no array that is turned.
    made = ir.serde.deserialize_model(ir.serde.serialize_model(made))
    ir.passes.common.DeduplicateHashedInitializersPass()(made)
    written: ModelProto = ir.serde.serialize_model(made)
    return written


def _is_near(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], tolerance: float) -> bool:
    most = tolerance * max(1.0, float(np.abs(wanted).max()))
    return found.shape == wanted.shape and np.allclose(found, wanted, rtol=0, atol=most)


def _feeds(model: ModelProto) -> Feeds:
    """Return three inputs; where there is a mask, the second and the third are padded."""
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
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = usable_cores()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    answer: np.ndarray[Any, Any] = session.run(None, feeds)[0]
    return answer
