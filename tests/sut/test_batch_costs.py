"""How many tokens a device takes at once, found by asking it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import measured

TRIED = range(1024, 131_073)


class Device:
    """Takes so long for a batch, and for each token that does not fit beside ``wide`` others."""

    def __init__(self, wide: int, room: int, length: int, batch: float = 0.001) -> None:
        self.now, self.asked = 0.0, list[int]()
        self._wide, self._room, self._length, self._batch = wide, room, length, batch

    def ask(self, count: int) -> None:
        tokens = count * self._length
        self.asked.append(count)
        if tokens > self._room:
            raise CannotJudge("no room")
        self.now += self._batch + 1e-6 * max(tokens, self._wide)

    def clock(self) -> Callable[[], float]:
        return lambda: self.now


def test_batches_grow_until_the_device_is_filled() -> None:
    device = Device(wide=16_000, room=10**9, length=32, batch=0.0)
    found = measured(device.ask, 32, TRIED, device.clock())
    assert found.tokens == 16_384
    assert found.token == pytest.approx(1e-6)
    assert found.batch == pytest.approx(0.016, rel=0.01)
    assert max(device.asked) * 32 == 32_768


def test_a_device_that_is_never_filled_is_asked_for_the_most_at_the_most() -> None:
    device = Device(wide=10**9, room=10**9, length=100)
    found = measured(device.ask, 100, TRIED, device.clock())
    assert found.tokens == 131_000
    assert max(device.asked) == 1310


def test_what_has_no_room_is_left_out_and_one_input_must_have_it() -> None:
    device = Device(wide=10**9, room=5000, length=100)
    assert measured(device.ask, 100, TRIED, device.clock()).tokens == 4000
    full = Device(wide=1, room=50, length=100)
    with pytest.raises(CannotJudge, match="no room"):
        measured(full.ask, 100, TRIED, full.clock())


@given(st.integers(1, 600), st.integers(1, 200_000), st.integers(600, 200_000))
def test_what_is_found_was_asked_and_fits(length: int, wide: int, room: int) -> None:
    device = Device(wide, room, length)
    found = measured(device.ask, length, TRIED, device.clock())
    assert found.tokens in {count * length for count in device.asked}
    assert length <= found.tokens <= max(room, length)
    assert found.batch >= 0
    assert found.token > 0
