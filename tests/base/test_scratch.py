"""Scratch folders: gone when done, and when whoever made them is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mt_gate.base import files as module
from mt_gate.base.files import IN_TEMPORARY, remove_abandoned, scratch

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


def test_a_folder_goes_with_its_block(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        (folder / "half").write_text("half")
        assert left(tmp_path) == [folder.name]
    with pytest.raises(ValueError, match="failed"), scratch(tmp_path):
        raise ValueError("failed")
    assert left(tmp_path) == []


def test_that_of_a_killed_process_goes_with_the_next(tmp_path: Path) -> None:
    killed(str(tmp_path))
    assert len(left(tmp_path)) == 1
    with scratch(tmp_path) as folder:
        assert left(tmp_path) == [folder.name]


def test_that_of_a_running_process_stays(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder, scratch(tmp_path) as other:
        remove_abandoned(tmp_path)
        assert {folder.name, other.name} == set(left(tmp_path))


def test_that_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(str(tmp_path))
    here = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: here + 1)
    remove_abandoned(tmp_path)
    assert len(left(tmp_path)) == 1


def test_what_is_none_stays(tmp_path: Path) -> None:
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


def test_one_that_is_removed_before_it_is_locked_is_made_again(
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


def test_without_locks_there_is_a_folder_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", refused)
    with scratch(tmp_path) as folder:
        remove_abandoned(tmp_path)
        assert left(tmp_path) == [folder.name]
