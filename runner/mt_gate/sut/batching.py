"""Batches of inputs that all have one length, so that nothing is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def exact_length_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Yield the indices of ``lengths`` by batch, longest first.

    Args:
        lengths: tokens of each input, >= 1.
        tokens: most tokens a batch; one input longer than that is a batch by itself.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batch: list[int] = []
    for index in order:
        length = lengths[index]
        if batch and (lengths[batch[0]] != length or (len(batch) + 1) * length > tokens):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
