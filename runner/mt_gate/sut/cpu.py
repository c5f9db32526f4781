"""How many threads this process may really use, and on what."""

from __future__ import annotations

import math
import os
import platform
from pathlib import Path

_QUOTAS = (
    (Path("/sys/fs/cgroup/cpu.max"), None),
    (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
)


def usable_cores() -> int:
    """Return the cores that affinity and the container's quota leave, at least 1.

    ``os.cpu_count`` tells the machine's: in a container limited to two cores of
    sixty-four, sixty-four threads would mostly wait.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        cores = os.cpu_count() or 1
    quota = cgroup_quota()
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def cgroup_quota(files: tuple[tuple[Path, Path | None], ...] = _QUOTAS) -> float | None:
    """Return the container's quota in cores (version 2, then 1); None without one."""
    for quota_file, period_file in files:
        try:
            words = quota_file.read_text().split()
            words += period_file.read_text().split() if period_file else []
            quota, period = float(words[0]), float(words[1])
        except (OSError, ValueError, IndexError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return None


def cpu_name() -> str:
    """Return the processor's name, as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
