"""Which worker asks which shard, and who asks it again when a worker is lost.

A worker that is lost costs the shard that it was asking, and nothing else: another one asks it from
its beginning. What a worker *says* is final: a checkpoint that is unfit is so on every machine.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge
from mt_gate.sharding.splitting import Part
from mt_gate.sharding.worker import Files

MOST_LOST = 3
"""Workers that one shard may cost; as often may all of them be lost before one is open."""

W = TypeVar("W")


class Lost(NamedTuple):
    """A worker is gone, and why."""

    why: str


class Event(NamedTuple, Generic[W]):
    """What became of a worker: it is open (None), has answered its shard, or is lost."""

    worker: W
    became: Files | Lost | None


class Workers(Protocol[W]):
    """Starts workers, has them ask, and tells what becomes of them."""

    def start(self) -> W:
        """Start a worker, and have it open the run."""

    def ask(self, worker: W, part: Part) -> None:
        """Have an open worker ask a shard."""

    def next(self) -> Event[W]:
        """Wait for what becomes of any worker that was started or asked.

        Raises:
            MtGateError: a worker says why the run cannot be judged, or none can be started.
        """


class Distribution(Generic[W]):
    """Shards given out until all are answered."""

    def __init__(self, workers: Workers[W], parts: Sequence[Part], most: int, say: Say) -> None:
        """Take all shards of a run.

        Args:
            workers: who asks them.
            parts: the shards.
            most: workers at one time, at least 1.
            say: told of each worker that is lost.
        """
        self._workers = workers
        self._waiting = deque(parts)
        self._most = most
        self._say = say
        self._busy: dict[W, Part | None] = {}
        self._idle: list[W] = []
        self._lost: Counter[Part | None] = Counter()
        self._left = len(parts)

    def answers(self) -> Iterator[tuple[Part, Files]]:
        """Yield every shard once, with its files, as they come.

        Raises:
            MtGateError: as ``Workers.next``.
            CannotJudge: a shard has cost ``MOST_LOST`` workers.
        """
        self._give()
        while self._left:
            worker, became = self._workers.next()
            part = self._busy.pop(worker)
            if isinstance(became, Lost):
                self._missed(part, became.why)
            else:
                self._lost[None] = 0
                self._idle.append(worker)
            if part is not None and isinstance(became, Files):
                self._left -= 1
                yield part, became
            self._give()

    def _missed(self, part: Part | None, why: str) -> None:
        self._lost[part] += 1
        most = MOST_LOST * self._most if part is None else MOST_LOST
        if self._lost[part] >= most:
            what = "no worker opened the checkpoint" if part is None else f"shard {part}: no answer"
            raise CannotJudge(
                f"{what}; {most} workers were lost over it, the last one: {why}; expected workers "
                "that last; look at the nodes' memory, and run again"
            )
        again = "another is started" if part is None else f"shard {part} is asked again"
        self._say(f"a worker was lost ({why}); {again}")
        if part is not None:
            self._waiting.appendleft(part)

    def _give(self) -> None:
        """Have every worker at work that there is a shard for."""
        while self._idle and self._waiting:
            worker, part = self._idle.pop(), self._waiting.popleft()
            self._workers.ask(worker, part)
            self._busy[worker] = part
        opening = sum(part is None for part in self._busy.values())
        while len(self._busy) < self._most and opening < len(self._waiting):
            self._busy[self._workers.start()] = None
            opening += 1
