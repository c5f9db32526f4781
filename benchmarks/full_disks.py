"""A disk that fills up while mt-gate writes: what is left is whole, and one line says what failed.

    python benchmarks/full_disks.py [--steps 8] [--folder DIR]

Each command of ``random_kills.py`` but export writes where there is room for ever more of what it
needs: from nothing on, in ``--steps`` steps. As root, in a tmpfs of that size that everything it
writes lies on, cache included; and by a limit on the size of a file (RLIMIT_FSIZE), which needs no
rights: every file is cut off there. Then there is room, and the same command must succeed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import forked_commands
from forked_commands import Ended, done, shows_traceback
from random_kills import Story, stories
from small_runs import CODES, REFUSED, SmallRuns

Room = Callable[[SmallRuns, Story, int], Ended]
LARGEST = 96 << 10
"""Bytes of the largest file that a small run writes, and some more."""
NEEDED = 512 << 10
"""Bytes of all of them, old ones and temporary ones included."""
DISK = 4 * NEEDED


def limited(runs: SmallRuns, story: Story, most: int) -> Ended:
    """Run a command that writes no file of more than so many bytes."""
    return done(story.command(), runs.log, file_size=max(most, 1))


def on_small_disk(runs: SmallRuns, story: Story, most: int) -> Ended:
    """Run a command with so many bytes of room on the disk, in addition to its files."""
    filler = runs.work / "filler"
    free = os.statvfs(runs.work).f_bavail * os.statvfs(runs.work).f_frsize
    filler.write_bytes(bytes(max(free - most, 0)))
    try:
        return done(story.command(), runs.log)
    finally:
        filler.unlink()


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """Mount a tmpfs of so many bytes on a folder.

    Raises:
        PermissionError: this user may not.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode:
        raise PermissionError(mounted.stderr.decode(errors="replace").strip())
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def tried(runs: SmallRuns, story: Story, room: Room, most: int) -> str:
    """Run a command with too little room, look, and run it again with enough.

    Returns:
        How it ended, and what was seen of what it writes to.

    Raises:
        RuntimeError: something is not as it has to be.
    """
    story.restore()
    ended = room(runs, story, most)
    if ended.code not in (*CODES, *REFUSED) or shows_traceback(ended.output):
        raise RuntimeError(f"{most} bytes: exit code {ended.code}: {ended.output[-2000:]}")
    if ended.code in REFUSED and not ended.output.strip():
        raise RuntimeError(f"{most} bytes: exit code {ended.code}, and not a word")
    seen = story.seen()
    if ended.code in CODES and seen != "new":
        raise RuntimeError(f"{most} bytes: exit code {ended.code}, yet what was written is {seen}")
    runs.whole(story.command())
    if story.seen() != "new" or runs.left():
        raise RuntimeError(f"{most} bytes: not whole with room again: {runs.left()}")
    return f"exit {ended.code}, {seen}"


def report(
    runs: SmallRuns, planned: dict[str, Story], room: Room, sizes: Sequence[int]
) -> Iterator[str]:
    """Yield a line for each command: how often it ended how."""
    for name, story in planned.items():
        seen = Counter(tried(runs, story, room, most) for most in sizes)
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(seen.items()))
        yield f"{name}: {seen.total()} sizes: {kinds}"


def sizes(largest: int, steps: int) -> list[int]:
    """Return sizes from 0 to ``largest``."""
    return [largest * step // max(steps - 1, 1) for step in range(steps)]


def main() -> None:
    """Fill disks, and print how commands ended."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--folder", type=Path, help="[default: a temporary one]")
    options = parser.parse_args()
    forked_commands.prepare()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        runs = SmallRuns(Path(name) / "runs")
        planned = stories(runs)
        print("files of limited size", flush=True)
        for line in report(runs, planned, limited, sizes(LARGEST, options.steps)):
            print(f"  {line}", flush=True)
        print("a tmpfs", flush=True)
        shutil.rmtree(runs.work)
        try:
            with small_disk(runs.work, DISK):
                for line in report(runs, planned, on_small_disk, sizes(NEEDED, options.steps)):
                    print(f"  {line}", flush=True)
        except PermissionError as error:
            print(f"  not tried: {error}")


if __name__ == "__main__":
    main()
