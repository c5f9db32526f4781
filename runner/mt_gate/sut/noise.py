"""How far a checkpoint's scores move where nothing that it was asked has changed.

A run asks inputs alone or beside others of their length, never padded, today with as many threads
as this machine has and tomorrow on another. What scores move between these is noise: a group
that depends on less is unstable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import Lengths

LENGTHS = 8
"""Lengths of input that are measured at."""
NEIGHBOURS = 4
"""Inputs of a length that are asked together; one is repeated where there are fewer."""
USUAL = 10.0
"""Size of a checkpoint's largest scores, or more."""

Array = np.ndarray[Any, Any]
Item = TypeVar("Item")
Ask = Callable[[Sequence[Item]], Array]
"""From items of one length to their scores, the first axis theirs."""


class NoiseFigures(NamedTuple):
    """The largest difference of a score, by what alone was changed; ``scores`` is their size."""

    repeated: float
    neighbours: float
    threads: float
    scores: float

    @property
    def largest(self) -> float:
        """The largest difference of all."""
        return max(self.repeated, self.neighbours, self.threads)


_MISTAKES = {
    "repeated": (
        "asked the same twice",
        "a random operator, or dropout left on; export the checkpoint in eval mode",
    ),
    "neighbours": (
        "asked alone and in a batch with others of its length",
        "batch statistics left on, or activations quantised per batch; export the checkpoint in "
        "eval mode, or with --precision int8, which quantises only weights",
    ),
    "threads": (
        "computed with another number of threads",
        "an operator that sums in no fixed order; export the checkpoint with standard operators",
    ),
}
"""What an input underwent, and what is likely wrong where its scores move; the first counts."""


def batches(lengths: Sequence[Lengths]) -> list[list[int]]:
    """Return indices of ``lengths`` in batches of ``NEIGHBOURS``, at most ``LENGTHS`` of them.

    Inputs of a batch have one length; lengths that several inputs have come first, and those
    taken are spread evenly from the shortest to the longest.
    """
    of: defaultdict[Lengths, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        of[length].append(index)
    shared = sorted(length for length, found in of.items() if len(found) > 1)
    single = sorted(length for length, found in of.items() if len(found) == 1)
    chosen = _spread(shared, LENGTHS)
    chosen += _spread(single, LENGTHS - len(chosen))
    # What stands together in a suite is often alike: neighbours come from all over it.
    alike = [_spread(of[length], NEIGHBOURS) for length in chosen]
    return [(found * NEIGHBOURS)[:NEIGHBOURS] for found in alike]


def _spread(items: Sequence[Item], count: int) -> list[Item]:
    """Return ``count`` of ``items``, or all, from the first to the last."""
    if len(items) <= count:
        return [*items]
    steps = max(1, count - 1)
    return [items[step * (len(items) - 1) // steps] for step in range(count)]


def measure(
    sample: Sequence[Sequence[Item]], ask: Ask[Item], ask_otherwise: Ask[Item]
) -> NoiseFigures:
    """Ask a sample in the ways in which a run may.

    Args:
        sample: batches of items, those of a batch of one length.
        ask: as the run does.
        ask_otherwise: with another number of threads, where the device has any.
    """
    found = [_measured(batch, ask, ask_otherwise) for batch in sample]
    return (
        NoiseFigures(*map(max, zip(*found, strict=True)))
        if found
        else NoiseFigures(0.0, 0.0, 0.0, 0.0)
    )


def _measured(batch: Sequence[Item], ask: Ask[Item], ask_otherwise: Ask[Item]) -> NoiseFigures:
    first = batch[:1]
    together, alone = ask(batch), [ask([item]) for item in batch]
    return NoiseFigures(
        repeated=_difference(ask(first), alone[0]),
        neighbours=_difference(together, np.concatenate(alone)),
        threads=_difference(ask_otherwise(first), alone[0]),
        scores=float(np.abs(together).max()),
    )


def _difference(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max())


def check(noise: NoiseFigures, bound: float, name: str) -> None:
    """Refuse a checkpoint whose scores move by more than rounding explains.

    Args:
        noise: as measured.
        bound: largest difference of scores of a usual size, ``USUAL``; of larger ones it grows
            with their size, as rounding does.
        name: of the checkpoint.

    Raises:
        CannotJudge: one does; it names the likely mistake.
    """
    most = bound * max(1.0, noise.scores / USUAL)
    for way, (underwent, mistake) in _MISTAKES.items():
        found = getattr(noise, way)
        if found > most:
            raise CannotJudge(
                f"checkpoint {name}: an input {underwent} has scores that differ by up to "
                f"{found:.2g}; expected at most {most:.2g}, so that answers can be distinguished "
                f"from noise; likely {mistake}"
            )
