"""An ONNX graph as something to walk: who makes a value, who uses it, what is constant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from typing import Any

import numpy as np

from mt_gate.base.errors import CannotJudge, reported

Node = Any
"""An ``onnx.NodeProto``: the package has no types."""

_FOLDABLE = frozenset(
    "Cast Concat DequantizeLinear Identity Mul Reshape Slice Squeeze Transpose Unsqueeze".split()
)
_MOST_FOLDED = 64


class Graph:
    """The main graph of a model; nodes are in the order in which they run."""

    def __init__(self, model: Any) -> None:
        """Look at ``model``, an ``onnx.ModelProto``, which is not changed."""
        self.model = model
        self.nodes: list[Node] = list(model.graph.node)
        self.initialisers = {tensor.name: tensor for tensor in model.graph.initializer}
        self.maker: dict[str, Node] = {}
        self.users: defaultdict[str, list[Node]] = defaultdict(list)
        self._constant = set(self.initialisers)
        for node in self.nodes:
            self._add(node)

    def _add(self, node: Node) -> None:
        inputs = [name for name in node.input if name]
        for name in inputs:
            self.users[name].append(node)
        for name in node.output:
            self.maker[name] = node
        folds = node.op_type in _FOLDABLE and inputs and self._constant.issuperset(inputs)
        if node.op_type == "Constant" or folds:
            self._constant.update(node.output)

    def is_constant(self, name: str) -> bool:
        """Whether a value depends on weights alone."""
        return name in self._constant

    def value(self, name: str) -> np.ndarray[Any, Any]:
        """Return a constant's value; weights stored in 8 bits come out as they are used.

        Raises CannotJudge: it cannot be computed.
        """
        from onnx import TensorProto, helper, numpy_helper
        from onnx.reference import ReferenceEvaluator

        try:
            if name in self.initialisers:
                return numpy_helper.to_array(self.initialisers[name])  # type: ignore[no-any-return]
            nodes = self._makers(name)
            used = {item for node in nodes for item in node.input} & self.initialisers.keys()
            graph = helper.make_graph(
                nodes,
                "constant",
                [],
                [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None)],
                [self.initialisers[item] for item in sorted(used)],
            )
            model = helper.make_model(graph, opset_imports=self.model.opset_import)
            return np.asarray(ReferenceEvaluator(model).run(None, {})[0])
        except CannotJudge:
            raise
        except Exception as error:  # the evaluator raises errors of many kinds
            text = reported(error, 200)
            raise CannotJudge(
                f"Weights {name} cannot be read from the model ({text}). Export it again."
            ) from None

    def _makers(self, name: str) -> list[Node]:
        """Return the nodes that compute a constant, in the order in which they run."""
        wanted, names = [], {name}
        for node in reversed(self.nodes):
            if names.intersection(node.output):
                wanted.append(node)
                names.update(node.input)
            if len(wanted) > _MOST_FOLDED:
                raise CannotJudge(
                    f"Weights {name} are computed in more than {_MOST_FOLDED} steps. Expected "
                    "stored weights. Export the checkpoint again."
                )
        return wanted[::-1]

    def behind(
        self, name: str, through: Set[str], wanted: Callable[[Node], bool]
    ) -> Iterator[Node]:
        """Yield the nearest nodes that ``name`` depends on and that are wanted.

        The way leads through nodes of the kinds ``through`` only.
        """
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            current = ahead.pop(0)
            node = self.maker.get(current)
            if current in seen or node is None:
                continue
            seen.add(current)
            if wanted(node):
                yield node
            elif node.op_type in through:
                ahead += [item for item in node.input if item]

    def ahead(
        self, name: str, through: Set[str], wanted: Callable[[Node], bool]
    ) -> Iterator[tuple[str, Node]]:
        """Yield the nearest wanted nodes that depend on ``name``, each with its input."""
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            current = ahead.pop(0)
            if current in seen:
                continue
            seen.add(current)
            for node in self.users[current]:
                if wanted(node):
                    yield current, node
                elif node.op_type in through:
                    ahead += node.output
