"""A run on a Ray cluster: what the cluster has room for, and how it is reached.

Only here is Ray imported, and only for ``--executor ray``.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from mt_gate.base import child_environment
from mt_gate.base.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.settings.record import Settings
from mt_gate.sut.limits import usable_cores

RAY_ADDRESS = "RAY_ADDRESS"
"""The variable that Ray's own tools name a cluster by."""
ANSWERS_WITHIN = 30
"""Seconds in which a cluster must answer."""
_REACHED_WITHIN = 5.0
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9_.:\[\]-]{1,253}):(?P<port>[0-9]{1,5})")
_NO_STATISTICS = ("RAY_USAGE_STATS_ENABLED", "0")
"""Ray would send its maker what a cluster that is started here is used for."""


class Room(NamedTuple):
    """What a worker takes, and how many of them a cluster has room for.

    ``threads`` are what a checkpoint computes with on a CPU; None on a GPU, where the setting is
    as it gets.
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
    sizes = [(int(one.get("CPU", 0)), int(one.get("GPU", 0))) for one in alive]
    if settings.device == "cuda":
        workers = sum(min(cpus, gpus) for cpus, gpus in sizes)
        return _checked(Room(workers, cpus=1, gpus=1, threads=None), sizes, "a GPU and a CPU")
    least = min((cpus for cpus, _ in sizes if cpus), default=1)
    threads = settings.threads or least
    room = Room(sum(cpus // threads for cpus, _ in sizes), threads, 0, threads)
    return _checked(room, sizes, f"{threads} CPUs, one for each of --threads")


def _checked(room: Room, sizes: Sequence[tuple[int, int]], wanted: str) -> Room:
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
    """Report an interrupt at the end of the block: half a cluster is one that nobody ends.

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
    return child_environment.allowed(environment, own)
