from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.sut.batching import BatchCosts, bucketed_batches, exact_length_batches

LENGTHS = st.one_of(
    st.lists(st.tuples(st.integers(1, 60))),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9))),
)


@given(LENGTHS, st.integers(1, 300))
def test_every_input_once_in_batches_of_one_length(
    lengths: list[tuple[int, ...]], tokens: int
) -> None:
    batches = list(exact_length_batches(lengths, tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[index] for index in batch}) == 1
        assert len(batch) == 1 or len(batch) * sum(lengths[batch[0]]) <= tokens


TOKENS = st.lists(st.integers(1, 60))
COSTS = st.builds(
    BatchCosts, st.integers(1, 300), st.floats(0, 1), st.floats(0, 1e-2, exclude_min=True)
)


def seconds(batches: Iterable[list[int]], lengths: list[int], costs: BatchCosts) -> float:
    """What batches take where each is padded to its longest input."""
    return sum(
        costs.batch + len(batch) * max(lengths[index] for index in batch) * costs.token
        for batch in batches
    )


@given(TOKENS, COSTS)
def test_every_input_once_in_buckets_that_fit_padding_included(
    lengths: list[int], costs: BatchCosts
) -> None:
    batches = list(bucketed_batches(lengths, costs))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    longest = [max(lengths[index] for index in batch) for batch in batches]
    assert longest == sorted(longest, reverse=True)
    for batch, most in zip(batches, longest, strict=True):
        assert len(batch) == 1 or len(batch) * most <= costs.tokens
        assert lengths[batch[0]] == most


@given(TOKENS, COSTS)
def test_buckets_take_no_longer_than_batches_of_one_length(
    lengths: list[int], costs: BatchCosts
) -> None:
    exact = exact_length_batches([(length,) for length in lengths], costs.tokens)
    bucketed = seconds(bucketed_batches(lengths, costs), lengths, costs)
    assert bucketed <= seconds(exact, lengths, costs) * (1 + 1e-9)


def test_what_a_batch_costs_decides_how_wide_buckets_are() -> None:
    lengths = [10] * 5 + [11] * 5 + [40] * 5
    free = list(bucketed_batches(lengths, BatchCosts(1000, 0.0, 1.0)))
    assert [len(batch) for batch in free] == [5, 5, 5]
    costly = list(bucketed_batches(lengths, BatchCosts(1000, 1e6, 1.0)))
    assert [len(batch) for batch in costly] == [15]
    between = list(bucketed_batches(lengths, BatchCosts(1000, 50.0, 1.0)))
    assert [len(batch) for batch in between] == [5, 10]
