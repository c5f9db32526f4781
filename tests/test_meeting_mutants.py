"""What benchmarks/meeting_mutants.py says of mutants; here a variable tells tests what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec

import documents
from meeting_mutants import PLAN, Plan

TESTS = """
import os
import signal

def mutant(): return os.environ["MUTANT_UNDER_TEST"]
def test_long(): assert mutant() != "seen by the long one"
def test_short(): assert mutant() != "seen by both"
def test_last():
    assert mutant() != "seen by both"
    while mutant() == "endless": pass
    if mutant() == "a crash": os.kill(os.getpid(), signal.SIGSEGV)
    if mutant() == "an exit": raise SystemExit
"""


def test_a_mutant_is_killed_by_any_of_its_tests_and_lives_by_itself(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    long, short, last = (f"test_it.py::test_{name}" for name in ("long", "short", "last"))
    every = [long, short, last]
    expected = {
        "": (every, "survived"),
        "seen by both": (every, "killed"),
        "seen by the long one": (every, "killed"),
        "seen by the long one ": ([short, last], "survived"),
        "endless": ([last], "timeout"),
        "a crash": (every, "killed"),
        "an exit": (every, "killed"),
        "reached by none": ([], "no tests"),
        "noticed by none": (every, "survived"),
    }
    plan = Plan(
        tests={mutant: tests for mutant, (tests, _) in expected.items()},
        seconds={long: 0.04, short: 0.01, last: 0.02},
        states=str(tmp_path / "states"),
        spare=0.3,
    )
    (tmp_path / "plan").write_bytes(msgspec.json.encode(plan))
    path = os.pathsep.join(str(documents.ROOT / part) for part in ("benchmarks", "runner"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "meeting_mutants", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, PLAN: str(tmp_path / "plan")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    states = (tmp_path / "states").read_text("utf-8").splitlines()
    assert states == [f"{mutant}: {state}" for mutant, (_, state) in expected.items()]
