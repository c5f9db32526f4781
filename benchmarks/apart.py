"""What a command takes, measured apart: the peak of a process is at least that of who starts it.

So a small process starts the command, and tells what it took.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_STARTER = """
import json, os, subprocess, sys, time
start = time.perf_counter()
running = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(running.pid, 0)
told = {
    "code": os.waitstatus_to_exitcode(status),
    "seconds": time.perf_counter() - start,
    "computing": used.ru_utime + used.ru_stime,
    "memory": used.ru_maxrss << 10,
}
with open(sys.argv[1], "w") as file:
    json.dump(told, file)
"""


class Took(NamedTuple):
    """What a command took, with its children.

    Seconds, those of a processor, and the most bytes that one of them held; its exit code, and what
    it said.
    """

    code: int
    seconds: float
    computing: float
    memory: int
    said: str


def took(command: Sequence[str]) -> Took:
    """Run a command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        done = subprocess.run(
            [sys.executable, "-ISc", _STARTER, f"{told}", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "NO_COLOR": "1"},
            text=True,
            check=True,
        )
        return Took(**json.loads(told.read_text()), said=done.stdout)
