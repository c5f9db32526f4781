"""A process that has imported the command, and forks for each run of it.

It reads a request a line and answers with what became of the run: ``running.py`` is the other end.
Whatever a run does, it does to a process of its own: it may hang, take memory, be killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from hostile.running import CANARIES, PEAK

_SUBREAPER = 36
"""Of ``prctl``: processes whose parent ends become ours, so that none outlives its run."""
_SHARED = tuple(
    f"mt_gate.{name}"
    for name in (
        "commands", "gate", "github", "history", "reporting", "settings", "stored_results",
    )
)  # fmt: skip
"""Modules, and packages with all that is in them, which are imported once for all runs."""
_WITH_THREADS = {"onnxruntime", "torch"}
_OFTEN = 0.01
_GRACE = 1.0
"""Seconds in which the other end of what a run closed may end by itself, such as git's server."""
_OURS = Path("/proc/self/cmdline").read_bytes()
_SAFE_MEMORY, _SAFE_FILE = 8 << 30, 1 << 30
"""Bytes that a run, and a file that it writes, may never pass: for the sake of the machine."""


def main() -> None:
    _import_what_runs_import()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _import_what_runs_import() -> None:
    for name in _SHARED:
        package = import_module(name)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{name}."):
            import_module(module.name)
    assert not _WITH_THREADS & {*sys.modules}, "a process with threads is not to be forked"


def _run(request: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    process = os.fork()
    if not process:
        _become(request)
    result: set[str] = set()
    late = False
    while True:
        ended, status, usage = os.wait4(process, os.WNOHANG)
        if ended:
            break
        result |= {name for child in _below(process) if (name := _command_with_secret(child))}
        if time.monotonic() - started > request["seconds"]:
            late = True
            os.kill(process, signal.SIGKILL)
        time.sleep(_OFTEN)
    seconds = time.monotonic() - started
    left, peak = _end_what_is_left()
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": seconds,
        "peak": max(usage.ru_maxrss, peak) << 10,
        "late": late,
        "exposed": sorted(result),
        "left": left,
    }


def _become(request: dict[str, Any]) -> None:
    code = 1
    try:
        os.setsid()
        for number, name in ((0, os.devnull), (1, request["out"]), (2, request["err"])):
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(handle, number)
            os.close(handle)
        os.chdir(request["folder"])
        os.environ.update(request["environment"])
        for kind, most in (
            (resource.RLIMIT_AS, _SAFE_MEMORY),
            (resource.RLIMIT_FSIZE, _SAFE_FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
        code = _code(request["arguments"])
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _code(arguments: list[str]) -> int:
    from mt_gate.cli import exit_code

    try:
        sys.exit(exit_code(arguments))
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _below(process: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from _below(child)


def _command_with_secret(process: int) -> str:
    """Return the command line of a process that was exposed a secret, else nothing.

    One with our own command line has been forked, and is not yet what it is to be.
    """
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes()
        known = Path(f"/proc/{process}/environ").read_bytes()
        if words != _OURS and any(value.encode() in known for value in CANARIES.values()):
            return words.replace(b"\0", b" ").decode(errors="replace")[:200]
    return ""


def _end_what_is_left() -> tuple[int, int]:
    peak, end = 0, time.monotonic() + _GRACE
    while list(_below(os.getpid())) and time.monotonic() < end:
        with contextlib.suppress(ChildProcessError):
            peak = max(peak, os.wait4(-1, os.WNOHANG)[2].ru_maxrss)
        time.sleep(_OFTEN)
    left = list(_below(os.getpid()))
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            peak = max(peak, os.wait4(-1, 0)[2].ru_maxrss)
    return len(left), peak


if __name__ == "__main__":
    assert PEAK < _SAFE_MEMORY
    main()
