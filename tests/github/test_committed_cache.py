"""A cache that came with a pull request is refused, by whatever way it is named."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from making_pull_requests import Forge, Propose, git
from mt_gate.base.errors import CannotJudge
from mt_gate.github.base_commit import base_of
from mt_gate.github.deciding import check_uncommitted
from mt_gate.github.git_objects import GitFailed, Repository

ROWS = "kept/predictions/0123.sqlite"


@pytest.fixture
def environment(propose: Propose, tmp_path: Path) -> dict[str, str]:
    """Check out a commit that has a cache, a link to it, and a link out of the repository."""
    links = {"link": "kept", "out": str(tmp_path)}
    propose({}, {ROWS: b"forged", "sub/README": b"x", **links})
    return {"PATH": os.environ["PATH"], "GITHUB_EVENT_NAME": "pull_request"}


def check_cache(environment: dict[str, str], folder: Path, choice: str | None) -> None:
    check_uncommitted("cache", folder, environment, base_of(environment, choice))


NAMES = [
    "kept", "./kept/", "sub/../kept", "kept/predictions", ROWS, "link", "link/predictions", ".",
    "out/workspace/kept", "out/elsewhere", "sub",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_refused(workspace: Path, environment: dict[str, str], name: str) -> None:
    for folder in (Path(name), workspace / name):
        with pytest.raises(CannotJudge) as failed:
            check_cache(environment, folder, None)
        assert "has files in git" in str(failed.value)
        assert "git rm -r --cached" in str(failed.value)
    with pytest.raises(CannotJudge, match=r"^merge .* has files in git"):
        check_uncommitted("merge", Path(name), environment, base_of(environment, None))


def test_a_link_of_the_workflow_into_the_commit_is_refused(
    workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "cache").symlink_to(workspace / "kept")
    with pytest.raises(CannotJudge, match="has files in git"):
        check_cache(environment, tmp_path / "cache", "base")


@pytest.mark.parametrize("below", ["1", "1/answers.jsonl.gz", "a/b/c"])
def test_a_link_below_it_into_the_commit_is_refused(
    workspace: Path, environment: dict[str, str], tmp_path: Path, below: str
) -> None:
    """The folder is the workflow's, and what it holds the pull request's."""
    place = tmp_path / "shards" / below
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "hop")
    check_cache(environment, tmp_path / "shards", None)
    (tmp_path / "hop").symlink_to(workspace / "kept")
    with pytest.raises(CannotJudge, match="has files in git"):
        check_cache(environment, tmp_path / "shards", None)


def test_a_link_to_itself_ends(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CannotJudge, match="more than 40 links"):
        check_cache(environment, tmp_path / "loop", None)


def test_a_checkout_below_another_one_is_looked_at_too(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = tmp_path / "tools"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "commit", "-q", "--allow-empty", "-m", "first")
    forge = Forge(tmp_path / "proposal")
    forge.base({ROWS: b"forged"})
    forge.check_out(outer / "proposal", "refs/heads/main")
    monkeypatch.chdir(outer)
    with pytest.raises(CannotJudge, match="has files in git"):
        check_cache(environment, Path("proposal/kept"), None)
    check_cache(environment, Path("proposal/other"), None)


@pytest.mark.parametrize("name", ["new", "kept-too", "sub/new", "../elsewhere", "kept/../new"])
def test_what_git_does_not_have_is_taken(
    workspace: Path, environment: dict[str, str], name: str
) -> None:
    (workspace / "new").mkdir()
    (workspace / "new" / "rows").write_text("of an earlier run")
    check_cache(environment, Path(name), None)


@pytest.mark.parametrize(
    ("event", "choice"), [("push", None), ("", None), ("pull_request", "worktree")]
)
def test_where_the_checkout_s_baseline_counts_its_cache_does(
    workspace: Path, environment: dict[str, str], event: str, choice: str | None
) -> None:
    check_cache(environment | {"GITHUB_EVENT_NAME": event}, workspace / "kept", choice)


def test_a_full_disk_is_not_a_missing_object(
    workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    names = [git(workspace, "rev-parse", f"HEAD:{name}").strip() for name in (ROWS, "sub/README")]
    repository = Repository(workspace, environment)
    assert [*repository.blobs(names)] == [b"forged", b"x"]
    with pytest.raises(GitFailed, match="object 000000000000 is not in the checkout"):
        [*repository.blobs([*names, "0" * 40])]
    full = tmp_path / "full" / "git"
    full.parent.mkdir()
    git_itself = shutil.which("git")
    full.write_text(f"#!/bin/sh\ntrap '' XFSZ\nulimit -f 0\nexec {git_itself} \"$@\"\n")
    full.chmod(0o755)
    repository = Repository(workspace, {**environment, "PATH": str(full.parent)})
    with pytest.raises(GitFailed, match=r"git cat-file failed \(fatal: "):
        [*repository.blobs(names)]


def test_without_git_nothing_is_believed(workspace: Path, environment: dict[str, str]) -> None:
    with pytest.raises(CannotJudge, match=r"has files in git \(git is not inst"):
        check_cache(environment | {"PATH": ""}, workspace / "new", None)
    check_cache(environment | {"PATH": ""}, workspace.parent / "new", None)


def test_a_submodule_is_no_folder_of_ours(workspace: Path, environment: dict[str, str]) -> None:
    commit = git(workspace, "rev-parse", "HEAD")
    git(workspace, "update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    git(workspace, "commit", "-q", "-m", "submodule")
    head = git(workspace, "rev-parse", "HEAD")
    assert Repository(workspace, environment).holds(head, Path("module/cache"))
    with pytest.raises(CannotJudge, match="has files in git"):
        check_cache(environment, Path("module/cache"), None)
