"""Checks of an image before it has a version, with a stand-in for Docker."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from cases import table
from releasing import scripts

platforms = scripts.load("platforms")
NAME = "ghcr.io/org/mt-gate"
A, B, C = (f"sha256:{letter * 64}" for letter in "abc")
AMD, ARM = "linux/amd64", "linux/arm64"


def stand_in(folder: Path, text: str) -> dict[str, str]:
    """Write a stand-in for docker; return the environment that finds it."""
    folder.mkdir()
    program = folder / "docker"
    program.write_text(f"#!/usr/bin/env bash\n{text}")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def bash(environment: dict[str, str], script: str, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", str(scripts.CI / script), *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout


class TestPlatforms:
    def entry(self, platform: str, digest: str) -> dict:
        system, _, machine = platform.partition("/")
        return {"digest": digest, "platform": {"os": system, "architecture": machine}}

    def index(self, *entries: dict) -> dict:
        return {"manifests": [*entries, self.entry("unknown/unknown", C)]}

    def test_digests_come_in_the_requested_order(self) -> None:
        index = self.index(self.entry(ARM, B), self.entry(AMD, A))
        assert platforms.digests(index, [AMD, ARM]) == [A, B]

    @pytest.mark.parametrize("requested", [[AMD], [AMD, ARM, "linux/386"], [AMD, "linux/386"]])
    def test_exactly_the_requested_platforms_are_there(self, requested: list[str]) -> None:
        index = self.index(self.entry(AMD, A), self.entry(ARM, B))
        with pytest.raises(ValueError, match="images for linux/amd64, linux/arm64; expected"):
            platforms.digests(index, requested)

    def test_the_command(self) -> None:
        index = self.index(self.entry(AMD, A), self.entry(ARM, B))
        assert self.run(json.dumps(index)).stdout == f"{AMD} {A}\n{ARM} {B}\n"

    def run(self, index_text: str) -> subprocess.CompletedProcess[str]:
        return scripts.run(scripts.CI / "platforms.py", f"{AMD},{ARM}", text=index_text)


class TestCheckImage:
    ENGINE = """
echo "$@" >> "$CALLS"
case "$*" in
  history*) printf '%s\\tCOPY /opt\\n' "$SIZE" ;;
  *licences.py) exit "$LICENCES" ;;
esac
"""

    def check(
        self, tmp_path: Path, *arguments: str, size: str = "400MB", licences: int = 0
    ) -> tuple[int, str, list[str]]:
        calls = tmp_path / "calls"
        environment = stand_in(tmp_path / "bin", self.ENGINE)
        environment |= {"CALLS": str(calls), "SIZE": size, "LICENCES": str(licences)}
        code, output = bash(environment, "check-image", "docker", "image", *arguments)
        return code, output, calls.read_text().splitlines() if calls.exists() else []

    def test_it_is_run_its_licences_listed_and_its_layers(self, tmp_path: Path) -> None:
        code, output, calls = self.check(tmp_path, "run", ARM)
        assert code == 0, output
        assert [call.partition("image")[0] for call in calls[:1]] == [f"run --rm --platform {ARM} "]
        assert calls[1].endswith("image /ci/licences.py")
        assert f"--platform {ARM} " in calls[1]
        assert "400.0 MB  in all, of at most 400 MB" in output

    @pytest.mark.parametrize(("target", "size", "code"), table(__file__, "size"))
    def test_size(self, tmp_path: Path, target: str, size: str, code: int) -> None:
        assert self.check(tmp_path, target, size=size)[0] == code

    def test_a_licence_that_is_not_allowed(self, tmp_path: Path) -> None:
        assert self.check(tmp_path, "run", licences=1)[0] == 1

    def test_the_page_names_the_limits(self) -> None:
        script = (scripts.CI / "check-image").read_text()
        page = (scripts.CI / "README.md").read_text()
        limits = dict(re.findall(r"(\w+)\) most=(\d+)", script))
        assert dict(re.findall(r"`(\w+)` at most ([\d,]+) MB", page.replace(",", ""))) == limits


REGISTRY = """
# A registry in a folder: a file for each tag, with its digest in it.
[ "$1 $2" = "buildx imagetools" ] || exit 9
case $3 in
  inspect)
    if [ -e "$REGISTRY/down" ]; then echo "ERROR: 503 Service Unavailable" >&2; exit 1; fi
    if [ ! -e "$REGISTRY/${4##*:}" ]; then echo "ERROR: $4: not found" >&2; exit 1; fi
    cat "$REGISTRY/${4##*:}" ;;
  create) [ "$4" = --tag ] || exit 9; echo "${6#*@}" > "$REGISTRY/${5##*:}" ;;
esac
"""


class TestTagImage:
    @pytest.fixture
    def registry(self, tmp_path: Path) -> Path:
        folder = tmp_path / "registry"
        folder.mkdir()
        return folder

    def tag(self, registry: Path, digest: str) -> tuple[int, str]:
        environment = stand_in(registry.parent / "bin", REGISTRY)
        environment["REGISTRY"] = str(registry)
        return bash(environment, "tag-image", f"{NAME}@{digest}", "1.2.3-run")

    def test_a_new_tag(self, registry: Path) -> None:
        assert self.tag(registry, A)[0] == 0
        assert (registry / "1.2.3-run").read_text().strip() == A

    @pytest.mark.parametrize(("digest", "code"), [(A, 0), (B, 1)])
    def test_one_that_is_there_stays(self, registry: Path, digest: str, code: int) -> None:
        (registry / "1.2.3-run").write_text(A)
        actual, output = self.tag(registry, digest)
        assert actual == code
        assert ("::error::" in output) == (code == 1)
        assert (registry / "1.2.3-run").read_text() == A
