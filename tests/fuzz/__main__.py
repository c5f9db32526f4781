"""Fuzz every reader, one after another, and keep what was found.

    python -m fuzz [--executions 1000000] [--seconds 3600] [--target NAME]... [--out mt-gate-fuzz]

Each target gets an equal share. Inputs are led by what they reach (Atheris, which ``make fuzz``
installs); with --unguided chance chooses, which needs nothing and tries more a second. OUT/corpus
keeps what reached something new, for the next time; OUT/faults has an input of each fault, and
what it was. A fault ends with exit code 1, and so does a target whose process was ended.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HANG = 30
"""Seconds that a single input may take: of wall time, on a machine that does other things too."""
MEMORY = 4096
"""MiB that the process may have."""
LONGEST = 1 << 16
"""Bytes of an input."""
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


class Share(NamedTuple):
    executions: int
    seconds: int
    seed: int


class Outcome(NamedTuple):
    executions: int
    faults: list[str]


def guided(name: str, share: Share, out: Path) -> Outcome:
    from fuzz import guided
    from fuzz.table import TARGETS

    seeds, corpus, faults = (out / kind / name for kind in ("seeds", "corpus", "faults"))
    for folder in (seeds, corpus, faults):
        folder.mkdir(parents=True, exist_ok=True)
    for known, data in TARGETS[name].seeds().items():
        (seeds / known).write_bytes(data)
    log = out / f"{name}.log"
    folders = [str(corpus), str(seeds)]
    code = guided.fuzz(name, faults, [*_options(share, faults), *folders], log)
    executed = _EXECUTED.search(log.read_text(encoding="utf-8", errors="replace"))
    result = _list_faults(faults)
    if code or executed is None:
        result.append(f"ended with exit code {code}, see {log}")
    return Outcome(int(executed[1]) if executed else 0, result)


def _options(share: Share, faults: Path) -> list[str]:
    return [
        f"-runs={share.executions}",
        f"-max_total_time={share.seconds}",
        f"-seed={share.seed}",
        f"-timeout={HANG}",
        f"-report_slow_units={HANG}",
        f"-rss_limit_mb={MEMORY}",
        f"-max_len={LONGEST}",
        f"-artifact_prefix={faults}/",
        "-len_control=0",
        "-print_final_stats=1",
        "-verbosity=0",
    ]


def unguided(name: str, share: Share, out: Path) -> Outcome:
    from fuzz import unguided

    faults = out / "faults" / name
    faults.mkdir(parents=True, exist_ok=True)
    unguided.bound_memory(MEMORY)
    done = unguided.fuzz(name, faults, *share)
    return Outcome(done, _list_faults(faults))


def _list_faults(faults: Path) -> list[str]:
    return sorted(path.name for path in faults.iterdir() if path.suffix != ".txt")


def main() -> None:
    arguments = _arguments()
    each, seconds = (
        -(-most // len(arguments.target)) for most in (arguments.executions, arguments.seconds)
    )
    share = Share(each, seconds, arguments.seed)
    work: Callable[[str, Share, Path], Outcome] = unguided if arguments.unguided else guided
    total, faults = 0, 0
    for name in arguments.target:
        started = time.monotonic()
        done = work(name, share, arguments.out)
        seconds = time.monotonic() - started
        message = ", ".join(done.faults) or "none"
        total, faults = total + done.executions, faults + len(done.faults)
        print(f"{name}: {done.executions:,} in {seconds:,.0f} s, faults: {message}", flush=True)
    print(f"{len(arguments.target)} targets: {total:,} executions, faults: {faults or 'none'}")
    sys.exit(bool(faults))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--executions", type=int, default=1_000_000, help="in total")
    parser.add_argument("--seconds", type=int, default=0, help="in total; 0: as long as it takes")
    parser.add_argument("--target", action="append", metavar="NAME", help="only these")
    parser.add_argument("--unguided", action="store_true", help="by chance, without Atheris")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("mt-gate-fuzz"))
    arguments = parser.parse_args()
    if not arguments.unguided:
        import fuzz.guided  # noqa: F401 - before the table: what is imported under it is led
    from fuzz.table import TARGETS

    arguments.target = arguments.target or [*TARGETS]
    if unknown := {*arguments.target} - {*TARGETS}:
        parser.error(f"no target {', '.join(sorted(unknown))}; known: {', '.join(TARGETS)}")
    return arguments


if __name__ == "__main__":
    main()
