"""An exported model in fp16, or with weights in int8.

int8 here means weights only: each row of a matrix is stored in 8 bits with a scale, and converted
back to fp32 when the model is loaded. ONNX Runtime's own dynamic quantisation also rounds
activations, with one scale for a whole batch. Then a prediction depends on the other sentences of
its batch, and a gate cannot distinguish noise from change.

PyTorch's exporter writes attention as a dozen operators, which the runtime does not fuse. On a GPU
each of them reads and writes all its data; one fused operator takes a quarter to two thirds of the
time. On a CPU fusing hardly helps. So only fp16 exports have fused operators, and fp32 exports use
only ONNX's standard operators.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mt_gate.sut.processes import usable_cores
from mt_gate.sut.session import runtime

if TYPE_CHECKING:
    from onnx import ModelProto

WEIGHTS = "model.onnx.data"
MOST_IN_MESSAGE = (2 << 30) - (64 << 20)
"""Bytes of weights in one protobuf message, whose limit is 2 GiB."""
LEAST_ELEMENTS = 4096
"""Minimum elements of a quantised tensor; small ones (norms) save little and matter most."""
_ATTENTION = {("com.microsoft", "Attention"), ("com.microsoft", "MultiHeadAttention")}
"""Fused operators of attention. Without one, fusing gains little, and renames the matrix products
that mutation looks for (``fault_bench.onnx_weights``)."""
_SIZES = {"batch": 3, "length": 9}
"""Sizes of the free axes in the inputs that both models run on."""
_TOLERANCE, _TOLERANCE_HALF = 1e-4, 0.02
"""Tolerated difference in fp32 and in fp16, relative to the largest score, or to 1 if larger."""

Array = np.ndarray[Any, Any]


def set_precision(path: Path, precision: str) -> None:
    """Convert a written model from fp32 to fp16 or int8, if ``precision`` is one of these.

    Also remove the shapes between operators, which only fusing needs.
    """
    import onnx

    model = onnx.load(path)
    if precision == "fp16":  # for a GPU
        model = fused_half(model)
    elif precision == "int8":
        model = int8_weights(model)
    for graph in (model.graph, *model.functions):
        del graph.value_info[:]
    save_model(model, path)


def save_model(model: ModelProto, path: Path) -> None:
    """Write a model, with its weights in the file ``WEIGHTS`` if too large for a protobuf message.

    An earlier file of weights is replaced, or removed if it is not needed any more.
    """
    import onnx

    weights = path.with_name(WEIGHTS)
    weights.unlink(missing_ok=True)  # onnx would append to it
    size = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if size < MOST_IN_MESSAGE:
        onnx.save(model, path)
    else:
        onnx.save(model, path, save_as_external_data=True, location=WEIGHTS)
        weights.chmod(path.stat().st_mode)  # onnx makes it readable for its owner only


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
    # A subnormal scale is so coarse that quotients could exceed 127.
    scale = np.where(scale < np.finfo(np.float32).tiny, np.float32(1), scale).astype(np.float32)
    return np.rint(values / scale).astype(np.int8), scale


def fused_half(model: ModelProto) -> ModelProto:
    """Return an fp32 model in fp16, with fused operators if they give the same scores.

    For some models with rotary embeddings, onnxscript's rules build operators that the runtime
    rejects. So both models run on three inputs, some padded, on the CPU.
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
    # Without deduplication, layers that share weights (ALBERT) would each have a fused copy.
    # Serialise the model first, because the pass does not take transposed arrays.
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
