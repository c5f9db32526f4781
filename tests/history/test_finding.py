from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.history import runs
from mt_gate.history.runs import find, newest


def lay(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "result.json").write_text("{}")
    return folder


def test_folders_of_folders_in_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b", "a/2", "a/1", "c/d/e"):
        lay(tmp_path / "runs" / name)
    (tmp_path / "runs" / "file").write_text("")
    assert [one.place for one in find([tmp_path / "runs"])] == ["b", "a/1", "a/2", "c/d/e"]
    alone = tmp_path / "runs" / "a" / "1"
    assert [one.place for one in find([alone])] == [str(alone)]


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    lay(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotJudge):
        find([tmp_path / "runs"])


def test_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        lay(tmp_path / str(number))
    found = find([tmp_path])
    assert newest(found, by_time=False) == found
    monkeypatch.setattr(runs, "MOST_RUNS", 3)
    assert newest(found, by_time=False) == found[1:]
    monkeypatch.setattr(runs, "MOST_FOLDERS", 2)
    with pytest.raises(UsageError, match="more than 2 folders"):
        find([tmp_path])
