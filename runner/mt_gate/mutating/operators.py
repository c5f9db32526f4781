"""The mutation operators, on the neurons of one layer at a time.

They are those of Chen, Jin and Xie, ESEC/FSE 2021, section 5.4, after DeepMutation (Ma et al.,
ISSRE 2018). A neuron is an output unit of a layer: its incoming weights and its biases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import UsageError, did_you_mean, quoted

Floats = NDArray[np.float32]
Chosen = NDArray[np.int64]

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
"""Share of each layer's neurons that an operator takes in the paper."""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """One mutation: the same one makes the same mutant of a checkpoint.

    ``ratio`` in (0, 1] is the share of each layer's neurons, one at least;
    ``sd`` counts for ``gaussian-fuzz`` alone.
    """

    operator: Operator
    ratio: float
    seed: int
    sd: float = SD


class Neurons(NamedTuple):
    """A layer's neurons: incoming weights (neurons, inputs), biases (neurons, any number)."""

    weights: Floats
    biases: Floats


def mutation(operator: str, ratio: float | None, seed: int, sd: float | None) -> Mutation:
    """Check the options; the default ratio and sd are the paper's.

    Raises UsageError: no such operator, or a number outside what is allowed.
    """
    if operator not in RATIOS:
        raise UsageError(
            f"Unknown operator {quoted(operator)}.{did_you_mean(operator, RATIOS)} Known: "
            f"{', '.join(RATIOS)}."
        )
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
    """Return the layers mutated; each sampled separately, from the seed and its place."""
    act = _ACTS[mutation.operator]
    changed = []
    for place, layer in enumerate(layers):
        rng = np.random.default_rng([mutation.seed, place])
        copy = Neurons(layer.weights.copy(), layer.biases.copy())
        neurons = len(layer.weights)
        number = max(1, round(mutation.ratio * neurons))
        if mutation.operator is Operator.NEURON_SWITCH:
            number = min(number + number % 2, neurons - neurons % 2)
        chosen = rng.permutation(neurons)[:number]
        act(copy, chosen, mutation, rng)
        changed.append(copy)
    return changed


def _fuzz(layer: Neurons, chosen: Chosen, mutation: Mutation, rng: np.random.Generator) -> None:
    shape = (len(chosen), layer.weights.shape[1])
    layer.weights[chosen] += rng.normal(0, mutation.sd, shape).astype(np.float32)


def _shuffle(layer: Neurons, chosen: Chosen, _: Mutation, rng: np.random.Generator) -> None:
    layer.weights[chosen] = rng.permuted(layer.weights[chosen], axis=1)


def _block(layer: Neurons, chosen: Chosen, *_: Any) -> None:
    layer.weights[chosen] = 0
    layer.biases[chosen] = 0


def _switch(layer: Neurons, chosen: Chosen, *_: Any) -> None:
    left, right = chosen[::2], chosen[1::2]
    for values in layer:
        values[left], values[right] = values[right], values[left]


_ACTS: dict[Operator, Callable[[Neurons, Chosen, Mutation, np.random.Generator], None]] = {
    Operator.GAUSSIAN_FUZZ: _fuzz,
    Operator.WEIGHT_SHUFFLE: _shuffle,
    Operator.NEURON_BLOCK: _block,
    Operator.NEURON_SWITCH: _switch,
}
