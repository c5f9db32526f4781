"""The list of built versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from site_versions import NAME, list_them


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir()
        (folder / name / "index.html").touch()
    return folder


def test_releases_come_first_the_newest_of_all_leads(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()  # of a build that was killed
    list_them(made(tmp_path, "main", "v0.9.0", "v0.10.0", "v1.2.3"))
    told = json.loads((tmp_path / "versions.json").read_text(encoding="utf-8"))
    assert told == {"versions": ["v1.2.3", "v0.10.0", "v0.9.0", "main"]}
    assert 'url=v1.2.3/index.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_branch_alone_leads(tmp_path: Path) -> None:
    list_them(made(tmp_path, "main"))
    assert 'url=main/index.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["main", "v1.2.3", "next-2"])
def test_a_version_names_a_folder(name: str) -> None:
    assert NAME.fullmatch(name)


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "main\n", "<b>"])
def test_nothing_else_does(name: str) -> None:
    assert not NAME.fullmatch(name)
