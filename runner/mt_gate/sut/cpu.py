"""How many threads this process may really use, on what, and what that can do."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

MOST_READ = 1 << 16
"""Characters of the system's words on one processor; the first of many is enough."""
FEATURES = frozenset(
    "fma avx avx2 avx_vnni avx_vnni_int8 avx512f avx512bw avx512_bf16 avx512_fp16 avx512_vnni "
    "amx_bf16 amx_fp16 amx_int8 "  # x86
    "asimdhp asimddp i8mm bf16 sve sve2 sme sme2".split()  # ARM
)
"""Instructions by which a runtime chooses how it multiplies, and so how it rounds."""
_OF_APPLE = {"FEAT_FP16": "asimdhp", "FEAT_DotProd": "asimddp", "FEAT_I8MM": "i8mm"} | {
    "FEAT_BF16": "bf16",
    "FEAT_SME": "sme",
    "FEAT_SME2": "sme2",
}
_OF_INTEL_MAC = {"AVX1.0": "avx"}
_INTEL_MAC = ("machdep.cpu.features", "machdep.cpu.leaf7_features")

_CPU_INFO = Path("/proc/cpuinfo")
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
    return _told(_cpu_info(), "model name") or platform.processor() or platform.machine()


def cpu_features() -> tuple[str, ...]:
    """Return what of ``FEATURES`` the processor has, sorted; nothing where that is not known."""
    if sys.platform == "darwin":
        return of_mac(_sysctl)
    info = _cpu_info()
    return _known(f"{_told(info, 'flags')} {_told(info, 'Features')}".split())


def of_mac(ask: Callable[[str], bytes]) -> tuple[str, ...]:
    """Return the features of a Mac, which ``ask`` answers for by name: b"" if unknown."""
    words = " ".join(ask(name).decode("ascii", "replace") for name in _INTEL_MAC)
    found = [_OF_INTEL_MAC.get(word, word.lower()) for word in words.replace("\0", " ").split()]
    arm = (name for feature, name in _OF_APPLE.items() if any(ask(f"hw.optional.arm.{feature}")))
    return _known([*found, *arm])


def _known(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(FEATURES.intersection(words)))


def _cpu_info() -> str:
    try:
        with _CPU_INFO.open(encoding="ascii", errors="replace") as file:
            return file.read(MOST_READ)
    except OSError:
        return ""


def _told(info: str, key: str) -> str:
    """Return the first value of a key, as Linux tells it line by line; empty without one."""
    lines = (line.partition(":") for line in info.splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == key), "")


def _sysctl(name: str) -> bytes:
    import ctypes

    value, size = ctypes.create_string_buffer(4096), ctypes.c_size_t(4096)
    asked = ctypes.CDLL(None).sysctlbyname
    failed = asked(name.encode(), value, ctypes.byref(size), None, ctypes.c_size_t(0))
    return b"" if failed else value.raw[: size.value]
