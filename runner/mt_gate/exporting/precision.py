"""Smaller weights for an exported model.

int8 here means weights only: each row of a matrix is stored in 8 bits with a
scale, and turned back into fp32 when the model is loaded. ONNX Runtime's own
dynamic quantisation also rounds activations, with one scale for a whole batch:
then an answer depends on which sentences stand beside it, and a gate could not
tell noise from change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST_ELEMENTS = 4096
"""Smaller tensors (biases, norms) stay as they are: they cost nothing and matter most."""


def half(model: Any) -> Any:
    """Return the model in fp16, with fp32 outputs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return convert_float_to_float16(model, keep_io_types=True)


def int8_weights(model: Any) -> Any:
    """Return the model with its large fp32 matrices stored as int8 rows and fp32 scales."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim != 2 or values.size < LEAST_ELEMENTS:
            kept.append(tensor)
            continue
        rounded, scale = quantise(values)
        name = tensor.name
        kept += [
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
    graph.initializer.extend(kept)
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
