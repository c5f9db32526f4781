"""The wheels: the same bytes from two builds, with all that git has of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import documents
from releasing import scripts

MOST = 25_000_000
"""Bytes that mt-gate's own wheel may have."""
PACKAGES = ("runner/mt_gate/", "runner/mt_gate_suites/")


def build(out: Path, mask: str = "022", **environment: str) -> dict[str, Path]:
    line = 'umask "$0"; exec bash "$@"'
    command = ["bash", "-c", line, mask, str(scripts.CI / "wheels"), str(out)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return {path.name.partition("-")[0]: path for path in out.iterdir()}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("setuptools", reason="wheels are built with setuptools")
    if shutil.which("git") is None or not (documents.ROOT / ".git").exists():
        pytest.skip("wheels are built of what git tracks: no git, or no checkout")
    return build(tmp_path_factory.mktemp("wheels"))


def tracked() -> set[str]:
    command = ["git", "-C", str(documents.ROOT), "ls-files", "-z", *PACKAGES]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name.removeprefix("runner/") for name in names.split("\0") if name}


def files(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def test_two_builds_have_the_same_bytes(wheels: dict[str, Path], tmp_path: Path) -> None:
    """Whenever and whoever builds: clock and mask of another are nothing to it."""
    again = build(tmp_path, mask="077", TZ="Asia/Tokyo", LC_ALL="C", SOURCE_DATE_EPOCH="1")
    assert {*again} == {*wheels} == {"mt_gate", "mt_gate_demo"}
    for name, wheel in wheels.items():
        assert again[name].read_bytes() == wheel.read_bytes()


def test_together_they_have_every_file(wheels: dict[str, Path]) -> None:
    first, second = files(wheels["mt_gate"]), files(wheels["mt_gate_demo"])
    assert first | second == tracked()
    assert second == {name for name in tracked() if name.startswith("mt_gate/checkpoints/")}
    assert not first & second


@pytest.mark.parametrize("package", ["mt_gate", "mt_gate_demo"])
def test_the_licence_is_in_it(wheels: dict[str, Path], package: str) -> None:
    wheel = zipfile.ZipFile(wheels[package])
    [name] = [item for item in wheel.namelist() if item.endswith("/licenses/LICENSE")]
    assert wheel.read(name) == (documents.ROOT / "LICENSE").read_bytes()


def test_it_is_small(wheels: dict[str, Path]) -> None:
    assert wheels["mt_gate"].stat().st_size <= MOST
