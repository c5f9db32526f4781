"""Targets under a fuzzer that is led by what of mt-gate an input reaches (Atheris, libFuzzer)."""

from __future__ import annotations

import atexit
import os
import random
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import atheris

from fuzz.target import Finder

with atheris.instrument_imports(include=["mt_gate"]):
    from fuzz.changing import changed
    from fuzz.table import TARGETS

LIBFUZZERS = 0.5
"""Share of the changes that are the fuzzer's own, of bytes."""


def changing(others: Sequence[bytes]) -> Callable[[bytes, int, int], bytes]:
    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < LIBFUZZERS:
            return bytes(atheris.Mutate(data, most))
        return changed(data, rng, others)[:most]

    return change


def fuzz(name: str, faults: Path, options: Sequence[str], log: Path) -> int:
    """Fuzz one target in a fork of this process, which has imported all there is to import.

    An input of each kind of fault is kept, and the fuzzer goes on; what takes too long or too much
    memory ends it, and libFuzzer keeps that input itself.

    Returns:
        The exit code.
    """
    child = os.fork()
    if not child:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(handle, stream)
        target = TARGETS[name]
        change = changing([*target.seeds().values()])
        # Its clock for inputs that hang would end the interpreter's own ending, without a handler.
        atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
        atheris.Setup([sys.argv[0], *options], Finder(target, faults), custom_mutator=change)
        atheris.Fuzz()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
