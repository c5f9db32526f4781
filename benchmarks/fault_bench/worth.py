"""What a run without labels is worth: the labels with which a paired test finds as many faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from fault_bench import paired
from fault_bench.paired import Floats

FEWEST = 25
SIZES = 12
"""Numbers of labels that are tried, the fewest and the first; between them lines are straight."""


def worth(found: int, harmful: Sequence[Floats], alpha: float) -> float | None:
    """Return with how many labelled samples the paired test finds ``found`` of harmful candidates.

    Args:
        found: how many of them the gate caught.
        harmful: of each the samples' parts in its loss, all of one labelled set.
        alpha: of the paired test.

    Returns:
        A number of labels, 0 where the gate caught none; None where all labels do not do. The
        fewest that are tried (``fewest``) are at most what is needed.
    """
    if not found:
        return 0.0
    most = len(harmful[0])
    sizes = np.unique(np.geomspace(fewest(most), most, SIZES).round().astype(int))
    return crossing(
        [int(size) for size in sizes],
        lambda size: sum(paired.power(parts, size, alpha) for parts in harmful),
        found,
    )


def fewest(samples: int) -> int:
    """Return the fewest labels that are tried, of so many samples."""
    return min(FEWEST, samples)


def crossing(sizes: Sequence[int], expected: Callable[[int], float], wanted: float) -> float | None:
    """Return where a number that rises with size reaches what is wanted; None where it does not.

    Args:
        sizes: rising.
        expected: from a size to the number there.
        wanted: above 0.
    """
    before: tuple[int, float] | None = None
    for size in sizes:
        here = expected(size)
        if here >= wanted:
            if before is None:
                return float(size)
            share = (wanted - before[1]) / (here - before[1])
            return math.exp(math.log(before[0]) + share * (math.log(size) - math.log(before[0])))
        before = size, here
    return None
