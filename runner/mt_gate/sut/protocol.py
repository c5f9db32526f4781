"""Interface of a system under test, for checkpoints and other systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mt_gate.results.result import CheckpointHead

Noise = Mapping[str, float]
"""Largest difference of a score for each change of the computation; empty without scores."""
PROVIDER = "provider"
"""Key of the noise between GPU and CPU, which only a note reports: two runs use one provider."""
FLIPS, MOST_FLIPS = "flips", "flips at most"
"""Keys of the share of inputs that get a different prediction the second time, and of its upper
bound: the end of its one-sided 95% CI, or as if one input did if none did."""


def largest_noise(noise: Noise) -> float:
    """Return how far a score may move between two runs with the same settings."""
    others = (PROVIDER, FLIPS, MOST_FLIPS)
    return max((moved for way, moved in noise.items() if way not in others), default=0.0)


class ProgramPlace(NamedTuple):
    """A ``folder`` that a command runs in instead of the working folder.

    ``moved`` rewrites the paths in an argument, or in a variable's value, so that they are valid in
    ``folder``. It raises CannotJudge if it cannot.
    """

    folder: Path
    moved: Callable[[str], str]


Packed = tuple[Mapping[str, Any] | None, float | None, str]
"""Output, margin and reason of a prediction in JSON; None is an infinite margin (JSON has none)."""


class Prediction(NamedTuple):
    """A prediction; if ``output`` is None, ``reason`` says why.

    ``margin`` is the smallest gap between the best and the second-best score that the output
    depends on: noise of half that size could change the output.
    """

    output: Mapping[str, Any] | None
    margin: float = math.inf
    reason: str = ""

    @classmethod
    def unpacked(cls, fields: Packed) -> Prediction:
        """Return the prediction whose JSON has these fields."""
        output, margin, reason = fields
        return cls(output, math.inf if margin is None else margin, reason)


class System(Protocol):
    """A checkpoint with its tokenizer and runtime, or a program that predicts like one."""

    @property
    def head(self) -> CheckpointHead:
        """Name, fingerprint and runtime."""

    @property
    def cache_key(self) -> str:
        """Text that differs between any two systems whose predictions may differ."""

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input, in the fastest order; yield (index, prediction) by batch."""

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how much scores of an unchanged input differ. Raises CannotJudge."""

    def close(self) -> None:
        """Close what the system has opened: programs, connections."""
