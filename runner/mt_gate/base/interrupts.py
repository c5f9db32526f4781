"""Report an interrupt once and end the process with one exit code, wherever it occurs.

Python raises it at any point. During an import it becomes a SyntaxError, while a namedtuple is
created it ends the process by the signal even if caught, and a second one would prevent the report
of the first. This module imports only what loads fast, so that it works from the first line on.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from types import FrameType

INTERRUPTED = 130
PATIENCE = 2.0
"""Seconds that an interrupted process has to end; one that takes longer is ended by the next."""
_MESSAGE = b"mt-gate: interrupted\n"

_came: float | None = None
"""When the first one came, by the clock that never goes back."""
_code: int | None = None
_at_end = 0.0


def watch() -> None:
    """Take interrupts from now on, unless the process is to pay no heed to them.

    Who cancels a job, evicts a container or preempts a node sends SIGTERM: it is one, too. As a
    container's first process there would even be no heed paid to it.
    """
    global _came, _code
    _came = _code = None
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    atexit.register(_end)  # before all others, so that it comes after them


def came() -> bool:
    """Return whether the process was interrupted."""
    return _came is not None


def ended(code: int) -> None:
    """Record the exit code; from now on no interrupt changes it."""
    global _code, _at_end
    _code, _at_end = code, time.monotonic()


def _interrupt(_: int, __: FrameType | None) -> None:
    global _came
    now = time.monotonic()
    if _code is not None:
        if now - _at_end > PATIENCE:
            os._exit(_code)
    elif _came is None:
        _came = now
        raise KeyboardInterrupt
    elif now - _came > PATIENCE:
        os.write(2, _MESSAGE)
        os._exit(INTERRUPTED)


def _end() -> None:
    """End with the exit code; Python would end by the signal."""
    if came() and _code == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):  # it is closed, or has no reader
                continue
        os._exit(INTERRUPTED)
