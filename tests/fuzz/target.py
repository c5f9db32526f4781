"""A reader under attack: its inputs, its seeds, and how it may refuse."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import MtGateError

ROOT = Path(__file__).parents[2]


class Target(NamedTuple):
    """A reader.

    Args:
        read: reads one input to its end, and raises what the reader raises.
        seeds: inputs to start from, by name: real files, as far as there are some.
        refusals: what it may raise next to the errors of mt-gate, since its callers answer that.
    """

    read: Callable[[bytes], object]
    seeds: Callable[[], Mapping[str, bytes]]
    refusals: tuple[type[BaseException], ...] = ()


class Fault(NamedTuple):
    kind: str
    text: str


def fault(target: Target, data: bytes) -> Fault | None:
    try:
        target.read(data)
    except MtGateError as error:
        if not str(error) or not str(error).isprintable():
            return Fault(f"message {_place(error)}", f"not one line: {str(error)!r}")
    except target.refusals:
        return None
    except BaseException as error:
        return Fault(f"{type(error).__name__} {_place(error)}", str(error)[:500])
    return None


def _place(error: BaseException) -> str:
    steps = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    named = [f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" for frame in steps]
    ours = [
        name
        for name, frame in zip(named, steps, strict=True)
        if "mt_gate" in frame.f_code.co_filename
    ]
    return (ours or named)[-1]


class Finder:
    def __init__(self, target: Target, folder: Path) -> None:
        self._target, self._folder = target, folder
        self._known: set[str] = set()

    def __call__(self, data: bytes) -> None:
        result = fault(self._target, data)
        if result is None or result.kind in self._known:
            return
        self._known.add(result.kind)
        name = hashlib.sha256(data).hexdigest()[:16]
        (self._folder / name).write_bytes(data)
        (self._folder / f"{name}.txt").write_text(
            f"{result.kind}: {result.text}\n", errors="replace"
        )


def scratch() -> Path:
    return _scratch(os.getpid())


@cache
def _scratch(process: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(_remove, folder, process)
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def written(name: str, data: bytes) -> Path:
    path = scratch() / name
    # Not Path.write_bytes: this is a good part of what a fuzzer does.
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
    return path


def files_of(*patterns: str) -> dict[str, bytes]:
    result = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert result, patterns
    return {
        path.relative_to(ROOT).as_posix().replace("/", "-"): path.read_bytes() for path in result
    }
