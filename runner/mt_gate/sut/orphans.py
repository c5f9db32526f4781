"""Processes that a program has started and left behind, in whatever session they are.

On Linux they become children of mt-gate when their own parent ends, and so are found. Other systems
have no such switch: there a program's process group is all that is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_LONGEST = 2.0
"""Seconds that processes are looked for: each that ends may leave others behind."""
_PAUSE = 0.01
"""Seconds between two looks."""


class _Process(NamedTuple):
    pid: int
    parent: int
    session: int
    started: int
    """Clock ticks since the machine's start."""


def adopt() -> None:
    """Have processes whose parent ends become children of this one, where the system can."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> set[int]:
    """Return the processes whose parent is this one; none where the system does not say."""
    return {one.pid for one in _processes() if one.parent == os.getpid()}


def started(pid: int) -> int:
    """Return when a process started, in clock ticks; 0 where the system does not say."""
    found = _read(str(pid))
    return found.started if found else 0


def end_orphans(since: int, spare: Collection[int]) -> None:
    """End the children of this process that it has not started itself, and all below them."""
    until = time.monotonic() + _LONGEST
    while since and (found := _orphans(since, spare)) and time.monotonic() < until:
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # it is below another
                os.waitpid(one.pid, os.WNOHANG)
        time.sleep(_PAUSE)


def _orphans(since: int, spare: Collection[int]) -> list[_Process]:
    """Return adopted children that started in time, and their descendants.

    A program starts in a session of its own, so none of its processes is in this one's.
    """
    processes = [*_processes()]
    own, session = os.getpid(), os.getsid(0)
    found = [
        one
        for one in processes
        if one.parent == own and one.session != session
        if one.started >= since and one.pid not in spare
    ]
    for one in found:  # grows meanwhile
        found += [below for below in processes if below.parent == one.pid]
    return found


def _processes() -> Iterator[_Process]:
    with contextlib.suppress(OSError):  # no /proc
        for name in os.listdir("/proc"):
            if name.isdigit() and (found := _read(name)):
                yield found


def _read(pid: str) -> _Process | None:
    try:
        text = Path("/proc", pid, "stat").read_text(errors="replace")
    except OSError:  # it has ended, or there is no /proc
        return None
    fields = text.rpartition(")")[2].split()  # a name may hold anything
    return _Process(int(pid), int(fields[1]), int(fields[3]), int(fields[19]))
