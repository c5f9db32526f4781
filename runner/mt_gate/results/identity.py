"""How a system under test is named, whatever it is made of, and this program itself."""

from __future__ import annotations

import re

from mt_gate import __version__
from mt_gate.results.result import Runtime, Tool

TOOL = Tool(name="mt-gate", version=__version__)
"""The program that makes the files of this release."""

NO_FINGERPRINT = "no fingerprint: its answers may change between runs"
SHOWN = 40
"""Characters shown of a fingerprint that a system made up for itself."""

_HASH = re.compile(r"(?:sha256:)?([0-9a-fA-F]{16,})")


def short_fingerprint(fingerprint: str, digits: int) -> str:
    """Return the first ``digits`` of a hash, or what a system calls itself; "none" without one."""
    if not fingerprint:
        return "none"
    found = _HASH.fullmatch(fingerprint)
    return found.group(1)[:digits] if found else fingerprint[:SHOWN]


def runtime_text(runtime: Runtime) -> str:
    """Return what computed the answers, for a reader."""
    what = f"ONNX Runtime {runtime.onnxruntime}" if runtime.onnxruntime else ""
    parts = [part for part in (what, runtime.provider, runtime.precision) if part]
    where = runtime.device or runtime.cpu
    if runtime.device and runtime.cpu:
        where = f"{runtime.device} ({runtime.cpu})"
    return ", ".join([*parts, f"on {where}"] if where else parts)


def runtime_signature(runtime: Runtime) -> str:
    """Return the same in a few letters, for the signature of a run."""
    if not runtime.onnxruntime:
        return " ".join(part for part in (runtime.device, runtime.provider) if part)
    return f"{runtime.device} {runtime.precision} ort{runtime.onnxruntime}"
