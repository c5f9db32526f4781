"""Drafts of exports: gone when done, and when whoever wrote them is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mt_gate.exporting.drafts import PREFIX, draft_in, remove_abandoned

KILLED = """
import os, signal, sys
from pathlib import Path
from mt_gate.exporting.drafts import draft_in
with draft_in(Path(sys.argv[1])) as draft:
    (draft / "weights").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_draft_goes_with_its_block(tmp_path: Path) -> None:
    with draft_in(tmp_path) as draft:
        (draft / "weights").write_text("half")
        assert left(tmp_path) == [draft.name]
    with pytest.raises(ValueError, match="failed"), draft_in(tmp_path):
        raise ValueError("failed")
    assert left(tmp_path) == []


def test_that_of_a_killed_export_goes_with_the_next(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    assert len(left(tmp_path)) == 1
    with draft_in(tmp_path) as draft:
        assert left(tmp_path) == [draft.name]


def test_that_of_a_running_export_stays(tmp_path: Path) -> None:
    with draft_in(tmp_path) as draft, draft_in(tmp_path) as other:
        remove_abandoned(tmp_path)
        assert {draft.name, other.name} == set(left(tmp_path))


def test_what_is_no_draft_stays(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(mine)
    (tmp_path / f"{PREFIX}file").write_text("x")
    with draft_in(tmp_path):
        pass
    assert set(left(tmp_path)) == {"mine", f"{PREFIX}link", f"{PREFIX}file"}
