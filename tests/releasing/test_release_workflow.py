"""The release workflow's own steps, run in a repository: which tags it makes, what it refuses."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

import documents
from releasing import scripts

FILES = (
    "action.yml", "full/action.yml", "Dockerfile", "Dockerfile.full", ".ci/actions.py",
    ".ci/moving_tags.py", ".ci/release_notes.py",
)  # fmt: skip
IMAGE = "ghcr.io/org/mt-gate@sha256:"
GH = """#!/usr/bin/env bash
# Releases are files of a folder.
case "$1 $2" in
  'api meta') echo 'github.com ssh-ed25519 key' ;;
  'release view') [ -e "$RELEASES/$3" ] ;;
  'release create') [ ! -e "$RELEASES/$3" ] && echo "$@" > "$RELEASES/$3" ;;
  *) exit 9 ;;
esac
"""


class Repository:
    """An origin, clones of it, and steps run in them as GitHub's runner does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.origin, self.releases, self.count = folder / "origin", folder / "releases", 0
        (folder / "bin").mkdir()
        self.releases.mkdir()
        (folder / "bin" / "gh").write_text(GH)
        (folder / "bin" / "gh").chmod(0o755)
        workflow = documents.ROOT / ".github" / "workflows" / "release.yml"
        self.jobs = yaml.safe_load(workflow.read_text())["jobs"]
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.origin), at=folder)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", *who, "-C", str(at or self.origin), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, version: str, branch: str = "main", start: str = "main") -> str:
        """Commit and push a version; return the commit."""
        work = self.clone()
        if self.git("branch", "--list", start):
            self.git("checkout", "--quiet", "-B", branch, f"origin/{start}", at=work)
        scripts.copied(work, *FILES)
        action = (work / "action.yml").read_text()
        (work / "runner" / "mt_gate").mkdir(parents=True, exist_ok=True)
        (work / "runner" / "mt_gate" / "__init__.py").write_text(f'__version__ = "{version}"\n')
        (work / "CHANGELOG.md").write_text(f"## {version} - 2026-01-31\n\n- Words.\n")
        assert "image: Dockerfile\n" in action, "what a branch has"
        self.git("add", ".", at=work)
        self.git("commit", "--quiet", "--message", version, at=work)
        self.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}", at=work)
        return self.git("rev-parse", "HEAD", at=work)

    def clone(self) -> Path:
        self.count += 1
        work = self.folder / f"clone-{self.count}"
        self.git("clone", "--quiet", str(self.origin), str(work), at=self.folder)
        return work

    def step(self, work: Path, job: str, name: str, **environment: str) -> int:
        [text] = [item["run"] for item in self.jobs[job]["steps"] if item.get("name") == name]
        temp = work.with_name(f"{work.name}-temp")
        temp.mkdir(exist_ok=True)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
            cwd=work,
            env={
                **os.environ, **environment,
                "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "RUNNER_TEMP": str(temp), "GITHUB_OUTPUT": str(temp / "output"),
                "RELEASES": str(self.releases),
            },
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done.returncode

    def check(self, commit: str, tag: str) -> int:
        work = self.clone()
        self.git("checkout", "--quiet", commit, at=work)
        return self.step(work, "check", "Check the tag", GITHUB_REF_NAME=tag, GITHUB_SHA=commit)

    def tag(self, commit: str, version: str, digit: str = "a") -> int:
        """Run the steps that commit and tag, with images of a digest."""
        work = self.clone()
        self.git("checkout", "--quiet", commit, at=work)
        (work / "images").mkdir()
        for target in ("run", "full"):
            (work / "images" / target).write_text(f"{IMAGE}{digit * 64}\n")
        done = self.step(work, "tag", "Commit the actions with their images", VERSION=version)
        assert done == 0
        return self.step(
            work, "tag", "Tag and release",
            VERSION=version, REMOTE=str(self.origin), RELEASE_KEY="key",
        )  # fmt: skip

    def tags(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/tags")
        return dict(line.split() for line in lines.splitlines())


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if "docker://" in (documents.ROOT / "action.yml").read_text():
        pytest.skip("a release starts from a branch, whose action names no image yet")
    return Repository(tmp_path)


def test_a_release_and_the_same_again(repository: Repository) -> None:
    commit = repository.commit("1.2.3")
    assert repository.tag(commit, "1.2.3") == 0
    tags = repository.tags()
    assert {*tags} == {"v1", "v1.2.3"}
    assert tags["v1"] == tags["v1.2.3"]
    assert repository.git("rev-parse", "v1^") == commit
    assert f"docker://{IMAGE}{'a' * 64}" in repository.git("show", "v1:full/action.yml")
    dates = repository.git("log", "-2", "--format=%aI %cI", "v1").splitlines()
    assert len({*dates[0].split(), dates[1].split()[1]}) == 1, "of the tagged commit's time"
    assert repository.tag(commit, "1.2.3") == 0
    assert repository.tags() == tags
    assert "--latest=true" in (repository.releases / "v1.2.3").read_text()


def test_a_fix_of_an_older_version_moves_that_version_s_tag(repository: Repository) -> None:
    first = repository.commit("1.2.3")
    repository.git("branch", "release-1", first)
    second = repository.commit("2.0.0")
    fix = repository.commit("1.2.4", branch="release-1", start="release-1")
    for commit, version in ((second, "2.0.0"), (fix, "1.2.4"), (first, "1.2.3")):
        assert repository.check(commit, f"release/v{version}") == 0
        assert repository.tag(commit, version) == 0
    tags = repository.tags()
    assert (tags["v1"], tags["v2"]) == (tags["v1.2.4"], tags["v2.0.0"])
    assert "--latest=false" in (repository.releases / "v1.2.4").read_text()


def test_what_is_not_released(repository: Repository) -> None:
    commit = repository.commit("1.2.3")
    assert repository.check(commit, "release/v1.2.3") == 0
    assert repository.check(commit, "release/v1.2.4") == 1
    aside = repository.commit("1.2.4", branch="aside")
    assert repository.check(aside, "release/v1.2.4") == 1
    assert repository.check(repository.commit("1.3.0rc1"), "release/v1.3.0rc1") == 2
    repository.git("tag", "v1.2.3", commit)
    assert repository.check(commit, "release/v1.2.3") == 1
