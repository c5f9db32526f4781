"""Running the command against what a stranger made, and what must hold whatever that was."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

CANARIES = {
    name: f"canary-{number}-7c1f0e5b9a3d"
    for number, name in enumerate(
        (
            "GITHUB_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AZURE_LANGUAGE_KEY",
            "SOME_API_KEY",
            "THE_SECRET_OF_THE_JOB",
            "INPUT_GITHUB-TOKEN",
        )
    )
}
"""Secrets that stand in the environment of every run, and nowhere else."""
TIMEOUT, MEMORY = 4, 2
"""Seconds and GiB that a checkpoint is given."""
_HANGS_AFTER = 60
"""Seconds after which a run is killed and fails: far more than any takes on a machine that is busy.

The report of the tests says how long each took (``conftest.py``); it is not asserted, since a
busy machine takes three times as long for importing what an export needs.
"""
PEAK = (MEMORY << 30) + (512 << 20)
"""Bytes that no process of a run may pass: a checkpoint's limit, and a run's own."""
_VERDICTS = {0: r"^(PASS|IMPROVED|MEASURED|INCONCLUSIVE): ", 1: r"^(REGRESSION|COLLAPSE): "}
_SAID = "mt-gate: Exporting "
"""What a run says before it does what takes long."""
_CANNOT = r"(?m)^CANNOT JUDGE: "
TRACES = ("unpickled", "ran")
"""Files that programs of a stranger leave, where they are run."""
_REPORTS = {"result.json", "groups.jsonl.gz", "junit.xml", "report.html", "summary.md"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)
_CRASH = re.compile(r"Traceback|panicked at|Segmentation|terminate called|core dumped")
_OURS = re.compile(r"::(error|warning|notice) title=mt-gate ")


@dataclass(frozen=True)
class Case:
    """An input of a stranger, the command that reads it, and how that must end.

    ``make`` puts things into the ground and returns the command's arguments. ``codes`` are those
    allowed: more than one only where both are right. ``line`` is looked for in the one line of a
    refusal (codes 2 and 3), ``shown`` in what is printed otherwise: by default a verdict.
    """

    id: str
    make: Callable[[Ground], list[str]]
    line: str
    codes: tuple[int, ...] = (3,)
    shown: str = ""


@dataclass
class Ground:
    folder: Path
    good: Path
    runner: Runner
    environment: dict[str, str] = field(default_factory=dict)
    repository: Path | None = None
    """Where the run is started instead, if anywhere."""
    in_workflow: bool = False

    def take(self, name: str, to: str = "") -> Path:
        target = self.folder / (to or name)
        subprocess.run(["cp", "-r", str(self.good / name), str(target)], check=True)
        return target

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def run(self, arguments: list[str]) -> Outcome:
        return self.runner.run(arguments, self)

    def edit(self, name: str, change: Callable[[dict], object]) -> Path:
        path = self.folder / name
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))
        return path


class Outcome(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float
    peak: int
    late: bool
    exposed: list[str]
    left: int

    @property
    def last(self) -> str:
        return (self.err.strip().splitlines() or [""])[-1]


class Runner:
    def __init__(self, folder: Path) -> None:
        root = Path(__file__).parents[2]
        (folder / "home").mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hostile.forked"],
            # The secrets stand there from the start, so that /proc/self/environ has them.
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder / "home"),
                "PYTHONPATH": os.pathsep.join(str(root / name) for name in ("runner", "tests")),
                "LC_ALL": "C.UTF-8",
                "NO_COLOR": "1",
                "HF_HUB_OFFLINE": "1",
                "GITHUB_ACTIONS": "true",
                **CANARIES,
            },
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, arguments: list[str], ground: Ground) -> Outcome:
        folder = ground.folder
        (folder / "tmp").mkdir(exist_ok=True)
        request = {
            "arguments": arguments,
            "folder": str(ground.repository or folder),
            "environment": {
                "XDG_CACHE_HOME": str(folder / "cache"),
                "TMPDIR": str(folder / "tmp"),
                **ground.environment,
            },
            "out": str(folder / "stdout"),
            "err": str(folder / "stderr"),
            "seconds": _HANGS_AFTER,
        }
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(request), file=self._process.stdin, flush=True)
        result = json.loads(self._process.stdout.readline())
        out, err = ((folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return Outcome(out=out, err=err, **result)

    def close(self) -> None:
        self._process.communicate(timeout=30)


def check(case: Case, ground: Ground, outcome: Outcome, before: set[Path]) -> None:
    message = outcome.out + outcome.err
    assert not outcome.late, f"killed after {_HANGS_AFTER} s: {message[-500:]}"
    assert outcome.code in case.codes, f"exit code {outcome.code}: {message[-600:]}"
    assert not _CRASH.search(message), message[-1500:]
    refused = outcome.code in (2, 3)
    if refused and (outcome.err or not re.search(_CANNOT, outcome.out)):
        _check_refusal(case, ground, outcome)
    elif not refused:
        shown = case.shown or _VERDICTS[outcome.code]
        assert re.search(shown, outcome.out, re.MULTILINE), outcome.out[-1500:]
    _check_streams(outcome, ground.in_workflow)
    _check_files(ground, outcome, before)
    check_canaries(ground.folder, message)
    assert not outcome.exposed, f"children that got a secret: {outcome.exposed}"
    assert not outcome.left, f"{outcome.left} processes outlived the run"
    assert outcome.peak < PEAK, f"{outcome.peak >> 20} MiB: {outcome.last}"


def _check_refusal(case: Case, ground: Ground, outcome: Outcome) -> None:
    lines = [line for line in outcome.err.splitlines() if not line.startswith(_SAID)]
    assert len(lines) == 1, lines
    assert re.fullmatch("mt-gate: .{1,1500}", lines[0]), lines[0]
    assert re.search(case.line, lines[0], re.IGNORECASE), f"expected {case.line!r}: {lines[0]}"
    if ground.in_workflow:
        assert outcome.out.startswith("::error title=mt-gate "), outcome.out
        verdict = Path(ground.environment["GITHUB_OUTPUT"])
        assert not verdict.is_file() or "cannot-judge" in verdict.read_text()
    else:
        assert outcome.out == ""


def _check_streams(outcome: Outcome, in_workflow: bool) -> None:
    for text in (outcome.out, outcome.err):
        assert not _CONTROL.search(text), ascii(_CONTROL.search(text))
        for line in text.splitlines():
            ours = in_workflow and _OURS.match(line)
            assert ours or not _COMMAND.match(line), line


def _check_files(ground: Ground, outcome: Outcome, before: set[Path]) -> None:
    new = files(ground.folder) - before
    strays = {path for path in new if path.name.startswith(".") or path.parts[0] == "tmp"}
    assert not strays, strays
    reports = {path for path in new if path.name in _REPORTS}
    if ground.in_workflow:  # a page says why there is no result
        reports = {path for path in reports if path.name != "report.html"}
    assert not (reports and outcome.code in (2, 3) and outcome.err), reports
    assert not {path for path in new if path.name in TRACES}, "a stranger's program was run"


def files(folder: Path) -> set[Path]:
    result = set()
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        place = Path(at).relative_to(folder)
        result |= {place / name for name in names if name not in ("stdout", "stderr")}
    return result


def check_canaries(folder: Path, *texts: str) -> None:
    for text in texts:
        assert not _secrets_in(text.encode()), _secrets_in(text.encode())
    for path in _regular(folder):
        data = path.read_bytes()
        assert not _secrets_in(data), (path, _secrets_in(data))
        if data[:2] == b"\x1f\x8b" and len(data) < 1 << 20:
            assert not _secrets_in(_unpacked(data)), path


def _secrets_in(data: bytes) -> list[str]:
    return [name for name, value in CANARIES.items() if value.encode() in data]


def _regular(folder: Path) -> Iterator[Path]:
    for name in files(folder):
        path = folder / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 64 << 20:
            yield path


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data, 64 << 20)
    except (zlib.error, gzip.BadGzipFile):
        return b""


def limits(command: str = "run") -> list[str]:
    from command_line import command_of, option_names

    known = option_names(command_of([command])[0])
    wanted: Mapping[str, object] = {"--timeout": TIMEOUT, "--max-memory": MEMORY}
    return [str(part) for pair in wanted.items() if pair[0] in known for part in pair]


def gate(ground: Ground, *flags: str, **named: str) -> list[str]:
    values = {"task": "ner", "checkpoint": "checkpoint", "suite": "suite", "out": "out", **named}
    values |= {"device": "cpu"}
    for name in ("checkpoint", "suite"):
        if values[name] == name and not os.path.lexists(ground.folder / name):
            ground.take(name)
    pairs = [part for key, value in values.items() for part in (f"--{key}", value)]
    return ["run", *pairs, *limits(), *flags]
