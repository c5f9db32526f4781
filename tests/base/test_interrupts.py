"""Interrupts in processes of their own: one line and one exit code, whatever they come upon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.interrupts import INTERRUPTED

RUNNER = Path(__file__).parents[2] / "runner"
WATCHED = """
import os, signal, sys, time
from mt_gate.base import interrupts
signal.signal(signal.SIGINT, signal.{sigint})
signal.signal(signal.SIGTERM, signal.SIG_DFL)
interrupts.watch()
def send(number=signal.SIGINT):
    os.kill(os.getpid(), number)
    time.sleep(0.01)
{then}
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run a module, as ``python -m mt_gate`` does; return exit code and output."""

    def ran(then: str, sigint: str = "default_int_handler") -> tuple[int, str]:
        (tmp_path / "watched.py").write_text(WATCHED.format(then=then, sigint=sigint))
        done = subprocess.run(
            [sys.executable, "-m", "watched"],
            env={"PYTHONPATH": os.pathsep.join([str(RUNNER), str(tmp_path)])},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return ran


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_in_a_text_that_is_executed(run: Callable, sent: str) -> None:
    """As namedtuple and dataclass do; Python ends by the signal then, though it was caught."""
    caught = f"""
try:
    exec("send(signal.{sent})")
except KeyboardInterrupt:
    print("told")
{{}}
sys.exit({INTERRUPTED})
"""
    assert run(caught.format("")) == (-signal.SIGINT, "told\n"), "Python does so no more"
    ended = run(caught.format(f"interrupts.ended({INTERRUPTED})"))
    assert ended == (INTERRUPTED, "told\n")


def test_what_an_import_makes_of_it_is_still_an_interrupt(run: Callable) -> None:
    failing = """
from mt_gate.base.console import guarded
def work():
    try:
        send()
    except KeyboardInterrupt:
        raise {} from None
print(guarded(work).code)
"""
    for error in ("SyntaxError('x')", "RuntimeError('x')", "OSError(2, 'x')", "SystemExit(1)"):
        assert run(failing.format(error)) == (0, f"{INTERRUPTED}\n")
    refused = "__import__('mt_gate.base.errors').base.errors.UsageError('x')"
    assert run(failing.format(refused)) == (0, "2\n"), "it says itself what it is"


IN_TIME = """
interrupts.PATIENCE = 60
try:
    send()
except KeyboardInterrupt:
    send()
    send(signal.SIGTERM)
    print("ended", flush=True)
"""
TOO_LATE = """
interrupts.PATIENCE = 0.05
try:
    send()
except KeyboardInterrupt:
    time.sleep(0.1)
    send()
    print("never")
"""
AFTER_THE_END = """
interrupts.PATIENCE = 60
interrupts.ended(1)
send()
send(signal.SIGTERM)
print("at its end")
sys.exit(1)
"""
AN_END_THAT_HANGS = """
interrupts.PATIENCE = 0.05
interrupts.ended(1)
time.sleep(0.1)
send(signal.SIGTERM)
print("never")
"""


@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        (IN_TIME, (0, "ended\n")),
        (TOO_LATE, (INTERRUPTED, "mt-gate: interrupted\n")),
        (AFTER_THE_END, (1, "at its end\n")),
        (AN_END_THAT_HANGS, (1, "")),
    ],
)
def test_the_next_one_ends_who_does_not_end(
    run: Callable, then: str, outcome: tuple[int, str]
) -> None:
    assert run(then) == outcome


def test_who_is_to_pay_no_heed_pays_none(run: Callable) -> None:
    """As in the background of a shell without job control."""
    assert run("send(); print('went on')", sigint="SIG_IGN") == (0, "went on\n")
