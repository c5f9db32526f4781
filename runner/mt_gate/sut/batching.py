"""Batches of inputs: of one shape without padding, or in buckets of similar lengths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from mt_gate.base.errors import CannotJudge

Lengths = tuple[int, ...]
"""Length of each sequence that an input is fed as: (tokens,), or (question, passage)."""


class BatchCosts(NamedTuple):
    """Time of a batch on a device: seconds per batch, and seconds per token in addition."""

    tokens: int
    """The most of them, padding included, that gain by going together."""
    batch: float
    token: float


def exact_length_batches(lengths: Sequence[Lengths], tokens: int) -> Iterator[list[int]]:
    """Yield the indices of ``lengths`` by batch, longest first."""
    order = sorted(
        range(len(lengths)), key=lambda index: (-sum(lengths[index]), lengths[index], index)
    )
    batch: list[int] = []
    for index in order:
        length = lengths[index]
        if batch and (lengths[batch[0]] != length or (len(batch) + 1) * sum(length) > tokens):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def bucketed_batches(lengths: Sequence[int], costs: BatchCosts) -> Iterator[list[int]]:
    """Yield the indices of ``lengths`` by batch, longest first, padded to its longest input.

    A batch ends where its padding takes longer than another batch would.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batch: list[int] = []
    wasted = 0.0
    for index in order:
        width = lengths[batch[0]] if batch else lengths[index]
        padding = (width - lengths[index]) * costs.token
        is_full = (len(batch) + 1) * width > costs.tokens
        if batch and (is_full or wasted + padding > costs.batch):
            yield batch
            batch, wasted, padding = [], 0.0, 0.0
        batch.append(index)
        wasted += padding
    if batch:
        yield batch


REPEATS = 3
"""Times that a size is run; the shortest counts, since what disturbs only adds."""
LEAST_GAIN = 1.05
"""Tokens a second of a size, over those of half of it, for which it is worth its memory."""


def measured(
    ask: Callable[[int], object],
    length: int,
    tokens: range,
    now: Callable[[], float] = time.perf_counter,
) -> BatchCosts:
    """Ask ever larger batches until the device gives no more for it, or has no room."""

    def seconds_of(count: int) -> float:
        ask(count)  # the first of a shape also chooses kernels and takes memory
        times = []
        for _ in range(REPEATS):
            start = now()
            ask(count)
            times.append(max(now() - start, 1e-9))
        return min(times)

    alone = seconds_of(1)
    count_before, taken = 1, alone
    budget = tokens.start
    while budget < tokens.stop:
        count = max(1, budget // length)
        try:
            seconds = seconds_of(count)
        except CannotJudge:  # no room for it: what was answered before is what there is
            break
        if count / seconds < LEAST_GAIN * count_before / taken and count > 1:
            break
        count_before, taken = count, seconds
        budget *= 2
    token = taken / (count_before * length)
    return BatchCosts(count_before * length, max(0.0, alone - token * length), token)


MOST_TOKENS = 512
"""Longer inputs do not run at the same time: what attention takes in memory grows with the square
of their length."""
MOST = 8
"""Batches at the same time, each of which takes memory; they share the remaining threads."""
MOST_WEIGHTS = 1 << 29
"""Bytes: a batch of a larger model takes so long that cores had better share it, see --timeout."""

Batch = TypeVar("Batch")
Answered = TypeVar("Answered")


def share(threads: int, weights: int, tokens: int) -> tuple[int, int]:
    """Return how many batches run at the same time, and the runtime's threads for each of them.

    Of these one is the batch's own, and the others help where they are needed.
    """
    at_once = 1 if weights > MOST_WEIGHTS or tokens > MOST_TOKENS else min(threads, MOST)
    return at_once, threads - at_once + 1


def in_lanes(
    ask: Callable[[Batch], Answered], items: Iterable[Batch], lanes: int
) -> Iterator[Answered]:
    """Yield what ``ask`` answers to each of ``items``, in their order; what it raises is raised."""
    if lanes == 1:
        yield from map(ask, items)
        return
    threads = ThreadPoolExecutor(lanes)
    try:
        yield from threads.map(ask, items)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
