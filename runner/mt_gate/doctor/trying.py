"""Run a session of one node in a process of its own: ``python -m mt_gate.doctor.trying DEVICE``.

A broken driver may end the process, and the runtime writes why a provider
cannot be loaded to standard error, past Python. Here neither reaches the user raw.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import NamedTuple

import msgspec

from mt_gate.base.child_environment import allowed
from mt_gate.base.redaction import shorten

SECONDS = 300
"""The longest that the runtime may take to start; a GPU's libraries load in seconds."""

_MARK = "mt-gate-trial:"
_CONTROL = re.compile(r"\x1b\[[0-9;]*m")
_PREFIX = re.compile(r"^.*?\[[EWF]:onnxruntime[^]]*\]\s*")
_LOADER = re.compile(r"with error: (.+)")
_LONGEST = 300


class SessionTrial(msgspec.Struct, frozen=True):
    """What came of it: ``error`` is empty where a session computed, on ``provider``.

    ``said`` is the runtime's own reason, from standard error, for a provider that failed.
    """

    version: str = ""
    available: tuple[str, ...] = ()
    provider: str = ""
    error: str = ""
    said: str = ""


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    out: str
    err: str


def try_session(device: str) -> SessionTrial:
    """Try a session on a device (auto, cpu or cuda), as a run would open it."""
    command = [sys.executable, "-P", "-m", __name__, device]
    try:
        done = subprocess.run(
            command,
            env=allowed(os.environ),
            capture_output=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return SessionTrial(error=f"ONNX Runtime did not start within {SECONDS} seconds")
    except OSError as error:
        return SessionTrial(error=f"{sys.executable} cannot be started ({error.strerror})")
    texts = (done.stdout, done.stderr)
    return outcome(Ended(done.returncode, *(text.decode("utf-8", "replace") for text in texts)))


def outcome(ended: Ended) -> SessionTrial:
    """Return what a process of this module said; the runtime may print beside it."""
    said = reason(ended.err)
    lines = [line for line in ended.out.splitlines() if line.startswith(_MARK)]
    try:
        found = msgspec.json.decode(lines[-1].removeprefix(_MARK), type=SessionTrial)
    except (IndexError, msgspec.DecodeError):
        why = f": {said}" if said else ""
        return SessionTrial(error=f"ONNX Runtime ended its process (code {ended.code}){why}")
    return msgspec.structs.replace(found, said=said)


def reason(text: str) -> str:
    """Return the reason in what the runtime wrote: the loader's words, else its last line."""
    lines = [_PREFIX.sub("", _CONTROL.sub("", line)).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    for line in lines:
        if match := _LOADER.search(line):
            return shorten(match[1], _LONGEST)
    return shorten(lines[-1], _LONGEST) if lines else ""


def _main(device: str) -> None:
    from mt_gate.base.errors import CannotJudge, reported
    from mt_gate.sut.session import trial

    try:
        found = SessionTrial(*trial(device))
    except ImportError as error:
        found = SessionTrial(error=f"ONNX Runtime cannot be imported ({reported(error)})")
    except CannotJudge as error:
        found = SessionTrial(error=str(error))
    print(_MARK + msgspec.json.encode(found).decode())


if __name__ == "__main__":
    _main(sys.argv[1])
