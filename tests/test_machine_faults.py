"""A small share of what ``make faults`` does by the hundred (benchmarks/results/reliability.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import documents

SCRIPTS = documents.ROOT / "benchmarks"


def printed(script: str, *arguments: str) -> list[str]:
    """Run a script to its end in a process of its own: it forks, and this one has threads."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / script, *arguments],
        env={**os.environ, "PYTHONPATH": str(documents.ROOT / "runner")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_kills_at_random_moments_leave_whole_files(tmp_path: Path) -> None:
    *each, last = printed("random_kills.py", "--kills", "8", "--folder", str(tmp_path))
    assert last == "all: 8 kills, nothing half written"
    assert [line.partition(":")[0] for line in each] == [
        "run, cache empty",
        "run, cache full",
        "merge",
        "baseline record",
    ]


def test_a_full_disk_leaves_whole_files(tmp_path: Path) -> None:
    lines = printed("full_disks.py", "--steps", "2", "--folder", str(tmp_path))
    of_files = [line for line in lines if "sizes: " in line][:4]
    assert all("exit 0, new" in line for line in of_files)
    assert all(" exit 3, old" in line or " exit 2, old" in line for line in of_files)


def test_broken_caches_change_no_verdict(tmp_path: Path) -> None:
    *_, last = printed("broken_caches.py", "--rounds", "2", "--folder", str(tmp_path))
    assert last == "all: 2 caches, 10 runs, one verdict, no traceback"
