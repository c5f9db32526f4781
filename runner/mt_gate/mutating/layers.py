"""Where the neurons of query, key, value and LSTM gates lie in a checkpoint's tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge
from mt_gate.mutating.operators import Floats, Mutation, Neurons, mutated

Tensors = Mapping[str, Floats]
ROLES = QUERY, KEY, VALUE = ("query", "key", "value")
GATES = ("input", "forget", "cell", "output")
NO_LAYERS = (
    "The checkpoint has no query, key or value weights of an attention and no LSTM gates, "
    "which mutation operators need. Use an encoder such as BERT, or an LSTM."
)


class TensorPart(NamedTuple):
    """A stretch of a tensor, a neuron a row; ``transposed`` where it is a neuron a column."""

    tensor: str
    place: tuple[int | slice, ...] = (slice(None),)
    transposed: bool = False

    def of(self, tensors: Tensors) -> Floats:
        """Return a view of it, shape (neurons, inputs), or (neurons,) for biases."""
        view = tensors[self.tensor][self.place]
        return view.T if self.transposed else view


class Layer(NamedTuple):
    """The neurons of one query, key or value matrix, or of one gate, which has no ``role``."""

    name: str
    weights: tuple[TensorPart, ...]
    biases: tuple[TensorPart, ...] = ()
    role: str = ""


def mutate_layers(
    layers: Sequence[Layer], tensors: Tensors, mutation: Mutation
) -> dict[str, Floats]:
    """Return the tensors of the layers, mutated.

    Raises CannotJudge: there are no layers, or one whose tensors do not fit together.
    """
    if not layers:
        raise CannotJudge(NO_LAYERS)
    copies = {
        part.tensor: tensors[part.tensor].copy()
        for layer in layers
        for part in ((*layer.weights, *layer.biases))
    }
    changed = mutated([_read(layer, copies) for layer in layers], mutation)
    for layer, neurons in zip(layers, changed, strict=True):
        _write(layer, neurons, copies)
    return copies


def _read(layer: Layer, tensors: Tensors) -> Neurons:
    weights = [part.of(tensors) for part in layer.weights]
    biases = [part.of(tensors) for part in layer.biases]
    rows = {len(array) for array in (*weights, *biases)}
    if len(rows) != 1 or any(array.ndim != 2 for array in weights) or 0 in rows:
        shapes = ", ".join(str(array.shape) for array in (*weights, *biases))
        raise CannotJudge(
            f"{layer.name}: weights and biases have the shapes {shapes}. Expected a matrix with "
            "one row per neuron, and as many biases. Save or export the checkpoint again."
        )
    none = np.empty((rows.pop(), 0), np.float32)
    return Neurons(np.concatenate(weights, axis=1), np.stack(biases, axis=1) if biases else none)


def _write(layer: Layer, neurons: Neurons, tensors: Tensors) -> None:
    at = 0
    for part in layer.weights:
        view = part.of(tensors)
        view[:] = neurons.weights[:, at : at + view.shape[1]]
        at += view.shape[1]
    for column, part in enumerate(layer.biases):
        part.of(tensors)[:] = neurons.biases[:, column]


def thirds(name: str, tensor: str, rows: int, bias: str | None, *, transposed: bool) -> list[Layer]:
    """Return query, key and value that lie in one tensor, a third of its ``rows`` each."""
    layers = []
    for at, role in enumerate(ROLES):
        third = slice(at * rows // 3, (at + 1) * rows // 3)
        place = (slice(None), third) if transposed else (third,)
        biases = (TensorPart(bias, (third,)),) if bias else ()
        layers.append(
            Layer(f"{name} {role}", (TensorPart(tensor, place, transposed),), biases, role)
        )
    return layers


def to_float32(values: NDArray[np.generic]) -> Floats:
    """Return values of any float type in float32."""
    return np.asarray(values).astype(np.float32)
