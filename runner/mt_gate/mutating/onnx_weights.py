"""The weights of an exported model: read once, and saved once for each mutant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.mutating.layers import Layer, Tensors, to_float32
from mt_gate.mutating.onnx_graph import Graph, Node
from mt_gate.mutating.onnx_layers import find_layers

_CAUSE = "Expected a whole ONNX model of standard operators. Export the checkpoint again."
_LARGEST = 2**31 - 2**20
"""Bytes of weights in one protobuf file; larger models store them in a second file."""


class OnnxWeights:
    """A model with its query, key, value and gate weights in float32."""

    def __init__(self, path: Path) -> None:
        """Read a model. Raises CannotJudge: the onnx package is missing, or the model is broken."""
        onnx = _library()
        try:
            self._model = onnx.load(str(path))
            graph = Graph(self._model)
        except CannotJudge:
            raise
        except Exception as error:  # protobuf's errors share no base class but Exception
            text = reported(error, 200)
            raise CannotJudge(f"{path} cannot be read ({text}). {_CAUSE}") from None
        self._made = {name for node in graph.nodes for name in node.output}
        self.layers: list[Layer] = find_layers(graph)
        values = {
            part.tensor: graph.value(part.tensor)
            for layer in self.layers
            for part in (*layer.weights, *layer.biases)
        }
        self._types = {name: value.dtype for name, value in values.items()}
        self.tensors: Tensors = {name: to_float32(value) for name, value in values.items()}

    def save(self, tensors: Tensors, path: Path) -> None:
        """Write the model with ``tensors`` in place of its own.

        A weight that the model computes from 8-bit values is stored in full, so that a
        mutant differs from its original only in the chosen neurons.
        """
        onnx = _library()
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        initializers = [item for item in model.graph.initializer if item.name not in tensors]
        nodes = [node for node in model.graph.node if not tensors.keys() & set(node.output)]
        new = [
            onnx.numpy_helper.from_array(
                np.ascontiguousarray(tensors[name].astype(self._types[name])), name
            )
            for name in sorted(tensors)
        ]
        _set(model.graph, nodes, [*initializers, *new])
        if self._made & tensors.keys():
            _prune(model.graph)
        is_external = sum(len(item.raw_data) for item in model.graph.initializer) > _LARGEST
        onnx.save(
            model,
            str(path),
            save_as_external_data=is_external,
            **({"location": f"{path.name}.data"} if is_external else {}),
        )


def _set(graph: Any, nodes: list[Node], initialisers: list[Any]) -> None:
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.initializer[:]
    graph.initializer.extend(initialisers)


def _prune(graph: Any) -> None:
    """Remove nodes and weights that no longer affect the output."""
    needed = {item.name for item in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(_names(node))
    _set(graph, nodes[::-1], [item for item in graph.initializer if item.name in needed])


def _names(node: Node) -> Iterator[str]:
    """Yield the names that a node, or a graph within it, may use."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _names(inner)
            yield from (item.name for item in graph.output)


def _library() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise CannotJudge(
            f"{error.name} is not installed, but is needed to mutate an exported checkpoint. Run "
            "pip install 'mt-gate[export]'"
        ) from None
    return onnx
