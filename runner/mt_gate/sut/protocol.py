"""Interface of a system under test, for checkpoints and other systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mt_gate.results.result import CheckpointHead

Noise = Mapping[str, float]
"""Largest difference of a score, by the change of its computation; empty without scores."""
PROVIDER = "provider"
"""The key of noise between a GPU and the CPU, which a note reports; two runs have one provider."""


class ProgramPlace(NamedTuple):
    """A ``folder`` that a command runs in instead of the working folder.

    ``moved`` returns an argument, or a variable's value, with the paths that it names as they are
    to be there; it raises CannotJudge where it cannot.
    """

    folder: Path
    moved: Callable[[str], str]


Packed = tuple[Mapping[str, Any] | None, float | None, str]
"""Output, margin and reason of a prediction in JSON, which has no infinity: there it is None."""


class Prediction(NamedTuple):
    """An answer; ``output`` is None if ``reason`` says why there is none.

    ``margin`` is the smallest gap between the best and the second-best score that the answer
    depends on: noise of half that size could turn it.
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
    """A checkpoint with its tokenizer and runtime, or anything that answers like one."""

    @property
    def head(self) -> CheckpointHead:
        """Name, fingerprint and runtime."""

    @property
    def cache_key(self) -> str:
        """Text that differs between any two systems whose predictions may differ."""

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input, in whatever order is fastest; yields (index, answer) by batch."""

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how far a score moves where no input has changed. Raises CannotJudge."""

    def close(self) -> None:
        """Close what the system has opened: programs, connections."""
