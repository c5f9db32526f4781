"""Targets under changes that chance alone chooses: more a second than a guided fuzzer tries."""

from __future__ import annotations

import faulthandler
import itertools
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fuzz.changing import changed
from fuzz.table import TARGETS
from fuzz.target import Finder, Target

AT_ONCE = 100
"""Inputs that are watched together: one that hangs is among them."""
HANG = 20.0
"""Seconds of a processor for these: a machine that does other things is not to blame."""


def inputs(target: Target, seed: int) -> Iterator[bytes]:
    rng = Random(seed)
    seeds = tuple(target.seeds().values())
    while True:
        data = changed(rng.choice(seeds), rng, seeds)
        yield changed(data, rng, seeds) if rng.random() < 0.25 else data


def fuzz(name: str, faults: Path, most: int, seconds: float, seed: int) -> int:
    finder = Finder(TARGETS[name], faults)
    faulthandler.register(signal.SIGPROF, chain=True)  # and then it ends the process
    end = time.monotonic() + seconds if seconds else float("inf")
    for number, data in enumerate(itertools.islice(inputs(TARGETS[name], seed), most)):
        if number % AT_ONCE == 0:
            if time.monotonic() > end:
                most = number
                break
            signal.setitimer(signal.ITIMER_PROF, HANG)
        finder(data)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return most


def bound_memory(most: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (most << 20, resource.RLIM_INFINITY))
