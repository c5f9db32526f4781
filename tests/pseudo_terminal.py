"""Run ``mt-gate`` on a terminal: a real one to the program."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import mt_gate

_ROOT = str(Path(mt_gate.__file__).parents[1])


def environment(**more: str) -> dict[str, str]:
    """Return this environment without what steers colours and widths."""
    steering = {"NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS", "LINES"}
    inherited = {name: value for name, value in os.environ.items() if name not in steering}
    path = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**inherited, "PYTHONPATH": path, "TERM": "xterm-256color", **more}


def on_terminal(
    *arguments: object, cwd: Path, columns: int = 80, stream: str = "both", **more: str
) -> tuple[int, str, str]:
    """Return exit code, what reached the terminal, and what reached a pipe.

    ``stream`` names what is the terminal: ``stdout``, ``stderr`` or ``both``; the other is
    the pipe. ``more`` are variables of the environment.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    piped = cwd / "piped"
    with piped.open("wb") as pipe:
        process = subprocess.Popen(
            [sys.executable, "-m", "mt_gate", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=theirs if stream in ("stdout", "both") else pipe,
            stderr=theirs if stream in ("stderr", "both") else pipe,
            cwd=cwd,
            env=environment(**more),
        )
    os.close(theirs)
    shown = _read_all(ours)
    return process.wait(), shown.replace("\r\n", "\n"), piped.read_text()


def _read_all(terminal: int) -> str:
    pieces = []
    try:
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(terminal)
    return b"".join(pieces).decode()
