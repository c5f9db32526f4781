"""Which shard runs what: a cluster of sources is run by one shard, whole.

Its key alone says which one (``domain.shard_index``): it stays there in another version of the
suite, and no shard needs to know of the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from mt_gate.base.errors import UsageError, quoted
from mt_gate.domain import shard_index
from mt_gate.suites import quick
from mt_gate.suites.format import Suite

MOST = 10_000
"""Shards of a run."""
SLURM = "slurm"
"""Names the place of a task in its Slurm job array."""
_ID, _FIRST, _STEP, _COUNT = (f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "STEP", "COUNT"))
_NUMBER = re.compile(r"[0-9]{1,9}")


class Part(NamedTuple):
    """Shard ``number`` ``of`` so many, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        """Return it as ``--shard`` takes it."""
        return f"{self.number}/{self.of}"


def read_part(text: str, environment: Mapping[str, str]) -> Part:
    """Read ``I/N``, I from 1 to N, or ``slurm``."""
    if text.strip() == SLURM:
        return _slurm(environment)
    number, slash, of = (word.strip() for word in text.partition("/"))
    if slash and _NUMBER.fullmatch(number) and _NUMBER.fullmatch(of):
        part = Part(int(number), int(of))
        if 1 <= part.number <= part.of <= MOST:
            return part
    raise UsageError(
        f"--shard must be I/N, I from 1 to N and N at most {MOST}, or {SLURM} (got {quoted(text)})."
    )


def _slurm(environment: Mapping[str, str]) -> Part:
    """Return the place of a task in its job array, whatever number that counts from."""
    variables = {name: environment.get(name, "") for name in (_ID, _FIRST, _COUNT)}
    variables[_STEP] = environment.get(_STEP) or "1"
    for name, value in variables.items():
        if not _NUMBER.fullmatch(value):
            shown = quoted(value) if value else "not set"
            raise UsageError(
                f"--shard {SLURM}: {name} is {shown}. Use a job array (sbatch --array) or I/N."
            )
    task, first, step, count = (int(variables[name]) for name in (_ID, _FIRST, _STEP, _COUNT))
    place, rest = divmod(task - first, max(step, 1))
    if rest or not 0 <= place < count <= MOST:
        raise UsageError(
            f"--shard {SLURM} needs an array without gaps (got task {task} of {count}, from "
            f"{first} in steps of {step}). Use --array=1-{min(max(count, 1), MOST)}, or give I/N."
        )
    return Part(place + 1, count)


def shard_of(key: str, of: int) -> int:
    """Return the number, from 1, of the shard that asks a cluster, by the cluster's key."""
    return shard_index(key, of)


def part_of(suite: Suite, part: Part) -> Suite:
    """Return what a shard asks of a suite."""
    return quick.part_of(suite, lambda key: shard_of(key, part.of) == part.number)
