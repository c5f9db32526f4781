"""Which worker asks which shard, and who asks it again when a worker is lost.

A worker that is lost costs the shard that it was asking, and nothing else: another one asks it from
its beginning. What a worker *says* is final: a checkpoint that is unfit is so on every machine.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, TypeVar

from msgspec.structs import replace

from mt_gate.base import errors
from mt_gate.base.console import Failure, Say
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, quoted, reported
from mt_gate.results.result import TOOL, short_fingerprint
from mt_gate.settings.record import Settings
from mt_gate.sharding.cluster import Room
from mt_gate.sharding.splitting import Part
from mt_gate.sharding.worker import Files, Identity, Worker

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


STARTED_WITHIN = 120.0
"""Seconds in which a cluster must start a worker, while none is at work."""
_CLOSED_WITHIN = 10.0
_WHERE = "on a worker"


class RayWorkers:
    """Starts actors, and tells what becomes of them; a worker is known by its number."""

    def __init__(self, ray: Any, room: Room, settings: Settings, expected: Identity) -> None:
        """Take what all workers are started with.

        Args:
            ray: the module, connected.
            room: what a worker takes.
            settings: of the run, as its workers read them.
            expected: who must answer.
        """
        self._ray = ray
        threads = room.threads or settings.threads
        self._settings = pickle.dumps(replace(settings, threads=threads))
        self._expected = expected
        self._room = room
        self._actor_class = ray.remote(
            num_cpus=room.cpus,
            num_gpus=room.gpus,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )(Worker)
        self._actors: dict[int, Any] = {}
        self._waiting: dict[Any, tuple[int, bool]] = {}
        """By what is awaited the worker, and whether it has yet to be started."""
        self._started = 0

    def start(self) -> int:
        """Start a worker; once it is, it is told to open the run."""
        self._started += 1
        actor = self._actors[self._started] = self._actor_class.remote()
        self._waiting[actor.started.remote()] = self._started, True
        return self._started

    def ask(self, worker: int, part: Part) -> None:
        """Have an open worker ask a shard."""
        self._waiting[self._actors[worker].ask.remote(*part)] = worker, False

    def next(self) -> Event[int]:
        """Wait for what becomes of any worker.

        Raises:
            UsageError, CannotJudge: as a worker says; it is of another version, suite or
                checkpoint; or none could be started.
        """
        while True:
            awaited = self._first()
            worker, starting = self._waiting.pop(awaited)
            try:
                found = self._ray.get(awaited)
            except self._ray.exceptions.RayTaskError as error:
                raise _unfit(error) from None
            except self._ray.exceptions.RayError as error:
                if getattr(error, "actor_init_failed", False):
                    raise _unfit(error) from None
                self._ray.kill(self._actors.pop(worker))
                return Event(worker, Lost(type(error).__name__))
            if not starting:
                return Event(worker, self._checked(found))
            self._open(worker, found)

    def _first(self) -> Any:
        only_starting = all(starting for _, starting in self._waiting.values())
        limit = STARTED_WITHIN if only_starting else None
        ready, _ = self._ray.wait([*self._waiting], num_returns=1, timeout=limit)
        if ready:
            return ready[0]
        raise CannotJudge(
            f"the cluster: started no worker within {STARTED_WITHIN:.0f} s; expected room for one "
            f"with {self._room.cpus} CPUs and {self._room.gpus} GPUs; wait for other work to end, "
            "or ask for less"
        )

    def _open(self, worker: int, version: object) -> None:
        if version != TOOL.version:
            raise CannotJudge(
                f"{_WHERE}: mt-gate {quoted(version)}, this is {TOOL.version}; expected the same "
                "on every node; install it there"
            )
        self._waiting[self._actors[worker].open.remote(self._settings)] = worker, False

    def _checked(self, found: object) -> Files | None:
        """Return a shard's files, or None from a worker that has opened what it should."""
        match found:
            case Failure():
                _raise(found)
            case Files():
                return found
            case Identity():
                _check_identity(found, self._expected)
                return None
        raise CannotJudge(f"{_WHERE}: an answer that is none; install mt-gate there again")

    def close(self) -> None:
        """Have the workers that are left keep what they know, and close what they opened."""
        closing = [actor.close.remote() for actor in self._actors.values()]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=_CLOSED_WITHIN)


def _unfit(error: Exception) -> CannotJudge:
    """Return what is wrong with a worker that answers no record: it cannot load our code."""
    last = str(error).strip().rpartition("\n")[2].strip()
    return CannotJudge(
        f"{_WHERE}: {reported(Exception(last))}; expected mt-gate {TOOL.version} on every node; "
        "install it there"
    )


def _raise(failure: Failure) -> NoReturn:
    kinds = {errors.USAGE: UsageError, errors.INTERNAL: MtGateError}
    raise kinds.get(failure.code, CannotJudge)(f"{_WHERE}: {failure.message}")


def _check_identity(found: Identity, expected: Identity) -> None:
    for what, here, there in (
        ("suite", expected.suite[:12], found.suite[:12]),
        ("checkpoint", expected.checkpoint, found.checkpoint),
        ("fingerprint", *(short_fingerprint(x.fingerprint, 12) for x in (expected, found))),
    ):
        if here != there:
            raise CannotJudge(
                f"{_WHERE}: {what} {quoted(there)}, this machine has {quoted(here)}; expected the "
                "same files at the same path on every node; copy them there, or share the folder"
            )
    if found != expected:
        raise CannotJudge(f"{_WHERE}: another suite or checkpoint than here; copy them there")
