"""Batches of inputs: of one shape without padding, or in buckets of similar lengths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from mt_gate.base.errors import CannotJudge

Lengths = tuple[int, ...]
"""Lengths of an input's sequences: (tokens,), or (question, passage)."""


class BatchCosts(NamedTuple):
    """Time of a batch on a device: seconds per batch, and seconds per token in addition."""

    tokens: int
    """Maximum tokens of a batch, with padding, up to which larger batches are faster."""
    batch: float
    token: float


def exact_length_batches(lengths: Sequence[Lengths], tokens: int) -> Iterator[list[int]]:
    """Yield the indices of ``lengths`` by batch, longest first; batches have equal lengths."""
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
"""Runs per batch size; the shortest time counts, because disturbances only add time."""
LEAST_GAIN = 1.05
"""Least gain in tokens a second, compared with half the size, that is worth the memory."""


def measured(
    ask: Callable[[int], object],
    length: int,
    tokens: range,
    now: Callable[[], float] = time.perf_counter,
) -> BatchCosts:
    """Run ever larger batches until they are no longer faster, or no longer fit in memory."""

    def seconds_of(count: int) -> float:
        ask(count)  # the first run of a shape also chooses kernels and allocates memory
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
        except CannotJudge:  # the batch does not fit: use the largest that did
            break
        if count / seconds < LEAST_GAIN * count_before / taken and count > 1:
            break
        count_before, taken = count, seconds
        budget *= 2
    token = taken / (count_before * length)
    return BatchCosts(count_before * length, max(0.0, alone - token * length), token)


MOST_TOKENS = 512
"""Maximum tokens of inputs in batches that run at the same time; the memory for attention grows
with the square of their length."""
MOST = 8
"""Maximum batches at the same time; each takes memory, and they share the remaining threads."""
MOST_WEIGHTS = 1 << 29
"""Maximum bytes of a model that runs several batches; a larger one would come near --timeout."""

Batch = TypeVar("Batch")
Answered = TypeVar("Answered")


def share(threads: int, weights: int, tokens: int) -> tuple[int, int]:
    """Return how many batches run at the same time, and the runtime's threads for each of them.

    Each batch has one thread to itself; all batches share the others.
    """
    at_once = 1 if weights > MOST_WEIGHTS or tokens > MOST_TOKENS else min(threads, MOST)
    return at_once, threads - at_once + 1


def in_lanes(
    ask: Callable[[Batch], Answered], items: Iterable[Batch], lanes: int
) -> Iterator[Answered]:
    """Yield ``ask(item)`` for each item, in order, computed in ``lanes`` threads."""
    if lanes == 1:
        yield from map(ask, items)
        return
    threads = ThreadPoolExecutor(lanes)
    try:
        yield from threads.map(ask, items)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
