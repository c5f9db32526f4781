"""Progress of a run: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

EVERY = 15.0
"""Seconds between two lines where there is no terminal."""
_DUMB = ("dumb", "unknown")


class Progress:
    """Callable with inputs done and inputs to do of a round; use as a context manager."""

    def __init__(
        self, doing: str = "predicting", done: str = "predicted", *, shown: bool = True
    ) -> None:
        """Nothing is shown before the first call; ``doing`` and ``done`` name the work."""
        self._doing, self._done, self._shown = doing, done, shown
        self._bar: Bar | None = None
        self._began = self._said = time.monotonic()
        self._first = 0
        self._draws: bool | None = None

    def __enter__(self) -> Progress:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show how far a round is, and about how long the rest takes."""
        if not self._shown:
            return
        if done <= self._first:  # a new round; inputs that were cached take no time
            self._first, self._began = done, time.monotonic()
        if self._draws is None:  # decided once: a run has as many batches as a command answers
            self._draws = sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in _DUMB
        if self._draws:
            if self._bar is None:
                from rich.console import Console
                from rich.progress import Progress as Bar

                self._bar = Bar(console=Console(stderr=True), transient=True)
                self._bar.start()
                self._bar.add_task(self._doing)
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)
            if done >= total:
                self._bar.stop()
                self._bar = None
        elif done > self._first and time.monotonic() - self._said > EVERY:
            now = self._said = time.monotonic()
            left = (now - self._began) / max(done - self._first, 1) * (total - done)
            line = f"mt-gate: {self._done} {done} of {total}, about {left:.0f} s left"
            print(line, file=sys.stderr, flush=True)
