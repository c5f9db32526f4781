"""The process of a checkpoint that starts, and loads it, while the run reads its suite."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import NamedTuple

from mt_gate.sut import wire
from mt_gate.sut.card import is_exported
from mt_gate.sut.limits import Limits
from mt_gate.sut.process import Worker


class Load(NamedTuple):
    """What a process is to load, and what it may take for it; messages have the name."""

    request: wire.Open
    name: str
    limits: Limits


class _Ahead:
    """A process that was started ahead of its checkpoint, and may have been told which it is."""

    def __init__(self) -> None:
        self.worker = Worker("of the run")
        self._load: Load | None = None
        self._opened: Future[wire.Opened] | None = None

    def begin(self, load: Load) -> None:
        """Load a checkpoint while the run goes on; a thread holds the process to its limits."""
        if self._opened is not None or not self.worker.is_alive:
            return
        self._load = load
        self.worker.serve(load.name)
        threads = ThreadPoolExecutor(1)
        self._opened = threads.submit(self.worker.ask, load.request, wire.Opened, load.limits)
        threads.shutdown(wait=False)

    def is_for(self, load: Load) -> bool:
        """Say whether the process can load this, or does."""
        return self._load in (None, load) and (self.worker.is_alive or self._opened is not None)

    def opened(self, load: Load) -> wire.Opened:
        """Return what there is to say of the checkpoint once it is loaded."""
        if self._opened is not None:
            try:
                return self._opened.result()
            except BaseException:  # an interrupt, too, which the thread does not see
                self.end()
                raise
        self.worker.serve(load.name)
        return self.worker.ask(load.request, wire.Opened, load.limits)

    def end(self) -> None:
        """End the process, in the middle of loading where need be."""
        if self._opened is not None:
            self.worker.interrupt()
            wait([self._opened])
        self.worker.kill()


_ahead: list[_Ahead] = []
"""The process that was started ahead of its checkpoint, until that is opened: one at most."""


@contextmanager
def started_ahead(checkpoint: str) -> Iterator[bool]:
    """Start the process of the next checkpoint now; yield whether one waits.

    It imports what it needs, a third of a second, while the run reads its suite. None is started
    where one waits already, or where the checkpoint has to be exported first. It is ended where no
    checkpoint is opened.

    Args:
        checkpoint: as the user names it; empty for another system.
    """
    if _ahead or not checkpoint or not is_exported(checkpoint):
        yield bool(_ahead)
        return
    _ahead.append(_Ahead())
    try:
        yield True
    finally:
        while _ahead:
            _ahead.pop().end()


def load_ahead(load: Load) -> None:
    """Have the process that waits, if one does, load a checkpoint from now on."""
    for waiting in _ahead:
        waiting.begin(load)


def opened(load: Load) -> tuple[Worker, wire.Opened]:
    """Return the process of a checkpoint that is loaded: the one that was started ahead, or new.

    Raises:
        CannotJudge, UsageError: as the process says, or it broke a limit or ended.
    """
    if _ahead:
        waiting = _ahead[0]
        if waiting.is_for(load):
            told = waiting.opened(load)  # until then it is ``started_ahead``'s to end
            _ahead.clear()
            return waiting.worker, told
        _ahead.clear()
        waiting.end()
    worker = Worker(load.name)
    return worker, worker.ask(load.request, wire.Opened, load.limits)
