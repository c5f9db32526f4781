"""Run a suite on a Ray cluster: each shard is a task there; merging and judging happen here.

Ray schedules the tasks, and runs a task again if its worker is lost. An error that a shard
*reports* is final, because an unfit checkpoint is unfit on every machine.
Only this module imports Ray, and only for ``--executor ray``.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate.base import errors, escaping
from mt_gate.base.console import Failure, Say, guarded
from mt_gate.base.errors import CannotJudge, MtGateError, UsageError, quoted, reported
from mt_gate.base.figures import counted
from mt_gate.base.files import scratch
from mt_gate.baselines.schema import BaselineSource
from mt_gate.ontologies.reading import shipped_ontologies
from mt_gate.results.result import TOOL, short_fingerprint
from mt_gate.results.store import ANSWERS, SHARD, Run, check_writable, reserved
from mt_gate.running.predicting import Cache, Clock, Progress, default_folder
from mt_gate.running.preparing import options_of, prepare
from mt_gate.running.systems import find_folder
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import (
    MOST,
    Part,
    WatchedCache,
    asking,
    check_one_run,
    run_shard,
)
from mt_gate.sharding.merging import judged, read_shards
from mt_gate.suites.format import shipped_suites
from mt_gate.suites.quick import quick_suites
from mt_gate.sut.processes import allowed, usable_cores
from mt_gate.sut.protocol import Prediction

RAY_ADDRESS = "RAY_ADDRESS"
"""Environment variable with the address of a cluster, as in Ray's own tools."""
RETRIES = 3
"""Maximum times that Ray runs a shard again after its worker was lost."""
ANSWERS_WITHIN = 30
"""Seconds within which a cluster must reply."""
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9_.:\[\]-]{1,253}):(?P<port>[0-9]{1,5})")
_NO_STATISTICS = ("RAY_USAGE_STATS_ENABLED", "0")
"""Variable and value that disable Ray's usage statistics for a cluster started here."""


def run_on_ray(
    settings: Settings, address: str, shards: int | None, say: Say, progress: Progress
) -> Run:
    """Run a suite on a Ray cluster, judge it here, and write the same files as a single run.

    ``address`` is ``HOST:PORT``, empty for this machine. If ``shards`` is None, use as many as fit.
    """
    check_one_run(settings, "--executor ray")
    if settings.system:
        raise UsageError(
            f"--executor ray works only with --checkpoint, not with --system {settings.system}. "
            "Run it in shards (--shard), or without --executor."
        )
    check_writable(settings.out)
    with reserved(settings.out), scratch() as folder:
        address = address_of(address)
        options, settings = options_of(settings), located(settings)
        # Only files are checked here, and this machine may not have a GPU.
        prepared = prepare(replace(settings, device="cpu"), say, Clock(), BaselineSource())
        with closing(prepared.system):
            fingerprint = prepared.system.head.fingerprint
        with connected(address) as ray:
            room = room_in(ray.nodes(), settings)
            of = shards or min(room.workers, MOST)
            workers = counted(min(room.workers, of), "worker")
            say(f"{counted(of, 'shard')} on {workers}")
            folders: list[Path] = []
            for part, files in run_shards(ray, room, asking(settings), of):
                folders.append(folder / str(part.number))
                write_files(files, folders[-1])
                progress(len(folders), of)
        run = read_shards(folders)
        there = run.heads[0].checkpoint.fingerprint
        if there != fingerprint:
            here, there = (short_fingerprint(text, 12) for text in (fingerprint, there))
            raise CannotJudge(
                f"A worker has fingerprint {there}, but this machine has {here}. Every node needs "
                "the same files at the same path. Copy them there, or share the folder."
            )
        return judged(run, settings, say, BaselineSource(), holds_out=True, options=options)


def located(settings: Settings) -> Settings:
    """Return settings with absolute paths, so that workers find the same files.

    Device ``auto`` becomes the CPU: a cluster's GPUs must be requested by name.
    """
    return replace(
        settings,
        checkpoint=str(find_folder(settings.checkpoint).absolute()),
        suite=_placed(settings.suite, {*shipped_suites(), *quick_suites()}),
        ontology=_placed(settings.ontology, {"", *shipped_ontologies()}),
        labels=settings.labels and settings.labels.absolute(),
        cache=(settings.cache or default_folder()).absolute(),
        device="cpu" if settings.device == "auto" else settings.device,
    )


def _placed(place: str, names: Collection[str]) -> str:
    return place if place in names else str(Path(place).absolute())


class Room(NamedTuple):
    """CPUs and GPUs of a worker, and the number of workers that fit into the cluster."""

    workers: int
    cpus: int
    gpus: int


def room_in(nodes: Sequence[Mapping[str, Any]], settings: Settings) -> Room:
    """Return the CPUs and GPUs of each worker of a run, and how many workers fit.

    For device ``cuda``, a worker has one GPU and one CPU. Otherwise it has a CPU for each thread;
    without ``--threads``, it has as many as the smallest node with CPUs.
    """
    alive = [node.get("Resources", {}) for node in nodes if node.get("Alive")]
    sizes = [(int(node.get("CPU", 0)), int(node.get("GPU", 0))) for node in alive]
    if settings.device == "cuda":
        room = Room(sum(min(cpus, gpus) for cpus, gpus in sizes), cpus=1, gpus=1)
        wanted = "a GPU and a CPU"
    else:
        threads = settings.threads or min((cpus for cpus, _ in sizes if cpus), default=1)
        room = Room(sum(cpus // threads for cpus, _ in sizes), threads, 0)
        wanted = f"{counted(threads, 'CPU')}, one for each of --threads"
    if room.workers:
        return room
    listed = (f"{counted(cpus, 'CPU')} and {counted(gpus, 'GPU')}" for cpus, gpus in sizes[:5])
    raise CannotJudge(
        f"The cluster's nodes have {', '.join(listed) or 'no CPU'}, but a worker needs {wanted}. "
        "Start Ray there with --num-cpus and --num-gpus, or request less."
    )


Files = Mapping[str, bytes]
"""The two files of a shard, by name."""


def write_files(files: Files, folder: Path) -> None:
    """Create a folder, and write the files of a shard to it."""
    folder.mkdir(parents=True)
    for name in (ANSWERS, SHARD):
        (folder / name).write_bytes(files[name])


def run_shards(ray: Any, room: Room, settings: Settings, of: int) -> Iterator[tuple[Part, Files]]:
    """Run all shards on the cluster, and yield each with its files when it ends."""
    threads = settings.threads if room.gpus else room.cpus
    run = pickle.dumps(replace(settings, threads=threads))
    task = ray.remote(shard_files).options(
        num_cpus=room.cpus,
        num_gpus=room.gpus,
        max_retries=RETRIES,
        scheduling_strategy="SPREAD",
    )
    parts = {task.remote(TOOL.version, run, Part(n, of)): Part(n, of) for n in range(1, of + 1)}
    running = [*parts]
    while running:
        (ended,), running = ray.wait(running, num_returns=1)
        part = parts.pop(ended)
        try:
            files = ray.get(ended)
        except ray.exceptions.RayError as error:
            last = str(error).strip().rpartition("\n")[2].strip()
            raise CannotJudge(
                f"Shard {part} failed: {reported(Exception(last))}. Check the nodes' memory, "
                f"install mt-gate {TOOL.version} on every node, and run again."
            ) from None
        if isinstance(files, Failure):
            kinds = {errors.USAGE: UsageError, errors.INTERNAL: MtGateError}
            raise kinds.get(files.code, CannotJudge)(f"Shard {part}: {files.message}")
        yield part, files


def shard_files(version: str, settings: bytes, part: Part) -> Files | Failure:
    """Run a shard in a process of the cluster; return its files or its failure.

    ``version`` is the version of mt-gate that pickled the settings.
    """
    return guarded(lambda: _shard_files(version, settings, part))


def _shard_files(version: str, pickled: bytes, part: Part) -> Files:
    if version != TOOL.version:
        raise CannotJudge(
            f"A worker has mt-gate {TOOL.version}, but this machine has {quoted(version)}. "
            "Install the same version on every node."
        )
    escaping.watch(os.environ)
    settings: Settings = pickle.loads(pickled)
    if settings.threads == usable_cores():
        # As in a run on one machine: setting a number of threads would use a separate cache.
        settings = replace(settings, threads=None)
    with scratch() as folder:
        settings = replace(settings, out=folder / "shard")
        run_shard(settings, part, lambda _: None, lambda *_: None, DeferredCache)
        return {name: (settings.out / name).read_bytes() for name in (ANSWERS, SHARD)}


class DeferredCache(WatchedCache):
    """A cache that stores predictions when it is closed.

    If a worker is lost, its shard is run again. Predictions that it had already stored would then
    count as cached, unlike in a single run.
    """

    def __init__(self, folder: Path, system: str) -> None:
        super().__init__(folder, system)
        self._pending: dict[bytes, Prediction] = {}

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Hold predictions until the shard has run."""
        self._pending.update(items)
        self.predicted.update(self._pending)

    def close(self) -> None:
        """Store the predictions, and close the file."""
        Cache.put(self, self._pending.items())
        super().close()


def address_of(address: str) -> str:
    """Return the checked address of the cluster; empty for a new one on this machine."""
    named = "--address" if address else RAY_ADDRESS
    address = address or os.environ.get(RAY_ADDRESS, "")
    _ray()
    if not address:
        return ""
    form = _ADDRESS.fullmatch(address)
    if not form or not 0 < int(form["port"]) < 1 << 16:
        raise UsageError(
            f"{named} must be HOST:PORT, as 'ray start' prints it (got {quoted(address)}). Run on "
            "a node of the cluster, or submit the command with 'ray job submit'."
        )
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:  # Ray itself would wait for minutes
        subprocess.run(
            command,
            env=_allowed(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ANSWERS_WITHIN,
            check=True,
        )
    except subprocess.SubprocessError:
        raise CannotJudge(
            f"{named} {address}: no healthy Ray cluster replies there within {ANSWERS_WITHIN} s. "
            "Pass the address that 'ray start --head' prints, or omit the option for a cluster of "
            "this machine."
        ) from None
    return address


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Join a cluster, or start one on this machine, and yield the module ``ray``."""
    ray = _ray()
    try:
        try:
            _join(ray, address)
        except (Exception, SystemExit) as error:  # Ray exits if the cluster disappears
            if isinstance(error, SystemExit) and error.code == signal.SIGTERM:
                raise KeyboardInterrupt from None  # raised by Ray's own handler of SIGTERM
            raise CannotJudge(
                f"Ray cannot join {address}: {reported(error)}. Run on a node of a cluster of "
                f"Ray {ray.__version__}."
                if address
                else f"Ray cannot be started here: {reported(error)}. Run without --executor."
            ) from None
        yield ray
    finally:
        ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault(*_NO_STATISTICS)
    try:
        import ray
    except ImportError as error:
        raise CannotJudge(
            f"--executor ray: {error.name} is not installed. Run pip install 'mt-gate[ray]'"
        ) from None
    return ray


def _join(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "configure_logging": False}
    if address:
        with _handler_restored():
            ray.init(address=address, **quiet)
        return
    # Ray's processes keep the environment they were started with, and other programs of this user
    # can read it there. So pass no secrets to them.
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(_allowed(before))
    try:
        with _handler_restored():
            ray.init(address="local", num_cpus=usable_cores(), include_dashboard=False, **quiet)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _allowed(environment: Mapping[str, str]) -> dict[str, str]:
    return allowed(environment, [name for name in environment if name.startswith("RAY_")])


@contextmanager
def _handler_restored() -> Iterator[None]:
    """Restore the handler of SIGTERM: Ray's handler would exit with a different code."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
