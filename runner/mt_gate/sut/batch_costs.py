"""What a batch costs on a device, measured when a run starts."""

from __future__ import annotations

import time
from collections.abc import Callable

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import BatchCosts

REPEATS = 3
"""Times that a size is asked; the shortest counts, since what disturbs only adds."""
LEAST_GAIN = 1.05
"""Tokens a second of a size, over those of half of it, for which it is worth its memory."""


def measured(
    ask: Callable[[int], object],
    length: int,
    tokens: range,
    now: Callable[[], float] = time.perf_counter,
) -> BatchCosts:
    """Ask ever larger batches until the device gives no more for it, or has no room.

    Args:
        ask: answers so many inputs of ``length`` tokens together.
        length: tokens of each input, >= 1.
        tokens: the smallest budget to try, and the end of those that are doubled from there.
        now: seconds since whenever.

    Raises:
        CannotJudge: not even one input is answered.
    """
    alone = _seconds(ask, 1, now)
    found, taken = 1, alone
    budget = tokens.start
    while budget < tokens.stop:
        count = max(1, budget // length)
        try:
            seconds = _seconds(ask, count, now)
        except CannotJudge:  # no room for it: what was answered before is what there is
            break
        if count / seconds < LEAST_GAIN * found / taken and count > 1:
            break
        found, taken = count, seconds
        budget *= 2
    token = taken / (found * length)
    return BatchCosts(found * length, max(0.0, alone - token * length), token)


def _seconds(ask: Callable[[int], object], count: int, now: Callable[[], float]) -> float:
    ask(count)  # the first of a shape also chooses kernels and takes memory
    return min(_timed(ask, count, now) for _ in range(REPEATS))


def _timed(ask: Callable[[int], object], count: int, now: Callable[[], float]) -> float:
    start = now()
    ask(count)
    return max(now() - start, 1e-9)
