"""Scratch folders are removed, and interrupts end a run in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mt_gate.base import files as module
from mt_gate.base.files import IN_TEMPORARY, remove_abandoned, scratch
from mt_gate.base.interrupts import INTERRUPTED

KILLED = """
import os, signal, sys
from pathlib import Path
from mt_gate.base.files import scratch
with scratch(*map(Path, sys.argv[1:])) as folder:
    (folder / "half").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def killed(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-c", KILLED, *arguments]
    subprocess.run(command, env={**os.environ, **environment}, check=False, timeout=60)


def test_a_scratch_folder_is_removed_after_its_block(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "half").write_text("half")
        assert left(tmp_path) == [folder.name]
    with pytest.raises(ValueError, match="failed"), scratch(tmp_path):
        raise ValueError("failed")
    assert left(tmp_path) == []


def test_the_next_process_removes_the_folder_of_a_killed_one(tmp_path: Path) -> None:
    killed(str(tmp_path))
    assert len(left(tmp_path)) == 1
    with scratch(tmp_path) as folder:
        assert left(tmp_path) == [folder.name]


def test_the_folder_of_a_running_process_stays(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder, scratch(tmp_path) as other:
        remove_abandoned(tmp_path)
        assert {folder.name, other.name} == set(left(tmp_path))


def test_the_folder_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(str(tmp_path))
    here = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: here + 1)
    remove_abandoned(tmp_path)
    assert len(left(tmp_path)) == 1


def test_other_folders_and_files_stay(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    link, file, named = (f"{IN_TEMPORARY}{name}" for name in ("alinkkkk", "afileeee", "of-mine"))
    (tmp_path / link).symlink_to(mine)
    (tmp_path / file).write_text("x")
    (tmp_path / named).mkdir()
    (tmp_path / "mt-gate-demo").mkdir()
    with scratch(tmp_path):
        pass
    assert set(left(tmp_path)) == {"mine", link, file, named, "mt-gate-demo"}


def test_a_folder_removed_before_its_lock_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, lost = module._locked, []

    @contextmanager
    def late(folder: Path) -> Iterator[int]:
        if not lost:
            lost.append(folder)
            remove_abandoned(tmp_path)  # another process, which finds no lock yet
        with locked(folder) as owner:
            yield owner

    monkeypatch.setattr(module, "_locked", late)
    with scratch(tmp_path) as folder:
        assert folder.is_dir()
        assert not lost[0].exists()


def test_a_scratch_folder_needs_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", refused)
    with scratch(tmp_path) as folder:
        remove_abandoned(tmp_path)
        assert left(tmp_path) == [folder.name]


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
def test_an_interrupt_in_executed_text_has_the_right_code(run: Callable, sent: str) -> None:
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


def test_an_interrupt_that_a_library_replaces_is_still_one(run: Callable) -> None:
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
def test_a_second_interrupt_ends_a_run_that_hangs(
    run: Callable, then: str, outcome: tuple[int, str]
) -> None:
    assert run(then) == outcome


def test_an_ignored_interrupt_stays_ignored(run: Callable) -> None:
    """As in the background of a shell without job control."""
    assert run("send(); print('went on')", sigint="SIG_IGN") == (0, "went on\n")
