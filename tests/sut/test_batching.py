from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import (
    MOST_TOKENS,
    MOST_WEIGHTS,
    BatchCosts,
    bucketed_batches,
    exact_length_batches,
    in_lanes,
    measured,
    share,
)

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


def padding(batch: list[int], lengths: list[int]) -> int:
    return sum(max(lengths[index] for index in batch) - lengths[index] for index in batch)


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
        assert padding(batch, lengths) * costs.token <= costs.batch * (1 + 1e-9)
    for batch, following in pairwise(batches):
        more, most = [*batch, following[0]], lengths[batch[0]]
        is_costly = padding(more, lengths) * costs.token > costs.batch * (1 - 1e-9)
        assert is_costly or len(more) * most > costs.tokens


TRIED = range(1024, 131_073)


class Device:
    def __init__(self, wide: int, room: int, length: int, batch: float = 0.001) -> None:
        self.now, self.sizes = 0.0, list[int]()
        self._wide, self._room, self._length, self._batch = wide, room, length, batch

    def ask(self, count: int) -> None:
        tokens = count * self._length
        self.sizes.append(count)
        if tokens > self._room:
            raise CannotJudge("no room")
        self.now += self._batch + 1e-6 * max(tokens, self._wide)

    def clock(self) -> Callable[[], float]:
        return lambda: self.now


def test_batches_grow_until_the_device_is_filled() -> None:
    device = Device(wide=16_000, room=10**9, length=32, batch=0.0)
    actual = measured(device.ask, 32, TRIED, device.clock())
    assert actual.tokens == 16_384
    assert actual.token == pytest.approx(1e-6)
    assert actual.batch == pytest.approx(0.016, rel=0.01)
    assert max(device.sizes) * 32 == 32_768


def test_what_has_no_room_is_left_out_and_one_input_must_have_it() -> None:
    device = Device(wide=10**9, room=5000, length=100)
    assert measured(device.ask, 100, TRIED, device.clock()).tokens == 4000
    full = Device(wide=1, room=50, length=100)
    with pytest.raises(CannotJudge, match="no room"):
        measured(full.ask, 100, TRIED, full.clock())


@pytest.mark.parametrize(
    ("weights", "tokens"), [(MOST_WEIGHTS + 1, MOST_TOKENS), (MOST_WEIGHTS, MOST_TOKENS + 1)]
)
def test_an_input_that_takes_too_long_or_too_much_is_a_batch_of_its_own(
    weights: int, tokens: int
) -> None:
    assert share(4, weights, tokens) == (1, 4)


@given(st.lists(st.integers(), max_size=30), st.integers(1, 5))
def test_answers_come_in_the_order_of_the_inputs(items: list[int], count: int) -> None:
    assert [*in_lanes(lambda item: -item, items, count)] == [-item for item in items]


@pytest.mark.parametrize("count", [1, 3])
def test_a_failure_is_raised_in_its_place_and_ends_the_run(count: int) -> None:
    begun, after = [], threading.Event()

    def ask(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise CannotJudge("two")
        assert item < 2 or after.wait(60)
        return item

    actual = in_lanes(ask, range(100), count)
    answered: list[int] = []
    try:
        with pytest.raises(CannotJudge, match="two"):
            answered.extend(actual)
    finally:
        after.set()
    assert answered == [0, 1]
    assert max(begun) <= 2 + count
