"""How much memory and time the process of a checkpoint may take, and what it has taken."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.files import is_within
from mt_gate.sut.cpu import usable_cores

GIB = 1 << 30
LEAST_MEMORY = 4 * GIB
"""Bytes that any checkpoint may take: the runtime, its threads, and answers to a batch."""
TIMES_WEIGHTS = 4
"""Bytes more for each byte of the checkpoint's files: as read, as parsed, as packed by kernels."""
EXPORT_ANSWERS = 30
"""Answers' times that an export may take: it loads, traces, writes and compares a checkpoint."""
BYTES_A_SECOND = 20e6
"""A slow disk, for the time that reading may take."""
_MOST_FILES = 10_000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


class Limits(NamedTuple):
    """What the process of a checkpoint may take.

    ``seconds`` of wall-clock time may pass until an answer, and as many of processor time on each
    core; ``memory`` is in resident bytes.
    """

    seconds: float
    memory: int

    @property
    def processor(self) -> float:
        """Seconds of processor time until an answer."""
        return self.seconds * usable_cores()


class Allowed(NamedTuple):
    """What the user allows a checkpoint: seconds an answer, GiB of memory; None for as it needs."""

    timeout: float = 60.0
    max_memory: float | None = None

    def loading(self, folder: Path) -> Limits:
        """Return the limits while the files of a checkpoint's folder are read and opened."""
        size = size_of(folder)
        return Limits(self.timeout + size / BYTES_A_SECOND, self._memory(TIMES_WEIGHTS * size))

    def answering(self, folder: Path, times: int = 1) -> Limits:
        """Return the limits for what takes ``times`` answers' time."""
        return Limits(self.timeout * times, self._memory(TIMES_WEIGHTS * size_of(folder)))

    def exporting(self, folder: Path) -> Limits:
        """Return the limits while a checkpoint is exported, PyTorch's model beside ONNX's."""
        size = 2 * size_of(folder)
        seconds = self.timeout * EXPORT_ANSWERS + size / BYTES_A_SECOND
        return Limits(seconds, self._memory(TIMES_WEIGHTS * size))

    def _memory(self, beside: int) -> int:
        if self.max_memory is not None:
            return int(self.max_memory * GIB)
        most = max(LEAST_MEMORY, machine_memory() * 9 // 10)
        return min(LEAST_MEMORY + beside, most)


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder and below, as far as they can be told.

    Of links those count that are followed when the files are read, see ``files.opened``.
    """
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    total = 0
    for path in islice(found, _MOST_FILES):
        with suppress(OSError):
            counts = path.is_file() and (not path.is_symlink() or is_within(path, folder))
            total += path.stat().st_size if counts else 0
    return total


def machine_memory() -> int:
    """Return the bytes of memory that the machine, or the container, has."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in _CGROUP:
        with suppress(OSError, ValueError):
            return min(whole, int(file.read_text()))
    return whole


def resident(process: int) -> int:
    """Return the bytes of memory that a process holds; 0 where that cannot be told."""
    try:
        # Looked at twenty times a second: pathlib takes ten times as long.
        with open(f"/proc/{process}/statm", "rb", buffering=0) as file:
            pages = file.read().split()[1]
    except (OSError, IndexError):  # ended, or not Linux
        return 0
    return int(pages) * _PAGE


def limit_processor(process: int, seconds: float) -> None:
    """End a process that takes so many more seconds of processor time, whoever watches it."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, or ended
        import resource

        _, most = resource.prlimit(process, resource.RLIMIT_CPU)
        until = int(_processor_time(process) + seconds) + 2
        if most == resource.RLIM_INFINITY or until < most:
            resource.prlimit(process, resource.RLIMIT_CPU, (until, most))


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
