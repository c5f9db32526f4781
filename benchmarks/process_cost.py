"""Cost of a command, in a separate process: a peak is at least that of the process that starts it.

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
usage = {
    "code": os.waitstatus_to_exitcode(status),
    "seconds": time.perf_counter() - start,
    "computing": used.ru_utime + used.ru_stime,
    "memory": used.ru_maxrss << 10,
}
with open(sys.argv[1], "w") as file:
    json.dump(usage, file)
"""


class Took(NamedTuple):
    """Cost of a command, with its children.

    Seconds, those of a processor, and the most bytes that one of them used; its exit code and
    its output.
    """

    code: int
    seconds: float
    computing: float
    memory: int
    output: str


def took(command: Sequence[str]) -> Took:
    """Run a command to its end."""
    with tempfile.TemporaryDirectory() as folder:
        usage = Path(folder) / "usage.json"
        done = subprocess.run(
            [sys.executable, "-ISc", _STARTER, f"{usage}", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "NO_COLOR": "1"},
            text=True,
            check=True,
        )
        return Took(**json.loads(usage.read_text()), output=done.stdout)
