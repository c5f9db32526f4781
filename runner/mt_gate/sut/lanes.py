"""Batches that are asked side by side, so that each core computes one of its own.

Cores that share a batch wait for each other at the end of every operator, and all but one of them
while tokens are read and answers are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

MOST_TOKENS = 512
"""Longer inputs are not asked side by side: what attention takes in memory grows with the square
of their length."""
MOST = 8
"""Batches at once, each of which takes memory; what threads there are beside help all of them."""
MOST_WEIGHTS = 1 << 29
"""Bytes: a batch of a larger model takes so long that cores had better share it, see --timeout."""

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


class Lanes(NamedTuple):
    """How many batches are asked at once, and how many threads the runtime has for each of them.

    Of these one is the batch's own, and the others help where they are needed.
    """

    at_once: int
    threads: int


def share(threads: int, weights: int, tokens: int) -> Lanes:
    """Return how threads are shared out.

    Args:
        threads: of a CPU, at least 1.
        weights: of the model, in bytes.
        tokens: of the longest input that is asked.
    """
    if weights > MOST_WEIGHTS or tokens > MOST_TOKENS:
        return Lanes(1, threads)
    at_once = min(threads, MOST)
    return Lanes(at_once, threads - at_once + 1)


def in_lanes(
    ask: Callable[[Asked], Answered], items: Iterable[Asked], lanes: int
) -> Iterator[Answered]:
    """Yield what ``ask`` answers to each of ``items``, in their order; what it raises is raised.

    Args:
        ask: called from as many threads as there are lanes.
        items: all are taken at once.
        lanes: at least 1; one needs no thread.
    """
    if lanes == 1:
        yield from map(ask, items)
        return
    threads = ThreadPoolExecutor(lanes)
    try:
        yield from threads.map(ask, items)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
