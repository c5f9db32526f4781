"""Shards are distributed until all are done, whichever workers are lost on the way."""

from __future__ import annotations

from collections import Counter, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sharding.answering import Part
from mt_gate.sharding.distributing import MOST_LOST, Distribution, Event, Lost
from mt_gate.sharding.worker import Files


class Machines:
    """Workers with the results that the test sets, in the order of the requests."""

    def __init__(self, losses: Counter[Part | None]) -> None:
        self.losses = losses
        self.attempts: Counter[Part] = Counter()
        self.started = 0
        self._doing: deque[tuple[int, Part | None]] = deque()
        self.at_once = 0

    def start(self) -> int:
        self.started += 1
        self._doing.append((self.started, None))
        self.at_once = max(self.at_once, len(self._doing))
        return self.started

    def ask(self, worker: int, part: Part) -> None:
        self.attempts[part] += 1
        self._doing.append((worker, part))
        self.at_once = max(self.at_once, len(self._doing))

    def next(self) -> Event:
        worker, part = self._doing.popleft()
        if self.losses[part]:
            self.losses[part] -= 1
            return Event(worker, Lost("the node is gone"))
        return Event(worker, None if part is None else Files(str(part).encode(), b""))


def parts(of: int) -> list[Part]:
    return [Part(number, of) for number in range(1, of + 1)]


@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.lists(st.integers(0, MOST_LOST - 1), min_size=12, max_size=12),
    st.integers(0, MOST_LOST - 1),
)
def test_each_shard_is_answered_once(of: int, most: int, losses: list[int], unopened: int) -> None:
    wanted = parts(of)
    lost = Counter(dict(zip(wanted, losses, strict=False)))
    machines = Machines(Counter({**lost, None: unopened}))
    result: list[str] = []
    actual = [*Distribution(machines, wanted, most, result.append).answers()]
    assert sorted(part for part, _ in actual) == wanted
    assert all(files.head == str(part).encode() for part, files in actual)
    # A loss costs the shard that the worker had, and no other.
    assert machines.attempts == Counter({part: 1 + lost[part] for part in wanted})
    assert len(result) == sum(lost.values()) + unopened - machines.losses[None]
    assert machines.at_once <= most


def test_a_shard_that_no_worker_survives() -> None:
    machines = Machines(Counter({Part(2, 3): MOST_LOST}))
    with pytest.raises(CannotJudge, match=r"Shard 2/3 was not run: 3 workers .* node is gone"):
        [*Distribution(machines, parts(3), 2, lambda _: None).answers()]
    assert machines.attempts[Part(2, 3)] == MOST_LOST


def test_workers_that_never_open() -> None:
    machines = Machines(Counter({None: 100}))
    with pytest.raises(CannotJudge, match="No worker opened the checkpoint: 6 workers were lost"):
        [*Distribution(machines, parts(3), 2, lambda _: None).answers()]
    assert machines.started == 2 * MOST_LOST + 1  # one more is on its way


def test_no_more_workers_than_shards() -> None:
    machines = Machines(Counter())
    assert len([*Distribution(machines, parts(2), 9, lambda _: None).answers()]) == 2
    assert machines.started == 2
