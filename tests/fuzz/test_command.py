from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import documents
from fuzz.table import TARGETS

FOLDERS = ("runner", "tests", "benchmarks")


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(documents.ROOT / name) for name in FOLDERS)
    return subprocess.run(
        [sys.executable, "-m", "fuzz", "--unguided", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_requested_targets_run(tmp_path: Path) -> None:
    words = ("--executions", "101", "--target", "ontology", "--target", "policy")
    done = fuzz(*words, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    *each, last = done.stdout.splitlines()
    assert [re.sub(r"in [\d,]+ s", "in N s", line) for line in each] == [
        "ontology: 51 in N s, faults: none",
        "policy: 51 in N s, faults: none",
    ]
    assert last == "2 targets: 102 executions, faults: none"


def test_a_stored_fault_fails(tmp_path: Path) -> None:
    (tmp_path / "faults" / "policy").mkdir(parents=True)
    (tmp_path / "faults" / "policy" / "abc").write_bytes(b"x")
    done = fuzz("--executions", "10", "--target", "policy", "--out", str(tmp_path))
    assert done.returncode == 1
    assert "faults: abc" in done.stdout


def test_an_unknown_target_is_refused() -> None:
    done = fuzz("--target", "nothing")
    assert done.returncode == 2
    assert "no target nothing; known: suite, " in done.stderr


def test_every_target_has_its_row_on_the_page_of_what_is_fuzzed() -> None:
    page = (documents.ROOT / "benchmarks" / "results" / "reliability.md").read_text(
        encoding="utf-8"
    )
    assert re.findall(r"^\| `([^`]+)` \| .* \|$", page, re.MULTILINE) == [*TARGETS]
