"""Batches of inputs that all have one shape, so that nothing is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Lengths = tuple[int, ...]
"""Length of each sequence that an input is fed as: (tokens,), or (question, passage)."""


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
