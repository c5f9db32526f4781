"""How soon each surface says what happened: lines and words before anything else.

    python benchmarks/first_screens.py [--demo mt-gate-demo]

Runs on the folder that ``make demo`` wrote. For each task it takes the candidate's run, and the
baseline's run compared with itself (a pass); further, a run with a pinned case that is not in it
(inconclusive), and a run against the baseline of another task (cannot judge).
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WIDTHS = (100, 80)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m|\r")


def run(arguments: Sequence[str], columns: int) -> list[str]:
    """Return the lines that a command prints on a terminal of so many columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    command = [sys.executable, "-m", "mt_gate", *arguments]
    with subprocess.Popen(command, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        process.wait()
    os.close(leader)
    text = _ESCAPES.sub("", b"".join(parts).decode("utf-8"))
    return [
        line[start : start + columns]
        for line in text.splitlines()
        for start in range(0, max(len(line), 1), columns)
    ]


def words(lines: Sequence[str]) -> int:
    """Return the number of words in lines."""
    return sum(len(line.split()) for line in lines)


def above_the_fold(result: Path) -> list[str]:
    """Return the lines of a comment before its fold, blank ones left out."""
    command = [sys.executable, "-m", "mt_gate", "report", str(result), "--format", "markdown"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line for line in text.partition("<details>")[0].splitlines() if line]


def situations(demo: Path) -> dict[str, tuple[list[str], Path | None]]:
    """Return the arguments of each run, and the result whose comment is counted."""
    found: dict[str, tuple[list[str], Path | None]] = {}
    tasks = sorted(path.name for path in demo.iterdir() if (path / "baseline.json").is_file())
    for task in tasks:
        folder = demo / task
        baseline = ["--baseline", str(folder / "baseline.json")]
        candidate = folder / "candidate"
        found[f"{task}, regression"] = ["compare", str(candidate), *baseline], candidate
        found[f"{task}, pass"] = ["compare", str(folder / "baseline"), *baseline], None
    first, other = tasks[0], tasks[1]
    old = str(demo / first / "baseline")
    against = ["--baseline", str(demo / first / "baseline.json")]
    found[f"{first}, inconclusive"] = ["compare", old, *against, "--must-hold", "absent"], None
    wrong = ["--baseline", str(demo / other / "baseline.json")]
    found[f"{first}, cannot judge"] = ["compare", old, *wrong], None
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", type=Path, default=Path("mt-gate-demo"))
    demo = parser.parse_args().demo
    print("| run | lines at 100 | at 80 | words | verdict in line | comment, lines |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (arguments, result) in situations(demo).items():
        wide, narrow = (run(arguments, columns) for columns in WIDTHS)
        verdict = next(n for n, line in enumerate(wide, 1) if re.search("[A-Z]{4,}", line))
        comment = str(len(above_the_fold(result))) if result else ""
        cells = (name, len(wide), len(narrow), words(wide), verdict, comment)
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
