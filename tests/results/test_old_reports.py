"""Reports of an earlier run go, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.results.out_folder import NAMES, remove_reports


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in (*NAMES, "mine.json"):
        (folder / name).write_text("before")
    return folder


def test_only_reports_go(out: Path) -> None:
    remove_reports(out)
    assert [path.name for path in out.iterdir()] == ["mine.json"]
    remove_reports(out)
    remove_reports(out / "missing")
    remove_reports(out / "mine.json")
    assert (out / "mine.json").read_text() == "before"


def test_nothing_is_removed_through_a_link(out: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(UsageError, match="a link to a folder with reports of an earlier run"):
        remove_reports(tmp_path / "link")
    assert len([*out.iterdir()]) == len(NAMES) + 1


def test_of_a_link_only_the_link_goes(out: Path) -> None:
    (out / "result.json").unlink()
    (out / "result.json").symlink_to("mine.json")
    remove_reports(out)
    assert [path.name for path in out.iterdir()] == ["mine.json"]


def test_a_folder_in_a_report_s_place_is_told(out: Path) -> None:
    (out / "report.html").unlink()
    (out / "report.html").mkdir()
    with pytest.raises(UsageError, match=r"report\.html is not a file there"):
        remove_reports(out)
    assert (out / "report.html").is_dir()
