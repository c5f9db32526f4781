"""Query, key, value and gates of an ONNX model, recognised by the structure of its graph.

Exporters fold and rename weights, so names show little. An attention is a softmax between two
products: what is multiplied before it are queries and keys, what is multiplied with it are values.
Each comes from a product with constant weights, over steps that only scale, mask, turn and cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.mutating.operators import (
    GATES,
    ROLES,
    Layer,
    TensorPart,
    Tensors,
    tensor_names,
    thirds,
)

Node = Any
"""An ``onnx.NodeProto``: the package has no types."""

_CAUSE = "Expected a whole ONNX model of standard operators. Export the checkpoint again."
_LARGEST = 2**31 - 2**20
"""Bytes of weights in one protobuf file; larger models store them in a second file."""
_FOLDABLE = frozenset(
    "Cast Concat DequantizeLinear Identity Mul Reshape Slice Squeeze Transpose Unsqueeze".split()
)
_MOST_FOLDED = 64
_STEPS = frozenset(
    "Add Cast Concat Div Dropout Expand Identity Mul Neg Reshape Slice Split Squeeze Sub "
    "Tanh Transpose Unsqueeze Where".split()
)
_RUNTIME = "com.microsoft"
"""Operators of ONNX Runtime, which exports in fp16 have (``exporting.precision``)."""
_ONNX_GATES = ("input", "output", "forget", "cell")


class OnnxWeights:
    """A model with its query, key, value and gate weights in float32."""

    def __init__(self, path: Path) -> None:
        """Read a model. Raises CannotJudge: the onnx package is missing, or the model is broken."""
        onnx = _library()
        try:
            self._model = onnx.load(str(path))
            graph = Graph(self._model)
        except Exception as error:  # protobuf's errors share no base class but Exception
            text = reported(error, 200)
            raise CannotJudge(f"{path} cannot be read ({text}). {_CAUSE}") from None
        self._made = graph.maker.keys()
        self.layers = find_layers(graph)
        values = {name: graph.value(name) for name in tensor_names(self.layers)}
        self._types = {name: value.dtype for name, value in values.items()}
        self.tensors: Tensors = {name: value.astype("f4") for name, value in values.items()}

    def save(self, tensors: Tensors, path: Path) -> None:
        """Write the model with ``tensors`` in place of its own.

        A weight that the model computes from 8-bit values is stored in full, so that a
        mutant differs from its original only in the chosen neurons.
        """
        onnx = _library()
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        nodes = [node for node in model.graph.node if not tensors.keys() & set(node.output)]
        weights = [item for item in model.graph.initializer if item.name not in tensors]
        for name in sorted(tensors):
            value = np.ascontiguousarray(tensors[name].astype(self._types[name]))
            weights.append(onnx.numpy_helper.from_array(value, name))
        if self._made & tensors.keys():  # remove what no longer affects the output
            needed = {item.name for item in model.graph.output}
            for node in reversed(nodes):
                if needed.intersection(node.output):
                    needed.update(_used_names(node))
            nodes = [node for node in nodes if needed.intersection(node.output)]
            weights = [item for item in weights if item.name in needed]
        del model.graph.node[:], model.graph.initializer[:]
        model.graph.node.extend(nodes)
        model.graph.initializer.extend(weights)
        is_external = sum(len(item.raw_data) for item in weights) > _LARGEST
        location = {"location": f"{path.name}.data"} if is_external else {}
        onnx.save(model, str(path), save_as_external_data=is_external, **location)


def _used_names(node: Node) -> Iterator[str]:
    """Yield the names that a node, or a graph within it, may use."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _used_names(inner)
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


class Graph:
    """The main graph of a model to walk; ``nodes`` are in the order in which they run."""

    def __init__(self, model: Any) -> None:
        """Look at ``model``, an ``onnx.ModelProto``, which is not changed."""
        self.model = model
        self.nodes: list[Node] = list(model.graph.node)
        self.initialisers = {tensor.name: tensor for tensor in model.graph.initializer}
        self.maker: dict[str, Node] = {}
        self.users: defaultdict[str, list[Node]] = defaultdict(list)
        self._constant = set(self.initialisers)
        for node in self.nodes:
            inputs = [name for name in node.input if name]
            for name in inputs:
                self.users[name].append(node)
            for name in node.output:
                self.maker[name] = node
            folds = node.op_type in _FOLDABLE and inputs and self._constant.issuperset(inputs)
            if node.op_type == "Constant" or folds:
                self._constant.update(node.output)

    def is_constant(self, name: str) -> bool:
        """Whether a value depends only on weights."""
        return name in self._constant

    def constant_input(self, node: Node, number: int) -> str | None:
        """Return the name of a node's input if it exists and depends only on weights."""
        name = node.input[number] if len(node.input) > number else ""
        return name if name in self._constant else None

    def value(self, name: str) -> np.ndarray[Any, Any]:
        """Return a constant's value; weights stored in 8 bits come out as they are used.

        Raises CannotJudge: it cannot be computed.
        """
        from onnx import TensorProto, helper, numpy_helper
        from onnx.reference import ReferenceEvaluator

        nodes, names = [], {name}
        for node in reversed(self.nodes):
            if names.intersection(node.output):
                nodes.append(node)
                names.update(node.input)
        if len(nodes) > _MOST_FOLDED:
            raise CannotJudge(
                f"Weights {name} are computed in more than {_MOST_FOLDED} steps. Expected "
                "stored weights. Export the checkpoint again."
            )
        try:
            if name in self.initialisers:
                return numpy_helper.to_array(self.initialisers[name])  # type: ignore[no-any-return]
            output = helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None)
            used = [self.initialisers[item] for item in sorted(names & self.initialisers.keys())]
            graph = helper.make_graph(nodes[::-1], "constant", [], [output], used)
            model = helper.make_model(graph, opset_imports=self.model.opset_import)
            return np.asarray(ReferenceEvaluator(model).run(None, {})[0])
        except Exception as error:  # the evaluator raises errors of many kinds
            text = reported(error, 200)
            raise CannotJudge(
                f"Weights {name} cannot be read from the model ({text}). Export it again."
            ) from None

    def is_product(self, node: Node) -> bool:
        """Return whether a node multiplies two values that depend on the input."""
        return node.op_type == "MatMul" and not any(map(self.is_constant, node.input))

    def has_weights(self, node: Node) -> bool:
        """Return whether a node multiplies a value with constant weights."""
        constant = [self.is_constant(name) for name in node.input[:2]]
        return node.op_type in ("MatMul", "Gemm") and constant == [False, True]

    def behind(self, name: str, wanted: Callable[[Node], bool]) -> Iterator[Node]:
        """Yield the nearest wanted nodes that ``name`` depends on, over ``_STEPS`` only."""
        names = [name]
        for current in names:  # it grows
            node = self.maker.get(current)
            if node is not None and wanted(node):
                yield node
            elif node is not None and node.op_type in _STEPS:
                names += [item for item in node.input if item and item not in names]

    def ahead(self, name: str, wanted: Callable[[Node], bool]) -> Iterator[tuple[str, Node]]:
        """Yield the nearest wanted nodes that depend on ``name``, each with its input."""
        names = [name]
        for current in names:  # it grows
            for node in self.users[current]:
                if wanted(node):
                    yield current, node
                elif node.op_type in _STEPS:
                    names += [item for item in node.output if item not in names]


class _Projection(NamedTuple):
    """A product with constant weights; ``transposed`` where a neuron is a column."""

    weights: str
    bias: str | None
    transposed: bool


def find_layers(graph: Graph) -> list[Layer]:
    """Return query, key, value and gates, in the order in which they are used."""
    by_tensor: dict[str, Layer] = {}
    for node in graph.nodes:
        operands = [[name] for name in node.input[:3]]
        layers: Iterable[Layer] = ()
        if node.op_type == "Softmax":
            layers = _attention(graph, _softmax_operands(graph, node))
        elif node.op_type == "Attention" and node.domain in ("", "ai.onnx"):
            layers = _attention(graph, operands)
        elif node.domain == _RUNTIME and node.op_type == "Attention":
            if weights := graph.constant_input(node, 1):
                columns = graph.value(weights).shape[1]
                bias = graph.constant_input(node, 2)
                layers = thirds(weights, columns, bias, transposed=True)
        elif node.domain == _RUNTIME and node.op_type == "MultiHeadAttention":
            layers = _attention(graph, operands)
            if bias := graph.constant_input(node, 3):  # those of all three, one after the other
                parts = thirds(bias, graph.value(bias).shape[0], bias, transposed=False)
                biases = {part.role: part.biases for part in parts}
                layers = [
                    layer if layer.biases else layer._replace(biases=biases[layer.role])
                    for layer in layers
                ]
        elif node.op_type == "LSTM":
            layers = _gates(graph, node)
        for layer in layers:  # two attentions may share their weights
            by_tensor.setdefault(f"{layer.weights}", layer)
    return list(by_tensor.values())


def _softmax_operands(graph: Graph, softmax: Node) -> list[list[str]]:
    scores = [*graph.behind(softmax.input[0], graph.is_product)]
    products = graph.ahead(softmax.output[0], graph.is_product)
    values = [name for came_by, node in products for name in node.input if name != came_by]
    return [[node.input[0] for node in scores], [node.input[1] for node in scores], values]


def _attention(graph: Graph, operands: Iterable[Iterable[str]]) -> Iterator[Layer]:
    by_role = [
        dict.fromkeys(
            _projection(graph, node)
            for name in names
            for node in graph.behind(name, graph.has_weights)
        )
        for names in operands
    ]
    if not all(by_role):
        return
    shared = set(by_role[0]).intersection(*by_role[1:])
    for matrix in sorted(shared):
        rows = graph.value(matrix.weights).shape[1 if matrix.transposed else 0]
        yield from thirds(matrix.weights, rows, matrix.bias, transposed=matrix.transposed)
    for role, projections in zip(ROLES, by_role, strict=True):
        for matrix in projections:
            if matrix not in shared:
                biases = (TensorPart(matrix.bias),) if matrix.bias else ()
                weights = TensorPart(matrix.weights, transposed=matrix.transposed)
                yield Layer(f"{role} {matrix.weights}", (weights,), biases, role)


def _projection(graph: Graph, node: Node) -> _Projection:
    weights = node.input[1]
    if node.op_type == "Gemm":
        turned = any(item.name == "transB" and item.i for item in node.attribute)
        return _Projection(weights, graph.constant_input(node, 2), transposed=not turned)
    for user in graph.users[node.output[0]]:
        for name in user.input if user.op_type == "Add" else ():
            if graph.is_constant(name) and graph.value(name).ndim == 1:
                return _Projection(weights, name, transposed=True)
    return _Projection(weights, None, transposed=True)


def _gates(graph: Graph, node: Node) -> Iterator[Layer]:
    """Yield the gates of an LSTM, direction after direction (ONNX keeps them as i, o, f, c)."""
    weights, recurrent, bias = (graph.constant_input(node, number) for number in (1, 2, 3))
    if weights is None or recurrent is None:
        return
    directions, _, hidden = graph.value(recurrent).shape
    for direction in range(directions):
        for gate in GATES:
            number = _ONNX_GATES.index(gate)
            rows, below = (slice(n * hidden, (n + 1) * hidden) for n in (number, number + 4))
            yield Layer(
                f"{gate} gate {weights}[{direction}]",
                tuple(TensorPart(tensor, (direction, rows)) for tensor in (weights, recurrent)),
                tuple(TensorPart(bias, (direction, part)) for part in (rows, below) if bias),
            )
