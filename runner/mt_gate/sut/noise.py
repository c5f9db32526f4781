"""How far a checkpoint's scores move where nothing of its inputs has changed.

A run predicts inputs alone or with others of their length (on a GPU padded, too), today with as
many threads as this machine has and tomorrow on another, whose processor sums in another order.
What scores move between these is noise: a group that depends on less is unstable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import Lengths, in_lanes
from mt_gate.sut.protocol import Noise

LENGTHS = 8
"""Lengths of input that are measured at."""
NEIGHBOURS = 4
"""Inputs of a length that are predicted together; one is repeated where there are fewer."""
ALONE = 2
"""How many of these are predicted alone as well."""
USUAL = 10.0
"""Size of a checkpoint's largest scores, or more."""

Array = np.ndarray[Any, Any]
Item = TypeVar("Item")
Ask = Callable[[Sequence[Item]], Array]
"""From items of one length to their scores, the first axis theirs."""


_SIZE = "size"
PADDED = "padded"
"""A GPU's batches hold inputs of several lengths."""
_MISTAKES = {
    "repeated": (
        "run twice",
        "a random operator, or dropout left on. Export the checkpoint in eval mode",
    ),
    "neighbours": (
        "run alone and in a batch with others of its length",
        "batch statistics left on, or activations quantised per batch. Export the checkpoint "
        "in eval mode, or with --precision int8, which quantises only weights",
    ),
    "threads": (
        "run with another number of threads",
        "an operator that sums in no fixed order. Export the checkpoint with standard operators",
    ),
    PADDED: (
        "run alone and padded to the length of another",
        "an operator that ignores attention_mask. Export the checkpoint again, or run it with "
        "--device cpu, where nothing is padded",
    ),
}
"""What an input underwent, and what is likely wrong where its scores move; the first counts."""
GRAPH = "graph"
"""The graph as the runtime has it before it fuses operators: the same sums in another order."""
PROVIDER = "provider"
"""The CPU, in the place of a GPU."""
_BETWEEN_RUNS = (*_MISTAKES, GRAPH)
"""What may differ between two runs unseen: another graph is like another CPU, which sums in
another order, too. Of another provider a note says so."""


def largest(noise: Noise) -> float:
    """Return how far a score may move between two runs with the same settings."""
    return max((noise.get(way, 0.0) for way in _BETWEEN_RUNS), default=0.0)


def batches(lengths: Sequence[Lengths]) -> list[list[int]]:
    """Return indices of ``lengths`` in batches of ``NEIGHBOURS``, at most ``LENGTHS`` of them.

    Inputs of a batch have one length; lengths that several inputs have come first, and those taken
    are spread evenly from the shortest to the longest.
    """
    of: defaultdict[Lengths, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        of[length].append(index)
    shared = sorted(length for length, same in of.items() if len(same) > 1)
    single = sorted(length for length, same in of.items() if len(same) == 1)
    chosen = _spread(shared, LENGTHS)
    chosen += _spread(single, LENGTHS - len(chosen))
    # Adjacent inputs of a suite are often similar, so take neighbours from all of it.
    alike = [_spread(of[length], NEIGHBOURS) for length in chosen]
    return [(same * NEIGHBOURS)[:NEIGHBOURS] for same in alike]


def _spread(items: Sequence[Item], count: int) -> list[Item]:
    if len(items) <= count:
        return [*items]
    steps = max(1, count - 1)
    return [items[step * (len(items) - 1) // steps] for step in range(count)]


def measure(
    sample: Sequence[Sequence[Item]],
    ask: Ask[Item],
    otherwise: Mapping[str, Ask[Item]],
    lanes: int = 1,
) -> tuple[Noise, float]:
    """Ask a sample in the ways in which a run may, ``otherwise`` with one thing changed.

    Returns the largest difference of a score, by what alone was changed, and the largest score.
    """

    def difference(one: Array, other: Array) -> float:
        return float(np.abs(one - other).max())

    def moved(batch: Sequence[Item]) -> dict[str, float]:
        first = batch[:1]
        together, alone = ask(batch), [ask([item]) for item in batch[:ALONE]]
        return {
            "repeated": difference(ask(first), alone[0]),
            "neighbours": difference(together[:ALONE], np.concatenate(alone)),
            **{way: difference(other(first), alone[0]) for way, other in otherwise.items()},
            _SIZE: float(np.abs(together).max()),
        }

    measured = [*in_lanes(moved, sample, lanes)]
    largest = {way: max(one[way] for one in measured) for way in (measured or [{}])[0]}
    return largest, largest.pop(_SIZE, 0.0)


def most(bound: float, scores: float) -> float:
    """Return how far scores may move that reach a size: ``bound``, more where they are large."""
    return bound * max(1.0, scores / USUAL)


def check(noise: Noise, scores: float, bound: float, name: str) -> None:
    """Reject a checkpoint whose scores move by more than rounding explains. Raises CannotJudge."""
    allowed = most(bound, scores)
    for way, (underwent, mistake) in _MISTAKES.items():
        if noise.get(way, 0.0) > allowed:
            raise CannotJudge(
                f"Checkpoint {name}: an input {underwent} has scores that differ by up to "
                f"{noise[way]:.2g}, at most {allowed:.2g} is allowed: above that, changed "
                f"predictions cannot be distinguished from noise. Likely cause: {mistake}."
            )
