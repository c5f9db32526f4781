"""How long each phase of a run takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mt_gate.results.result import Timing


class Clock:
    """Adds up the seconds of each phase; a phase within another stops the outer one."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        """Start; ``now`` returns seconds since whenever."""
        self._now = now
        self._seconds: dict[str, float] = {}
        self._start = self._now()
        self._inner = 0.0
        """Seconds of the phases within the one that runs."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time the block takes to phase ``name``, less that of phases within it."""
        start, around = self._now(), self._inner
        self._inner = 0.0
        try:
            yield
        finally:
            taken = self._now() - start
            self._seconds[name] = self._seconds.get(name, 0.0) + taken - self._inner
            self._inner = around + taken

    def timing(self) -> Timing:
        """Return the phases, rounded to milliseconds, with the time since the start."""
        phases = {name: round(seconds, 3) for name, seconds in self._seconds.items()}
        return Timing(**phases, total=round(self._now() - self._start, 3))
