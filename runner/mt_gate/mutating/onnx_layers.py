"""Query, key, value and gates in an ONNX graph, recognised by its structure.

Exporters fold and rename weights, so names show little. An attention is a softmax between two
products: what is multiplied before it are queries and keys, what is multiplied with it are values.
Each comes from a product with constant weights, over steps that only scale, mask, turn and cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mt_gate.mutating.layers import GATES, ROLES, Layer, TensorPart, thirds
from mt_gate.mutating.onnx_graph import Graph, Node

_STEPS = frozenset(
    "Add Cast Concat Div Dropout Expand Identity Mul Neg Reshape Slice Split Squeeze Sub "
    "Tanh Transpose Unsqueeze Where".split()
)
_RUNTIME = "com.microsoft"
"""Operators of ONNX Runtime, which exports in fp16 have (``exporting.precision``)."""
_ONNX_GATES = ("input", "output", "forget", "cell")


class _Projection(NamedTuple):
    """A product with constant weights; ``transposed`` where a neuron is a column."""

    weights: str
    bias: str | None
    transposed: bool


def find_layers(graph: Graph) -> list[Layer]:
    """Return query, key, value and gates, in the order in which they are used."""
    by_tensor: dict[str, Layer] = {}
    for node in graph.nodes:
        if node.op_type == "Softmax":
            layers = _attention(graph, _softmax_operands(graph, node))
        elif node.op_type == "Attention" and node.domain in ("", "ai.onnx"):
            layers = _attention(graph, [[name] for name in node.input[:3]])
        elif node.domain == _RUNTIME and node.op_type == "Attention":
            layers = iter(_packed(graph, node))
        elif node.domain == _RUNTIME and node.op_type == "MultiHeadAttention":
            layers = _many_heads(graph, node)
        elif node.op_type == "LSTM":
            layers = _gates(graph, node)
        else:
            continue
        for layer in layers:  # two attentions may share their weights
            by_tensor.setdefault(f"{layer.weights}", layer)
    return list(by_tensor.values())


def _packed(graph: Graph, node: Node) -> list[Layer]:
    weights, bias = node.input[1], node.input[2] if len(node.input) > 2 else ""
    if not graph.is_constant(weights):
        return []
    constant = bias if bias and graph.is_constant(bias) else None
    return thirds(weights, weights, graph.value(weights).shape[1], constant, transposed=True)


def _many_heads(graph: Graph, node: Node) -> Iterator[Layer]:
    """Return query, key and value of an operator that adds their biases, one after the other."""
    bias = node.input[3] if len(node.input) > 3 else ""
    for layer in _attention(graph, [[name] for name in node.input[:3]]):
        if bias and graph.is_constant(bias) and not layer.biases:
            at, rows = ROLES.index(layer.role), graph.value(bias).shape[0] // len(ROLES)
            part = TensorPart(bias, (slice(at * rows, (at + 1) * rows),))
            yield layer._replace(biases=(part,))
        else:
            yield layer


def _softmax_operands(graph: Graph, softmax: Node) -> list[list[str]]:
    scores = [*graph.behind(softmax.input[0], _STEPS, lambda node: _is_product(graph, node))]
    products = graph.ahead(softmax.output[0], _STEPS, lambda node: _is_product(graph, node))
    values = [name for came_by, node in products for name in node.input if name != came_by]
    return [[node.input[0] for node in scores], [node.input[1] for node in scores], values]


def _is_product(graph: Graph, node: Node) -> bool:
    return node.op_type == "MatMul" and not any(map(graph.is_constant, node.input))


def _attention(graph: Graph, operands: Iterable[Iterable[str]]) -> Iterator[Layer]:
    pairs = [list(_projections(graph, names)) for names in operands]
    if not all(pairs):
        return
    shared = set(pairs[0]).intersection(*pairs[1:])
    for one in sorted(shared):
        axis = 1 if one.transposed else 0
        rows = graph.value(one.weights).shape[axis]
        yield from thirds(one.weights, one.weights, rows, one.bias, transposed=one.transposed)
    for role, projections in zip(ROLES, pairs, strict=True):
        for one in projections:
            if one not in shared:
                biases = (TensorPart(one.bias),) if one.bias else ()
                weights = TensorPart(one.weights, transposed=one.transposed)
                yield Layer(f"{role} {one.weights}", (weights,), biases, role)


def _projections(graph: Graph, names: Iterable[str]) -> Iterator[_Projection]:
    seen = set()
    for name in names:
        for node in graph.behind(name, _STEPS, lambda node: _has_weights(graph, node)):
            projection = _projection(graph, node)
            if projection not in seen:
                seen.add(projection)
                yield projection


def _has_weights(graph: Graph, node: Node) -> bool:
    return (
        node.op_type in ("MatMul", "Gemm")
        and graph.is_constant(node.input[1])
        and not graph.is_constant(node.input[0])
    )


def _projection(graph: Graph, node: Node) -> _Projection:
    weights = node.input[1]
    if node.op_type == "Gemm":
        turned = any(item.name == "transB" and item.i for item in node.attribute)
        bias = node.input[2] if len(node.input) > 2 else ""
        constant = bias if bias and graph.is_constant(bias) else None
        return _Projection(weights, constant, transposed=not turned)
    for user in graph.users[node.output[0]]:
        for name in user.input if user.op_type == "Add" else ():
            if graph.is_constant(name) and graph.value(name).ndim == 1:
                return _Projection(weights, name, transposed=True)
    return _Projection(weights, None, transposed=True)


def _gates(graph: Graph, node: Node) -> Iterator[Layer]:
    """Return the gates of an LSTM, direction after direction (ONNX keeps them as i, o, f, c)."""
    weights, recurrent, *rest = node.input[1:4]
    if not (graph.is_constant(weights) and graph.is_constant(recurrent)):
        return
    bias = rest[0] if rest and rest[0] and graph.is_constant(rest[0]) else None
    directions, _, hidden = graph.value(recurrent).shape
    for direction in range(directions):
        for gate in GATES:
            at = _ONNX_GATES.index(gate)
            rows, below = (slice(n * hidden, (n + 1) * hidden) for n in (at, at + 4))
            yield Layer(
                f"{gate} gate {weights}[{direction}]",
                (TensorPart(weights, (direction, rows)), TensorPart(recurrent, (direction, rows))),
                tuple(TensorPart(bias, (direction, part)) for part in (rows, below))
                if bias
                else (),
            )
