"""Run a suite on a Ray cluster: workers run shards, which are merged and judged here.

If a worker is lost, another one runs its shard from the beginning. An error that a worker
*reports* is final, because a checkpoint that is unfit is so on every machine.
Only here is Ray imported, and only for ``--executor ray``.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate.base import errors
from mt_gate.base.console import Failure, Say
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, quoted, reported
from mt_gate.base.figures import counted
from mt_gate.base.files import scratch
from mt_gate.baselines.schema import BaselineSource
from mt_gate.ontologies.reading import shipped_ontologies
from mt_gate.results.result import TOOL, short_fingerprint
from mt_gate.results.store import Run, check_writable, reserved
from mt_gate.running.predicting import Clock, Progress, default_folder
from mt_gate.running.preparing import options_of, prepare
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import MOST, Part, asking, check_one_run
from mt_gate.sharding.merging import judged, read_shards
from mt_gate.sharding.worker import Files, Identity, Worker, identity_of
from mt_gate.suites.format import shipped_suites
from mt_gate.suites.quick import quick_suites
from mt_gate.sut.processes import allowed, usable_cores

RAY_ADDRESS = "RAY_ADDRESS"
"""The variable that Ray's own tools name a cluster by."""
ANSWERS_WITHIN = 30
"""Seconds in which a cluster must answer."""
_REACHED_WITHIN = 5.0
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9_.:\[\]-]{1,253}):(?P<port>[0-9]{1,5})")
_NO_STATISTICS = ("RAY_USAGE_STATS_ENABLED", "0")
"""Ray would send its maker what a cluster that is started here is used for."""


class Room(NamedTuple):
    """Resources of a worker, and the number of workers that fit into the cluster.

    ``threads`` is the number of CPU threads of a checkpoint; None on a GPU, where the setting
    stays unchanged.
    """

    workers: int
    cpus: int
    gpus: int
    threads: int | None


def room_in(nodes: Sequence[Mapping[str, Any]], settings: Settings) -> Room:
    """Return what a run's workers take of a cluster.

    On GPUs a worker has one, and a CPU. Else it has a CPU for each of its threads; without
    ``--threads`` as many as the smallest node has.
    """
    alive = [node.get("Resources", {}) for node in nodes if node.get("Alive")]
    sizes = [(int(node.get("CPU", 0)), int(node.get("GPU", 0))) for node in alive]
    if settings.device == "cuda":
        workers = sum(min(cpus, gpus) for cpus, gpus in sizes)
        room, wanted = Room(workers, cpus=1, gpus=1, threads=None), "a GPU and a CPU"
    else:
        threads = settings.threads or min((cpus for cpus, _ in sizes if cpus), default=1)
        room = Room(sum(cpus // threads for cpus, _ in sizes), threads, 0, threads)
        wanted = f"{threads} CPUs, one for each of --threads"
    if room.workers:
        return room
    listed = ", ".join(f"{cpus} CPUs and {gpus} GPUs" for cpus, gpus in sizes[:5]) or "nothing"
    raise CannotJudge(
        f"The cluster's nodes have {listed}, but a worker needs {wanted}. Start Ray there with "
        "--num-cpus and --num-gpus, or request less."
    )


class Reached(NamedTuple):
    """A cluster that answers, and what named it; both are empty for one that is still to start."""

    address: str
    named: str


def reach(address: str) -> Reached:
    """Find a cluster; nothing is joined or started yet."""
    cluster = Reached(address, "--address")
    if not address:
        cluster = Reached(os.environ.get(RAY_ADDRESS, ""), RAY_ADDRESS)
    form = _ADDRESS.fullmatch(cluster.address)
    if cluster.address and (not form or not 0 < int(form["port"]) < 1 << 16):
        raise UsageError(
            f"{cluster.named} must be HOST:PORT, as 'ray start' prints it (got "
            f"{quoted(cluster.address)}). Run on a node of the cluster, or submit the command with "
            "'ray job submit'."
        )
    _ray()
    if cluster.address:
        _check_answers(cluster)
    return cluster


@contextmanager
def connected(cluster: Reached) -> Iterator[Any]:
    """Join a cluster, or start one on this machine, and yield the module ``ray``."""
    ray, (address, named) = _ray(), cluster
    try:
        try:
            _join(ray, address)
        except (Exception, SystemExit) as error:  # Ray ends the program where a cluster goes away
            if isinstance(error, SystemExit) and error.code == signal.SIGTERM:
                raise KeyboardInterrupt from None  # of Ray's own handler, which it sets first
            raise CannotJudge(
                f"{named} {address}: Ray cannot join: {reported(error)}. Run on a node of a "
                f"cluster of Ray {ray.__version__}."
                if address
                else f"Ray cannot be started here: {reported(error)}. Run without --executor."
            ) from None
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _handler_restored() -> Iterator[None]:
    """Keep what SIGTERM does here: Ray has it end the program, with another exit code."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Report an interrupt at the end of the block: a half-started cluster would keep running.

    It is noted, not masked: a signal reaches any thread that does not mask it, and what Ray starts
    would inherit the mask.
    """
    before, noted = signal.getsignal(signal.SIGINT), list[int]()
    may_catch = callable(before) and threading.current_thread() is threading.main_thread()
    if may_catch:
        signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        if may_catch:
            signal.signal(signal.SIGINT, before)
        if noted:
            signal.raise_signal(signal.SIGINT)  # it is taken now, as any other


def _ray() -> Any:
    os.environ.setdefault(*_NO_STATISTICS)
    try:
        import ray
    except ImportError as error:
        raise CannotJudge(
            f"--executor ray: {error.name} is not installed. Run pip install 'mt-gate[ray]'"
        ) from None
    return ray


def _check_answers(cluster: Reached) -> None:
    """Ask a cluster for a sign of life: Ray itself would wait for minutes."""
    address, named = cluster
    host, _, port = address.rpartition(":")
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        socket.create_connection((host.strip("[]"), int(port)), _REACHED_WITHIN).close()
        done = subprocess.run(
            command,
            env=_allowed(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ANSWERS_WITHIN,
            check=False,
        )
        why = "" if done.returncode == 0 else "it is not healthy"
    except OSError as error:
        why = error.strerror or type(error).__name__
    except subprocess.TimeoutExpired:
        why = f"no reply in {ANSWERS_WITHIN} s"
    if why:
        raise CannotJudge(
            f"{named} {address}: no Ray cluster replies there ({why}). Pass the address that 'ray "
            "start --head' prints, or omit the option for a cluster of this machine."
        )


def _join(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "configure_logging": False}
    if address:
        with _handler_restored():
            ray.init(address=address, **quiet)
        return
    # Processes of Ray pass on what they were started with, and other programs of this user can
    # read it there: secrets stay with us.
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(_allowed(before))
    try:
        with _no_interrupt(), _handler_restored():
            ray.init(address="local", num_cpus=usable_cores(), include_dashboard=False, **quiet)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _allowed(environment: Mapping[str, str]) -> dict[str, str]:
    own = [name for name in environment if name.startswith("RAY_")]
    return allowed(environment, own)


MOST_LOST = 3
"""Workers that one shard may cost; as often may all of them be lost before one is open."""


class Lost(NamedTuple):
    """A worker is gone, and why."""

    why: str


class Event(NamedTuple):
    """Change of a worker's state: it opened (None), has run its shard, or is lost."""

    worker: int
    became: Files | Lost | None


class Distribution:
    """Distributes shards until all are run."""

    def __init__(self, workers: Any, parts: Sequence[Part], most: int, say: Say) -> None:
        self._workers = workers
        self._waiting = deque(parts)
        self._most = most
        self._say = say
        self._busy: dict[int, Part | None] = {}
        self._idle: list[int] = []
        self._lost: Counter[Part | None] = Counter()
        self._left = len(parts)

    def answers(self) -> Iterator[tuple[Part, Files]]:
        """Yield every shard once, with its files, as they come."""
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
            what = (
                "No worker opened the checkpoint" if part is None else f"Shard {part} was not run"
            )
            raise CannotJudge(
                f"{what}: {most} workers were lost, the last one with: {why}. Look at the nodes' "
                "memory, and run again."
            )
        again = "another is started" if part is None else f"shard {part} is run again"
        self._say(f"A worker was lost ({why}): {again}")
        if part is not None:
            self._waiting.appendleft(part)

    def _give(self) -> None:
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
_WHERE = "A worker"


class RayWorkers:
    """Starts actors, and reports their outcomes; a worker is known by its number."""

    def __init__(self, ray: Any, room: Room, settings: Settings, expected: Identity) -> None:
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
        """For each awaited object: the worker, and whether it has yet to start."""
        self._started = 0

    def start(self) -> int:
        """Start a worker, and have it open the run."""
        self._started += 1
        actor = self._actors[self._started] = self._actor_class.remote()
        self._waiting[actor.started.remote()] = self._started, True
        return self._started

    def ask(self, worker: int, part: Part) -> None:
        """Let an open worker run a shard."""
        self._waiting[self._actors[worker].ask.remote(*part)] = worker, False

    def next(self) -> Event:
        """Wait until any worker has a result or fails."""
        while True:
            only_starting = all(starting for _, starting in self._waiting.values())
            limit = STARTED_WITHIN if only_starting else None
            ready, _ = self._ray.wait([*self._waiting], num_returns=1, timeout=limit)
            if not ready:
                raise CannotJudge(
                    f"The cluster started no worker within {STARTED_WITHIN:.0f} s. A worker needs "
                    f"{self._room.cpus} CPUs and {self._room.gpus} GPUs. Wait for other work to "
                    "end, or request less."
                )
            awaited = ready[0]
            worker, starting = self._waiting.pop(awaited)
            try:
                reply = self._ray.get(awaited)
            except self._ray.exceptions.RayTaskError as error:
                raise _unfit(error) from None
            except self._ray.exceptions.RayError as error:
                if getattr(error, "actor_init_failed", False):
                    raise _unfit(error) from None
                self._ray.kill(self._actors.pop(worker))
                return Event(worker, Lost(type(error).__name__))
            if not starting:
                return Event(worker, self._checked(reply))
            if reply != TOOL.version:
                raise CannotJudge(
                    f"{_WHERE} has mt-gate {quoted(reply)}, but this is {TOOL.version}. Install "
                    "the same version on every node."
                )
            self._waiting[self._actors[worker].open.remote(self._settings)] = worker, False

    def _checked(self, reply: object) -> Files | None:
        """Return a shard's files, or None from a worker that has opened what it should."""
        match reply:
            case Failure():
                kinds = {errors.USAGE: UsageError, errors.INTERNAL: MtGateError}
                kind = kinds.get(reply.code, CannotJudge)
                raise kind(f"{_WHERE}: {reply.message}")
            case Files():
                return reply
            case Identity():
                _check_identity(reply, self._expected)
                return None
        raise CannotJudge(f"{_WHERE} sent an invalid reply. Install mt-gate there again.")

    def close(self) -> None:
        """Let the remaining workers store their caches and close their systems."""
        ending = [actor.close.remote() for actor in self._actors.values()]
        if ending:
            self._ray.wait(ending, num_returns=len(ending), timeout=_CLOSED_WITHIN)


def _unfit(error: Exception) -> CannotJudge:
    last = str(error).strip().rpartition("\n")[2].strip()
    return CannotJudge(
        f"{_WHERE} failed: {reported(Exception(last))}. Install mt-gate {TOOL.version} on every "
        "node."
    )


def _check_identity(identity: Identity, expected: Identity) -> None:
    for what, here, there in (
        ("suite", expected.suite[:12], identity.suite[:12]),
        ("checkpoint", expected.checkpoint, identity.checkpoint),
        ("fingerprint", *(short_fingerprint(x.fingerprint, 12) for x in (expected, identity))),
    ):
        if here != there:
            raise CannotJudge(
                f"{_WHERE} has {what} {quoted(there)}, but this machine has {quoted(here)}. Every "
                "node needs the same files at the same path. Copy them there, or share the folder."
            )
    if identity != expected:
        raise CannotJudge(f"{_WHERE} has another suite or checkpoint than here. Copy them there.")


SHARDS_A_WORKER = 4
"""Without a number: a worker that is lost costs a quarter of its work."""


class Cluster(NamedTuple):
    """Where a run is computed: ``HOST:PORT``, empty for this machine; None for as many as fit."""

    address: str = ""
    shards: int | None = None


def run_on_ray(settings: Settings, cluster: Cluster, say: Say, progress: Progress) -> Run:
    """Run a suite on a Ray cluster, and judge it here; write what one run would have written."""
    check_one_run(settings, "--executor ray")
    if settings.system:
        raise UsageError(
            f"--executor ray works only with --checkpoint, not with --system {settings.system}. "
            "Run it in shards (--shard), or without --executor."
        )
    check_writable(settings.out)
    with reserved(settings.out), scratch() as folder:
        reached = reach(cluster.address)
        options, settings = options_of(settings), located(settings)
        # Files are what is looked at: this machine need not have a GPU.
        prepared = prepare(replace(settings, device="cpu"), say, Clock(), BaselineSource())
        with closing(prepared.system):
            expected = identity_of(prepared)
        with connected(reached) as ray:
            room = room_in(ray.nodes(), settings)
            of = cluster.shards or min(SHARDS_A_WORKER * room.workers, MOST)
            parts = [Part(number, of) for number in range(1, of + 1)]
            most = min(room.workers, len(parts))
            say(f"{counted(len(parts), 'shard')} on {counted(most, 'worker')}")
            workers = RayWorkers(ray, room, asking(settings), expected)
            answers = Distribution(workers, parts, most, say).answers()
            folders: list[Path] = []
            for part, files in answers:
                folders.append(folder / str(part.number))
                files.write(folders[-1])
                progress(len(folders), len(parts))
            workers.close()
        # All workers opened what one did: their predictions are compared again.
        shards = read_shards(folders)
        return judged(shards, settings, say, BaselineSource(), holds_out=True, options=options)


def located(settings: Settings) -> Settings:
    """Return settings that name the same files wherever a worker is started.

    The device of ``auto`` is the CPU: GPUs are run of a cluster by name.
    """
    return replace(
        settings,
        checkpoint=str(Path(settings.checkpoint).absolute()),
        suite=_placed(settings.suite, {*shipped_suites(), *quick_suites()}),
        ontology=_placed(settings.ontology, {"", *shipped_ontologies()}),
        labels=settings.labels and settings.labels.absolute(),
        cache=(settings.cache or default_folder()).absolute(),
        device="cpu" if settings.device == "auto" else settings.device,
    )


def _placed(place: str, names: Collection[str]) -> str:
    return place if place in names else str(Path(place).absolute())
