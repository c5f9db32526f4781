"""An exported model in fp16, or with weights in int8.

int8 here means weights only: each row of a matrix is stored in 8 bits with a scale, and turned back
into fp32 when the model is loaded. ONNX Runtime's own dynamic quantisation also rounds activations,
with one scale for a whole batch: then an answer depends on the other sentences of its batch, and a
gate could not tell noise from change.

PyTorch's exporter writes attention as a dozen operators, which the runtime does not put together by
itself. On a GPU each reads and writes all it computes with: one operator in their place takes a
quarter to two thirds of the time. On a CPU it hardly matters, so that only fp16 exports have them;
fp32 ones keep to ONNX's own operators.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mt_gate.sut.processes import usable_cores
from mt_gate.sut.session import runtime

if TYPE_CHECKING:
    from onnx import ModelProto

LEAST_ELEMENTS = 4096
"""Smaller tensors (biases, norms) stay as they are: they cost nothing and matter most."""
_ATTENTION = {("com.microsoft", "Attention"), ("com.microsoft", "MultiHeadAttention")}
"""Without one of them the rest is worth little, and products that mutation looks for have other
names (``fault_bench.onnx_weights``)."""
_SIZES = {"batch": 3, "length": 9}
"""Sizes of the free axes in the inputs that both models run on."""
_TOLERANCE, _TOLERANCE_HALF = 1e-4, 0.02
"""Tolerated difference in fp32 and in fp16, relative to the largest score or to 1."""

Array = np.ndarray[Any, Any]


def set_precision(path: Path, precision: str) -> None:
    """Finish the model of ``writing``: fp32 as it is, or converted to fp16 or int8.

    The shapes between its operators go, which only fusing them needs.
    """
    import onnx

    model = onnx.load(path)
    if precision == "fp16":  # what a GPU runs
        model = fused_half(model)
    elif precision == "int8":
        model = int8_weights(model)
    for graph in (model.graph, *model.functions):
        del graph.value_info[:]
    onnx.save(model, path)


def half(model: Any) -> Any:
    """Return the model in fp16, with fp32 outputs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return convert_float_to_float16(model, keep_io_types=True)


def int8_weights(model: Any) -> Any:
    """Return the model with its large fp32 matrices stored as int8 rows and fp32 scales."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    tensors, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim != 2 or values.size < LEAST_ELEMENTS:
            tensors.append(tensor)
            continue
        rounded, scale = quantise(values)
        name = tensor.name
        tensors += [
            numpy_helper.from_array(rounded, f"{name}.int8"),
            numpy_helper.from_array(scale, f"{name}.scale"),
        ]
        nodes += [
            helper.make_node("Cast", [f"{name}.int8"], [f"{name}.cast"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}.cast", f"{name}.scale"], [name]),
        ]
    rest = list(graph.node)
    del graph.node[:]
    del graph.initializer[:]
    graph.initializer.extend(tensors)
    graph.node.extend([*nodes, *rest])
    return model


def quantise(
    values: np.ndarray[Any, np.dtype[np.float32]],
) -> tuple[np.ndarray[Any, np.dtype[np.int8]], np.ndarray[Any, np.dtype[np.float32]]]:
    """Return int8 values, shape (rows, columns), and fp32 scales, shape (rows, 1).

    ``rounded * scale`` differs from ``values`` by at most half a scale.
    """
    scale = np.abs(values).max(axis=1, keepdims=True) / np.float32(127)
    # Of fewer digits than usual a scale is so coarse that values come to more than 127 of it.
    scale = np.where(scale < np.finfo(np.float32).tiny, np.float32(1), scale).astype(np.float32)
    return np.rint(values / scale).astype(np.int8), scale


def fused_half(model: ModelProto) -> ModelProto:
    """Return an fp32 model in fp16, with fused operators where they answer as it does.

    onnxscript's rules are made for the models of its authors: of some that have rotary embeddings
    they make what the runtime refuses. So both answer three inputs, some padded, on the CPU.
    """
    try:
        made = _fuse(model)
        if not _ATTENTION.isdisjoint((node.domain, node.op_type) for node in made.graph.node):
            feeds = _feeds(model)
            wanted = _answer(model, feeds)
            if _is_near(_answer(made, feeds), wanted, _TOLERANCE):
                made = half(made)
                if _is_near(_answer(made, feeds), wanted, _TOLERANCE_HALF):
                    return made
    except Exception:
        pass
    return half(model)


def _fuse(model: ModelProto) -> ModelProto:
    from onnxscript import ir
    from onnxscript.rewriter.ort_fusions import optimize_for_ort

    made, _ = optimize_for_ort(ir.serde.deserialize_model(model), clear_metadata=True)
    # Layers that share their weights (ALBERT) would else have a copy each of what was put together.
    # Written and read once: the pass takes no array that is turned.
    made = ir.serde.deserialize_model(ir.serde.serialize_model(made))
    ir.passes.common.DeduplicateHashedInitializersPass()(made)
    written: ModelProto = ir.serde.serialize_model(made)
    return written


def _is_near(scores: Array, wanted: Array, tolerance: float) -> bool:
    most = tolerance * max(1.0, float(np.abs(wanted).max()))
    return scores.shape == wanted.shape and np.allclose(scores, wanted, rtol=0, atol=most)


def _feeds(model: ModelProto) -> dict[str, Array]:
    made = {}
    for tensor in model.graph.input:
        axes = tensor.type.tensor_type.shape.dim
        shape = [_SIZES.get(axis.dim_param, axis.dim_value) for axis in axes]
        if tensor.name.endswith("token_type_ids"):
            values = np.zeros(shape, np.int64)
        elif tensor.name == "input_ids":
            values = np.arange(np.prod(shape), dtype=np.int64).reshape(shape) % 5 + 1
        else:
            values = np.ones(shape, np.int64)
        if tensor.name == "attention_mask":
            values[1, shape[1] // 2 :] = values[2, -1:] = 0
        made[tensor.name] = values
    return made


def _answer(model: ModelProto, feeds: dict[str, Array]) -> Array:
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = usable_cores()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    answer: Array = session.run(None, feeds)[0]
    return answer
