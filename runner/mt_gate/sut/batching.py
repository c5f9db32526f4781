"""Batches of inputs: of one shape, so that nothing is padded, or in buckets of like lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

Lengths = tuple[int, ...]
"""Length of each sequence that an input is fed as: (tokens,), or (question, passage)."""


class BatchCosts(NamedTuple):
    """What a batch takes on a device.

    ``tokens`` is the most of them, padding included, that gain by going together; ``batch`` is
    the seconds of any batch, ``token`` those of each of its tokens beside.
    """

    tokens: int
    batch: float
    token: float


def exact_length_batches(lengths: Sequence[Lengths], tokens: int) -> Iterator[list[int]]:
    """Yield the indices of ``lengths`` by batch, longest first.

    Args:
        lengths: lengths of each input, their sum >= 1; inputs of one batch have all of them alike.
        tokens: most tokens a batch; one input longer than that is a batch by itself.
    """
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
    """Yield the indices of ``lengths`` by batch, longest first, so that all take least time.

    Inputs of one bucket are padded to the longest of their batch: where a batch costs much and a
    token little, few wide buckets are quickest, else many narrow ones.

    Args:
        lengths: tokens of each input, >= 1.
        costs: of the device; a batch has at most ``costs.tokens`` tokens, padding included, or is
            one input that has more.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    start = 0
    for count in _bucket_sizes([lengths[index] for index in order], costs):
        bucket = order[start : start + count]
        start += count
        most = max(1, costs.tokens // lengths[bucket[0]])
        yield from (bucket[at : at + most] for at in range(0, count, most))


def _bucket_sizes(ordered: Sequence[int], costs: BatchCosts) -> list[int]:
    """Return how many inputs each bucket has, of lengths that fall.

    The best buckets of the first inputs, from those of fewer: a bucket ends where a length ends.
    """
    longest_first, counts = np.unique(-np.array(ordered, np.int64), return_counts=True)
    widths, ends = -longest_first, np.concatenate([[0], np.cumsum(counts)])
    most = np.maximum(1, costs.tokens // np.maximum(widths, 1))
    best, opened = np.zeros(len(ends)), np.zeros(len(ends), np.int64)
    for end in range(1, len(ends)):
        inputs = ends[end] - ends[:end]
        batches = -(-inputs // most[:end])
        seconds = best[:end] + batches * costs.batch + inputs * widths[:end] * costs.token
        opened[end] = seconds.argmin()
        best[end] = seconds[opened[end]]
    sizes, end = [], len(ends) - 1
    while end:
        sizes.append(int(ends[end] - ends[opened[end]]))
        end = int(opened[end])
    return sizes[::-1]
