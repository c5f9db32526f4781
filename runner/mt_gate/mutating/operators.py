"""Mutation operators on the neurons of query, key, value and LSTM gates.

The operators are those of Chen, Jin and Xie, ESEC/FSE 2021, section 5.4, after DeepMutation (Ma et
al., ISSRE 2018). A neuron is an output unit of a layer: its incoming weights and its biases.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge, UsageError, quoted, unknown

Floats = NDArray[np.float32]
Tensors = Mapping[str, Floats]

ROLES = QUERY, KEY, VALUE = ("query", "key", "value")
GATES = ("input", "forget", "cell", "output")
SD = 0.01
"""Standard deviation of the noise, as in the paper."""
MAX_SEED = 2**32


class Operator(StrEnum):
    """A change of neurons."""

    GAUSSIAN_FUZZ = "gaussian-fuzz"
    WEIGHT_SHUFFLE = "weight-shuffle"
    NEURON_BLOCK = "neuron-block"
    NEURON_SWITCH = "neuron-switch"


RATIOS = {
    Operator.GAUSSIAN_FUZZ: 1.0,
    Operator.WEIGHT_SHUFFLE: 0.01,
    Operator.NEURON_BLOCK: 0.01,
    Operator.NEURON_SWITCH: 0.01,
}
"""Share of each layer's neurons that an operator changes in the paper."""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """One mutation. Equal mutations of a checkpoint make equal mutants.

    ``ratio`` in (0, 1] is the share of each layer's neurons, at least one neuron. ``sd`` is used
    only by ``gaussian-fuzz``.
    """

    operator: Operator
    ratio: float
    seed: int
    sd: float = SD


class Neurons(NamedTuple):
    """A layer's neurons: incoming weights (neurons, inputs) and biases (neurons, biases each)."""

    weights: Floats
    biases: Floats


class TensorPart(NamedTuple):
    """A slice of a tensor with one neuron per row, or per column if ``transposed``."""

    tensor: str
    place: tuple[int | slice, ...] = (slice(None),)
    transposed: bool = False

    def of(self, tensors: Tensors) -> Floats:
        """Return a view of the slice, shape (neurons, inputs), or (neurons,) for biases."""
        view = tensors[self.tensor][self.place]
        return view.T if self.transposed else view


class Layer(NamedTuple):
    """The neurons of one query, key or value matrix, or of one gate; a gate has no ``role``."""

    name: str
    weights: tuple[TensorPart, ...]
    biases: tuple[TensorPart, ...] = ()
    role: str = ""


def mutation(operator: str, ratio: float | None, seed: int, sd: float | None) -> Mutation:
    """Check the options; the default ratio and sd are the paper's.

    Raises UsageError: the operator is unknown, or a number is out of range.
    """
    if operator not in RATIOS:
        raise UsageError(unknown("operator", operator, RATIOS))
    name = Operator(operator)
    share = RATIOS[name] if ratio is None else ratio
    spread = SD if sd is None else sd
    if not 0 < share <= 1:
        raise UsageError(f"--ratio must be a share above 0, at most 1 (got {quoted(share)}).")
    if not (math.isfinite(spread) and spread > 0):
        raise UsageError(f"--sd must be a positive number (got {quoted(spread)}).")
    if not 0 <= seed < MAX_SEED:
        raise UsageError(f"--seed must be a number from 0 to {MAX_SEED - 1} (got {quoted(seed)}).")
    return Mutation(operator=name, ratio=share, seed=seed, sd=spread)


def mutated(layers: Sequence[Neurons], mutation: Mutation) -> list[Neurons]:
    """Return the mutated layers; sample each with its own generator, from seed and position."""
    changed = []
    for place, layer in enumerate(layers):
        rng = np.random.default_rng([mutation.seed, place])
        weights, biases = layer.weights.copy(), layer.biases.copy()
        neurons = len(weights)
        number = max(1, round(mutation.ratio * neurons))
        if mutation.operator is Operator.NEURON_SWITCH:
            number = min(number + number % 2, neurons - neurons % 2)
        chosen = rng.permutation(neurons)[:number]
        match mutation.operator:
            case Operator.GAUSSIAN_FUZZ:
                noise = rng.normal(0, mutation.sd, (number, weights.shape[1]))
                weights[chosen] += noise.astype(np.float32)
            case Operator.WEIGHT_SHUFFLE:
                weights[chosen] = rng.permuted(weights[chosen], axis=1)
            case Operator.NEURON_BLOCK:
                weights[chosen] = 0
                biases[chosen] = 0
            case Operator.NEURON_SWITCH:
                left, right = chosen[::2], chosen[1::2]
                for values in (weights, biases):
                    values[left], values[right] = values[right], values[left]
        changed.append(Neurons(weights, biases))
    return changed


def mutate_layers(
    layers: Sequence[Layer], tensors: Tensors, mutation: Mutation
) -> dict[str, Floats]:
    """Return the mutated tensors of the layers.

    Raises CannotJudge: there are no layers, or the tensors of a layer do not fit together.
    """
    if not layers:
        raise CannotJudge(
            "Mutation operators need the query, key and value weights of an attention, or LSTM "
            "gates, but the checkpoint has neither. Use an encoder such as BERT, or an LSTM."
        )
    copies = {name: tensors[name].copy() for name in tensor_names(layers)}
    changed = mutated([_read(layer, copies) for layer in layers], mutation)
    for layer, neurons in zip(layers, changed, strict=True):
        start = 0
        for part in layer.weights:
            view = part.of(copies)
            view[:] = neurons.weights[:, start : start + view.shape[1]]
            start += view.shape[1]
        for column, part in enumerate(layer.biases):
            part.of(copies)[:] = neurons.biases[:, column]
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


def tensor_names(layers: Sequence[Layer]) -> list[str]:
    """Return the sorted, distinct names of the layers' tensors."""
    parts = (part for layer in layers for part in (*layer.weights, *layer.biases))
    return sorted({part.tensor for part in parts})


def thirds(tensor: str, rows: int, bias: str | None, *, transposed: bool) -> list[Layer]:
    """Return query, key and value of one tensor; each is a third of its ``rows``."""
    layers = []
    for number, role in enumerate(ROLES):
        third = slice(number * rows // 3, (number + 1) * rows // 3)
        place = (slice(None), third) if transposed else (third,)
        biases = (TensorPart(bias, (third,)),) if bias else ()
        weights = TensorPart(tensor, place, transposed)
        layers.append(Layer(f"{tensor} {role}", (weights,), biases, role))
    return layers
