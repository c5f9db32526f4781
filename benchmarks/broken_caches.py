"""A cache whose bytes were changed, shared by four simultaneous runs: the verdict stays the same.

    python benchmarks/broken_caches.py [--rounds 6] [--seed 1] [--folder DIR]

Random bytes are changed in every file of a full cache: a few anywhere, the first page, or the file
cut off or filled with noise. Then four runs start at once, into folders of their own, with that one
cache. Each must come to the counts and the verdict that it comes to without a cache, and none may
print a traceback. A fifth run with what they left has to do so, too.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import forked_commands
from forked_commands import Command, shows_traceback
from mt_gate.results.store import RESULT, read_result
from small_runs import CODES, SmallRuns

AT_ONCE = 4


def flipped(data: bytes, rng: Random) -> bytes:
    """Change some bits anywhere."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 64)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def without_head(data: bytes, rng: Random) -> bytes:
    """Change the first page, where SQLite says what the file is."""
    most = min(len(data), 4096)
    return rng.randbytes(most) + data[most:]


def cut(data: bytes, rng: Random) -> bytes:
    """Cut it off anywhere."""
    return data[: rng.randrange(len(data))]


def noise(data: bytes, rng: Random) -> bytes:
    """Fill it with noise."""
    return rng.randbytes(len(data))


WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (flipped, without_head, cut, noise)


def broken(folder: Path, way: Callable[[bytes, Random], bytes], rng: Random) -> int:
    """Change every file in a folder that has bytes; return how many."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    for path in files:
        path.write_bytes(way(path.read_bytes(), rng))
    return len(files)


def at_once(runs: SmallRuns) -> list[str]:
    """Run several with one cache; return what each was wrong about, if anything."""
    outs = [runs.work / f"out-{number}" for number in range(AT_ONCE)]
    commands = [
        (out, Command(_into(runs, out), out.with_suffix(".log")))
        for out in outs
    ]  # fmt: skip
    return [_wrong(runs, out, command) for out, command in commands]


def _into(runs: SmallRuns, out: Path) -> list[object]:
    return [out if part == runs.out else part for part in runs.judged()]


def _wrong(runs: SmallRuns, out: Path, command: Command) -> str:
    ended = command.end()
    if ended.code not in CODES or shows_traceback(ended.output):
        return f"exit code {ended.code}: {ended.output[-1000:]}"
    try:
        runs.which(read_result(out / RESULT))
    except RuntimeError as error:
        return str(error)
    return ""


def rounds(runs: SmallRuns, number: int, rng: Random) -> Iterator[str]:
    """Yield the name of each way that a cache was broken, and how many files it had.

    Raises:
        RuntimeError: a run was not as it has to be.
    """
    for at in range(number):
        way = WAYS[at % len(WAYS)]
        shutil.rmtree(runs.work, ignore_errors=True)
        runs.restore(cache=True)
        files = broken(runs.cache, way, rng)
        if wrong := [found for found in at_once(runs) if found]:
            raise RuntimeError(f"{way.__name__}: {wrong[0]}")
        runs.whole(runs.judged())
        runs.which(read_result(runs.out / RESULT))
        yield f"{way.__name__}, {files} files"


def main() -> None:
    """Break caches, and print how many runs came to their verdict."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="[default: a temporary one]")
    options = parser.parse_args()
    forked_commands.prepare()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        runs = SmallRuns(Path(name) / "runs")
        found = Counter(rounds(runs, options.rounds, Random(options.seed)))
    for kind, times in sorted(found.items()):
        print(f"{kind}: {times} caches")
    total = found.total()
    print(f"all: {total} caches, {total * (AT_ONCE + 1)} runs, one verdict, no traceback")


if __name__ == "__main__":
    main()
