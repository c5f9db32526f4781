"""What a run would compute on, and why not on the GPU: really tried."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from mt_gate.doctor.findings import DoctorFinding, State
from mt_gate.doctor.installed import RUNTIMES
from mt_gate.doctor.requirements import installed_version
from mt_gate.doctor.trying import SessionTrial

CUDA = "CUDAExecutionProvider"

_DRIVER = Path("/proc/driver/nvidia/version")
_WINDOWS_DRIVER = Path("/dev/dxg")
_INSTALL = "pip install 'mt-gate[cpu]', or 'mt-gate[gpu]' for an NVIDIA GPU"
_OTHER_BUILD = "pip uninstall onnxruntime, then pip install 'mt-gate[gpu]'"
_LIBRARIES = "pip install 'mt-gate[gpu]', which brings CUDA and cuDNN"
_OF_DRIVER = "libcuda.so"
_NO_DRIVER = (
    "which is NVIDIA's driver's own: install the driver, or give the container the GPU "
    "(docker run --gpus all)"
)


def described(asked: str, tried: SessionTrial) -> Iterable[DoctorFinding]:
    """Yield in words how a session on the device asked for (auto, cpu or cuda) went."""
    builds = [f"{name} {version}" for name in RUNTIMES if (version := installed_version(name))]
    if builds:
        has = f", with {', '.join(tried.available)}" if tried.available else ""
        yield DoctorFinding("runtime", State.OK, " and ".join(builds) + has)
    else:
        yield DoctorFinding("runtime", State.PROBLEM, f"ONNX Runtime is not installed: {_INSTALL}")
    if tried.error:
        if builds:
            yield DoctorFinding("run", State.PROBLEM, f"--device {asked}: {tried.error}")
        return
    unmet = asked == "cuda" and tried.provider != CUDA
    yield DoctorFinding(
        "run",
        State.PROBLEM if unmet else State.OK,
        f"--device {asked}: {tried.provider} (a session of one node was run on it)",
    )
    if tried.provider != CUDA:
        yield DoctorFinding("no GPU", State.NOTE, why_not_cuda(asked, tried))
        yield from _driver()


def why_not_cuda(asked: str, tried: SessionTrial) -> str:
    """Return why a trial that computed did not compute on the GPU, and what to do."""
    if CUDA not in tried.available:
        return f"this build of ONNX Runtime has no {CUDA}; if there is a GPU: {_OTHER_BUILD}"
    if asked == "cpu":
        return "not tried, since --device cpu asks for none"
    said = tried.said or "the runtime gives no reason"
    missing = "cannot open shared object" in said
    advice = _NO_DRIVER if _OF_DRIVER in said else _LIBRARIES
    return f"{CUDA} does not start: {said}" + (f"; {advice}" if missing else "")


def _driver() -> Iterable[DoctorFinding]:
    """Yield whether Linux has an NVIDIA driver; elsewhere the runtime's word must do."""
    if not sys.platform.startswith("linux"):
        return
    try:
        line = _DRIVER.read_text(encoding="utf-8", errors="replace").splitlines()[0]
        yield DoctorFinding("driver", State.NOTE, " ".join(line.split()))
    except (OSError, IndexError):
        if not _WINDOWS_DRIVER.exists():
            yield DoctorFinding(
                "driver", State.NOTE, "no NVIDIA driver is loaded: no GPU is visible"
            )
