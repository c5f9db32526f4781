from __future__ import annotations

from pathlib import Path

from mt_gate.sut.cpu import cgroup_quota, usable_cores


def test_version_2(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert cgroup_quota(((tmp_path / "cpu.max", None),)) == 1.5


def test_no_limit(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert cgroup_quota(((tmp_path / "cpu.max", None),)) is None


def test_version_1(tmp_path: Path) -> None:
    (tmp_path / "quota").write_text("200000\n")
    (tmp_path / "period").write_text("100000\n")
    assert cgroup_quota(((tmp_path / "quota", tmp_path / "period"),)) == 2
    (tmp_path / "quota").write_text("-1\n")
    assert cgroup_quota(((tmp_path / "quota", tmp_path / "period"),)) is None


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert cgroup_quota(((tmp_path / "nowhere", None),)) is None
    assert usable_cores() >= 1
