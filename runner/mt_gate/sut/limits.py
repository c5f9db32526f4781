"""What the machine has, and how much of its memory and time a checkpoint may take."""

from __future__ import annotations

import math
import os
import platform
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.files import is_within

MOST_READ = 1 << 16
"""Characters of the system's words on one processor; the first of many is enough."""
FEATURES = frozenset(
    "fma avx avx2 avx_vnni avx_vnni_int8 avx512f avx512bw avx512_bf16 avx512_fp16 avx512_vnni "
    "amx_bf16 amx_fp16 amx_int8 "  # x86
    "asimdhp asimddp i8mm bf16 sve sve2 sme sme2".split()  # ARM
)
"""Instructions by which a runtime chooses how it multiplies, and so how it rounds."""
_CPU_INFO = Path("/proc/cpuinfo")
_QUOTAS = (
    (Path("/sys/fs/cgroup/cpu.max"), None),
    (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
)


def usable_cores(files: tuple[tuple[Path, Path | None], ...] = _QUOTAS) -> int:
    """Return the cores that affinity and the container's quota (version 2, then 1) leave.

    ``os.cpu_count`` tells the machine's: in a container limited to two cores of sixty-four, sixty-
    four threads would mostly wait.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        cores = os.cpu_count() or 1
    for quota_file, period_file in files:
        with suppress(OSError, ValueError, IndexError):
            words = quota_file.read_text().split()
            words += period_file.read_text().split() if period_file else []
            quota, period = float(words[0]), float(words[1])
            if quota > 0 and period > 0:
                return max(1, min(cores, math.ceil(quota / period)))
    return cores


def cpu_name() -> str:
    """Return the processor's name, as the system tells it."""
    return _first("model name") or platform.processor() or platform.machine()


def cpu_features() -> tuple[str, ...]:
    """Return what of ``FEATURES`` the processor has, sorted; nothing where Linux does not say."""
    words = f"{_first('flags')} {_first('Features')}".split()
    return tuple(sorted(FEATURES.intersection(words)))


def _first(key: str) -> str:
    with suppress(OSError), _CPU_INFO.open(encoding="ascii", errors="replace") as file:
        lines = (line.partition(":") for line in file.read(MOST_READ).splitlines())
        return next((value.strip() for name, _, value in lines if name.strip() == key), "")
    return ""


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
_CGROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class Limits(NamedTuple):
    """What the process of a checkpoint may take.

    ``seconds`` of wall-clock time may pass until an answer, and as many of processor time on each
    core; ``memory`` is in resident bytes.
    """

    seconds: float
    memory: int


class Allowed(NamedTuple):
    """What the user allows a checkpoint: seconds an answer, GiB of memory; None for as it needs."""

    timeout: float = 60.0
    max_memory: float | None = None

    def limits(self, folder: Path, *, answers: int = 1, loads: int = 0, models: int = 1) -> Limits:
        """Return the limits for ``answers`` times an answer, with the files read ``loads`` times.

        As many ``models`` are in memory at the same time.
        """
        size = size_of(folder)
        seconds = self.timeout * answers + loads * size / BYTES_A_SECOND
        if self.max_memory is not None:
            return Limits(seconds, int(self.max_memory * GIB))
        most = max(LEAST_MEMORY, _machine_memory() * 9 // 10)
        return Limits(seconds, min(LEAST_MEMORY + models * TIMES_WEIGHTS * size, most))


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder and below, as far as they are known.

    Of links those count that are followed when the files are read, see ``files.opened``.
    """
    paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    total = 0
    for path in islice(paths, _MOST_FILES):
        with suppress(OSError):
            counts = path.is_file() and (not path.is_symlink() or is_within(path, folder))
            total += path.stat().st_size if counts else 0
    return total


def _machine_memory() -> int:
    whole = _PAGE * os.sysconf("SC_PHYS_PAGES")
    for file in _CGROUP:
        with suppress(OSError, ValueError):
            return min(whole, int(file.read_text()))
    return whole


def resident(process: int) -> int:
    """Return the bytes of memory that a process uses; 0 where that is unknown."""
    try:
        # Looked at twenty times a second: pathlib takes ten times as long.
        with open(f"/proc/{process}/statm", "rb", buffering=0) as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):  # ended, or not Linux
        return 0


def limit_processor(process: int, seconds: float) -> None:
    """End a process once it has used this many more seconds of processor time."""
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not Linux, or ended
        import resource

        _, most = resource.prlimit(process, resource.RLIMIT_CPU)
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        until = int(((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")) + seconds) + 2
        if most == resource.RLIM_INFINITY or until < most:
            resource.prlimit(process, resource.RLIMIT_CPU, (until, most))
