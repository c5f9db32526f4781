"""Runs in a container that may do nothing but read its inputs and write one folder.

    python benchmarks/locked_down.py docker|podman IMAGE [--sources 40]

Root file system read-only, no network, no capabilities, no new privileges; as root and as another
user. A checkpoint of the demo is run, recorded as a baseline, and its candidate is judged by it;
then what cannot work there must be refused in one line. IMAGE is target ``run`` of the Dockerfile.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from forked_commands import shows_traceback
from mt_gate.demo import CHECKPOINTS

LOCKED = (
    "--read-only", "--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
    "--tmpfs", "/dev/shm:size=64k",
)  # fmt: skip
NO_TMP = {"podman": ("--read-only-tmpfs=false",)}
"""Engines that would give a read-only container folders to write to, and how they do not."""
NOBODY = "65534:65534"
SOURCES = 40
"""Sources from the suite; with fewer, too few cases are testable."""
IN, OUT = "/in", "/out"


class Case(NamedTuple):
    """A command, where it is started, and the exit codes that are right for it."""

    name: str
    arguments: Sequence[str]
    codes: tuple[int, ...]
    folder: str = OUT


def cases(sources: int) -> list[Case]:
    """Return the commands, in an order in which each finds what it needs."""
    run = ("run", "--task", "ner", "--sources", str(sources), "--device", "cpu")
    baseline = f"{OUT}/baselines/ner.json"
    candidate = ("--checkpoint", f"{IN}/ner-candidate")
    cached = ("--out", f"{OUT}/again", "--cache", f"{OUT}/cache")
    record = ("baseline", "record", f"{OUT}/base", "--name", "ner", "--dir", f"{OUT}/baselines")
    return [
        Case("a run", (*run, "--checkpoint", f"{IN}/ner-baseline", "--out", f"{OUT}/base"), (0,)),
        Case("its baseline", record, (0,)),
        Case(
            "a run judged by it",
            (*run, *candidate, "--baseline", baseline, "--out", f"{OUT}/judged"),
            (0, 1),
        ),
        Case(
            "with a cache, started elsewhere",
            (*run, *candidate, "--baseline", baseline, *cached),
            (0, 1),
            "/",
        ),
        Case("reports where nothing can be written", (*run, *candidate, "--out", "/x"), (2,), "/"),
        Case("a baseline where nothing can be written", (*record[:-1], "/x"), (2,)),
        Case("a demo without its checkpoints", ("demo", "--out", f"{OUT}/demo"), (2,)),
    ]


class Outcome(NamedTuple):
    """What became of a command: its exit code, and what it printed."""

    case: Case
    code: int
    output: str

    @property
    def is_wrong(self) -> bool:
        """Whether it is not what it has to be."""
        return self.code not in self.case.codes or shows_traceback(self.output)


def outcomes(
    engine: str, image: str, user: str, sources: int, more: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Outcome]:
    """Yield the outcome of each command.

    Args:
        engine: ``docker`` or ``podman``.
        image: of target ``run``.
        user: of the container, in the engine's form; empty for the image's own, root.
        sources: of the suite.
        more: environment of the engine.
    """
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        out.chmod(0o777)
        mounts = ("--volume", f"{CHECKPOINTS}:{IN}:ro", "--volume", f"{out}:{OUT}")
        locked = (*LOCKED, *NO_TMP.get(engine, ()), *mounts, *(("--user", user) if user else ()))
        for case in cases(sources):
            command = [engine, "run", "--rm", *locked, "--workdir", case.folder, image]
            done = subprocess.run(
                [*command, *case.arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env={**os.environ, **more},
            )
            yield Outcome(case, done.returncode, done.stdout)


def main() -> None:
    """Run all commands as two users, and print the outcomes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("engine", choices=["docker", "podman"])
    parser.add_argument("image")
    parser.add_argument("--sources", type=int, default=SOURCES, help="of the suite")
    options = parser.parse_args()
    wrong = []
    for user in ("", NOBODY):
        for found in outcomes(options.engine, options.image, user, options.sources):
            case, code, output = found
            last = (output.strip().splitlines() or [""])[-1]
            print(f"{user or 'root'}: {case.name}: exit {code}: {last[:150]}", flush=True)
            if found.is_wrong:
                wrong.append(f"{case.name} as {user or 'root'}: {output[-1500:]}")
    raise SystemExit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
