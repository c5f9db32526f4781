"""A worker of a cluster, which opens the system once and runs one shard after another.

It does not depend on Ray. It returns records, never an exception: the files of a shard, or the
reason why there are none.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from mt_gate.base import escaping
from mt_gate.base.console import Failure, guarded
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import scratch
from mt_gate.baselines.schema import BaselineSource
from mt_gate.results.result import TOOL
from mt_gate.results.store import ANSWERS, SHARD
from mt_gate.running.predicting import Cache, Clock
from mt_gate.running.preparing import Prepared, prepare
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import Part, WatchedCache, answer_shard
from mt_gate.sut.processes import usable_cores
from mt_gate.sut.protocol import Prediction

T = TypeVar("T")


class Identity(NamedTuple):
    """Facts on the system that must be equal in the driver and the workers."""

    suite: str
    """Its sha256, of the sample that is run."""
    checkpoint: str
    fingerprint: str


class Files(NamedTuple):
    """The two files of a shard."""

    head: bytes
    answers: bytes

    def write(self, folder: Path) -> None:
        """Write them to a folder, which is made."""
        folder.mkdir(parents=True)
        (folder / ANSWERS).write_bytes(self.answers)
        (folder / SHARD).write_bytes(self.head)


def identity_of(prepared: Prepared) -> Identity:
    """Return what has to be alike of a run that is prepared."""
    head = prepared.system.head
    return Identity(prepared.suite.identity.sha256, head.name, head.fingerprint)


class Worker:
    """Answers shards of one run."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._prepared: Prepared | None = None
        self._cache: ArrivingCache | None = None

    def started(self) -> str:
        """Return the version of mt-gate here."""
        return TOOL.version

    def open(self, settings: bytes) -> Identity | Failure:
        """Open the run that pickled settings name."""
        return guarded(lambda: self._open(pickle.loads(settings)))

    def _open(self, settings: Settings) -> Identity:
        escaping.watch(os.environ)
        if settings.threads == usable_cores():
            # As a run on this machine: with a number of threads set, the cache is separate.
            settings = replace(settings, threads=None)
        prepared = prepare(settings, lambda _: None, Clock(), BaselineSource())
        system = self._opened.enter_context(closing(prepared.system))
        cache = ArrivingCache(prepared.cache, system.cache_key)
        self._cache = self._opened.enter_context(closing(cache))
        self._prepared = prepared
        return identity_of(prepared)

    def ask(self, number: int, of: int) -> Files | Failure:
        """Run a shard; a request for the next one confirms this one."""
        return guarded(lambda: self._ask(Part(number, of)))

    def _ask(self, part: Part) -> Files:
        if self._prepared is None or self._cache is None:
            raise CannotJudge("The worker got inputs before it was opened. Run again.")
        self._cache.arrived()
        with scratch() as folder:
            answer_shard(self._prepared, part, self._cache, folder, lambda *_: None)
            return Files((folder / SHARD).read_bytes(), (folder / ANSWERS).read_bytes())

    def close(self) -> None:
        """Keep the predictions, which have arrived, and close the system."""
        if self._cache is not None:
            self._cache.arrived()
        self._opened.close()


class ArrivingCache(WatchedCache):
    """A cache that keeps answers once the driver has them.

    A shard that is lost on its way is run again. Were its answers kept before, they would count
    as known to the cache before the run, which they would not in one whole run.
    """

    def __init__(self, folder: Path, system: str) -> None:
        super().__init__(folder, system)
        self._waiting: dict[bytes, Prediction] = {}

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """Return what is known of ``keys``."""
        known = super().get(keys)
        return known | {key: self._waiting[key] for key in keys if key in self._waiting}

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Hold predictions until they have arrived."""
        pending = dict(items)
        self.predicted.update(pending)
        self._waiting.update(pending)

    def arrived(self) -> None:
        """Store all pending predictions; later inputs find them in the cache."""
        Cache.put(self, self._waiting.items())
        self._waiting = {}
        self.predicted = set()
