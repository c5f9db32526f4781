"""Report an interrupt once and end the process with one exit code, wherever it occurs.

Python may raise KeyboardInterrupt at any point. During an import it becomes a SyntaxError. While a
namedtuple is created, it ends the process by the signal even if caught. A second interrupt would
prevent the report of the first. This module imports only modules that load fast, so that it works
from the start.
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
"""Seconds that an interrupted process has to end; after that, a second interrupt ends it."""
_MESSAGE = b"mt-gate: interrupted\n"

_came: float | None = None
"""Time of the first interrupt, by ``time.monotonic``; None before it."""
_code: int | None = None
_at_end = 0.0


def watch() -> None:
    """Handle SIGINT and SIGTERM from now on, unless the process ignores or handles them already.

    Cancelled jobs, evicted containers and preempted nodes get SIGTERM, so it is an interrupt, too.
    Without a handler, the first process of a container would ignore SIGTERM.
    """
    global _came, _code
    _came = _code = None
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    atexit.register(_end)  # registered before all others, so that it runs last


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
    """Exit with code 130 if interrupted; Python would end the process by the signal."""
    if came() and _code == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):  # it is closed, or has no reader
                continue
        os._exit(INTERRUPTED)
