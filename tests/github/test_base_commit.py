"""A pull request is judged by the baseline of its base, read from real repositories."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from making_pull_requests import Forge, event, git, of_pull_request
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.outputs import MAX_PACKED
from mt_gate.baselines.schema import BaselineSource
from mt_gate.github import base_commit
from mt_gate.github.base_commit import base_of, baseline_source

NAME, ANSWERS = "baselines/ner.json", "baselines/ner.answers.gz"
PATH = Path(NAME)
FIRST, SECOND = b'{"first": 1}\n', b'{"second": 2}\n'


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path / "forge")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def proposed(
    forge: Forge, workspace: Path, base: dict, change: dict, depth: int = 1
) -> tuple[str, dict[str, str]]:
    """Open a pull request, check it out; return the base commit and the step's environment."""
    commit = forge.base({"README": b"x", **base})
    head, merge = forge.pull_request(commit, {"model": b"new", **change})
    forge.check_out(workspace, depth=depth)
    payload = of_pull_request(commit, head)
    return commit, event(workspace.parent, "pull_request", payload, merge)


def found(
    environment: dict[str, str], choice: str | None = None, path: Path = PATH
) -> BaselineSource:
    source = baseline_source(base_of(environment, choice), path)
    assert source is not None
    return source


def test_unchanged(forge: Forge, workspace: Path) -> None:
    commit, environment = proposed(forge, workspace, {NAME: FIRST}, {})
    assert found(environment) == BaselineSource(FIRST, commit, ())


def test_the_answers_are_of_the_base_too(forge: Forge, workspace: Path) -> None:
    kept = {NAME: FIRST, ANSWERS: b"packed"}
    commit, environment = proposed(forge, workspace, kept, {NAME: SECOND, ANSWERS: b"other"})
    source = found(environment)
    assert (source.data, source.outputs, source.commit) == (FIRST, b"packed", commit)


@pytest.mark.parametrize("size", [None, MAX_PACKED + 1])
def test_answers_that_cannot_be_had_are_no_failure(
    forge: Forge, workspace: Path, size: int | None
) -> None:
    kept = {NAME: FIRST} | ({} if size is None else {ANSWERS: bytes(size)})
    commit, environment = proposed(forge, workspace, kept, {})
    assert found(environment) == BaselineSource(FIRST, commit, ())


def test_answers_in_git_lfs_are_the_checkout_s(forge: Forge, workspace: Path) -> None:
    """A pointer is no answer; the file that it stands for may be checked out."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\n"
    commit, environment = proposed(forge, workspace, {NAME: FIRST, ANSWERS: pointer}, {})
    assert found(environment) == BaselineSource(FIRST, commit, ())


@pytest.mark.parametrize("depth", [1, 2, 50])
def test_edited(forge: Forge, workspace: Path, depth: int) -> None:
    commit, environment = proposed(forge, workspace, {NAME: FIRST}, {NAME: SECOND}, depth)
    note = (
        f"baselines/ner.json is edited by this pull request; judged by the one of its base, "
        f"{commit[:7]}"
    )
    assert found(environment) == BaselineSource(FIRST, commit, (note,))
    assert PATH.read_bytes() == SECOND
    assert not git(workspace, "status", "--porcelain")


def test_line_endings_are_no_edit(forge: Forge, workspace: Path) -> None:
    _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
    PATH.write_bytes(FIRST.replace(b"\n", b"\r\n"))
    assert not found(environment).notes


def test_removed(forge: Forge, workspace: Path) -> None:
    commit, environment = proposed(forge, workspace, {NAME: FIRST}, {NAME: None})
    source = found(environment)
    assert source.data == FIRST
    assert source.notes == (
        f"{NAME} is removed by this pull request; judged by the one of its base, {commit[:7]}",
    )


def test_added_is_a_new_gate(forge: Forge, workspace: Path) -> None:
    commit, environment = proposed(forge, workspace, {}, {NAME: SECOND})
    note = (
        f"{NAME} is not in the base of this pull request, {commit[:7]}: "
        "judged by the one added, as for a new gate"
    )
    assert found(environment) == BaselineSource(notes=(note,))


def test_the_base_that_was_merged_with_counts_where_the_event_is_older(
    forge: Forge, workspace: Path
) -> None:
    old = forge.base({NAME: FIRST})
    head, _ = forge.pull_request(old, {"model": b"new"})
    new = forge.base({NAME: SECOND})
    merge = forge.merge(head)
    forge.check_out(workspace)
    environment = event(workspace.parent, "pull_request", of_pull_request(old, head), merge)
    assert found(environment) == BaselineSource(SECOND, new, ())


def test_a_merge_that_is_not_of_this_pull_request_names_no_base(
    forge: Forge, workspace: Path
) -> None:
    """A head that is itself a merge, of a branch of the author's own with a kinder baseline."""
    base = forge.base({NAME: FIRST})
    git(forge.clone, "checkout", "-q", "--detach", base)
    forge.commit({NAME: SECOND})
    kinder = git(forge.clone, "rev-parse", "HEAD")
    other = forge.pull_request(base, {"model": b"new"})[0]
    git(forge.clone, "checkout", "-q", "--detach", kinder)
    git(forge.clone, "merge", "-q", "-m", "mine", other)
    head = git(forge.clone, "rev-parse", "HEAD")
    forge.push("refs/pull/1/head")
    forge.check_out(workspace, "refs/pull/1/head")
    environment = event(workspace.parent, "pull_request", of_pull_request(base, head), head)
    source = found(environment)
    assert (source.data, source.commit) == (FIRST, base)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_the_head_checked_out_may_only_be_behind(forge: Forge, workspace: Path, name: str) -> None:
    old = forge.base({NAME: FIRST})
    new = forge.base({NAME: SECOND})
    head, merge = forge.pull_request(old, {"model": b"new"})
    forge.check_out(workspace, "refs/pull/1/head")
    git(workspace, "fetch", "-q", "--depth=1", "origin", "refs/pull/1/merge")
    environment = event(workspace.parent, name, of_pull_request(new, head), merge)
    source = found(environment)
    assert (source.data, source.commit) == (SECOND, new)
    assert "or the checkout is not up to date with its base" in source.notes[0]


def test_merge_queue(forge: Forge, workspace: Path) -> None:
    base = forge.base({NAME: FIRST})
    _, merge = forge.pull_request(base, {NAME: SECOND})
    forge.check_out(workspace)
    environment = event(workspace.parent, "merge_group", {"merge_group": {"base_sha": base}}, merge)
    source = found(environment)
    assert source.data == FIRST
    assert source.notes[0].startswith(f"{NAME} is edited by this merge group; judged by")


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", ""])
def test_other_events_read_the_working_tree(name: str) -> None:
    assert base_of({"GITHUB_EVENT_NAME": name}, None) is None
    assert base_of({}, "base") is None
    assert baseline_source(None, PATH) is None


def test_the_working_tree_on_purpose_is_told() -> None:
    source = found({"GITHUB_EVENT_NAME": "pull_request"}, "worktree")
    assert source.data is None
    assert "baseline-from: worktree" in source.notes[0]


def test_another_choice_is_refused() -> None:
    with pytest.raises(UsageError, match="'head'; expected base or worktree"):
        base_of({}, "head")


class TestCannotJudge:
    """Where the base cannot be read there is one line, with what to do, and no verdict."""

    def refused(self, environment: dict[str, str], path: Path = PATH) -> str:
        with pytest.raises(CannotJudge) as failed:
            found(environment, path=path)
        text = str(failed.value)
        assert "baseline-from: worktree" in text
        assert "\n" not in text
        return text

    def test_no_git(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        assert "git is not installed" in self.refused(environment | {"PATH": ""})

    def test_no_repository(self, workspace: Path) -> None:
        environment = event(workspace.parent, "pull_request", of_pull_request("a" * 40, "b" * 40))
        text = self.refused(environment)
        assert "in no git repository" in text
        assert "fetch-depth: 0" in text

    @pytest.mark.parametrize("path", ["/nowhere/ner.json", "../../other/ner.json"])
    def test_outside_the_repository(self, forge: Forge, workspace: Path, path: str) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        assert "in no git repository" in self.refused(environment, Path(path))

    def test_a_broken_repository_is_not_looked_for_further_up(
        self, forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outer = tmp_path / "outer"
        outer.mkdir()
        _, environment = proposed(forge, outer, {NAME: FIRST}, {})
        inner = outer / "inner"
        (inner / ".git").mkdir(parents=True)
        monkeypatch.chdir(inner)
        self.refused(environment)

    def test_a_commit_that_cannot_be_fetched(self, forge: Forge, workspace: Path) -> None:
        base = forge.base({NAME: FIRST})
        head, _ = forge.pull_request(base, {})
        forge.check_out(workspace)
        environment = event(workspace.parent, "pull_request", of_pull_request("a" * 40, head))
        assert "aaaaaaaaaaaa is not in the checkout and cannot be fetched" in self.refused(
            environment
        )

    def test_no_secret_of_the_address_is_told(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        git(workspace, "remote", "set-url", "origin", "https://x:s3cret@localhost:1/a.git")
        text = self.refused(environment)
        assert "cannot be fetched (fatal: " in text
        assert "s3cret" not in text

    def test_a_base_that_is_no_hash(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        command = "--upload-pack=touch pwned"
        for sha in (command, "main", "HEAD", "a" * 39, "a" * 40 + "\n", "A" * 40, "", 7):
            for name, payload in (
                ("pull_request", of_pull_request(sha, "b" * 40)),
                ("pull_request", of_pull_request("b" * 40, sha)),
                ("merge_group", {"merge_group": {"base_sha": sha}}),
            ):
                self.refused(environment | event(workspace.parent, name, payload))
        assert not (workspace / "pwned").exists()

    @pytest.mark.parametrize("name", base_commit.EVENTS)
    def test_an_event_without_a_base(self, forge: Forge, workspace: Path, name: str) -> None:
        forge.base({NAME: FIRST})
        forge.check_out(workspace, "refs/heads/main")
        for payload in ({}, [], None, {"pull_request": None}, {"merge_group": 1}):
            self.refused(event(workspace.parent, name, payload))

    def test_no_event(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        for path in ("", str(workspace / "none.json"), str(workspace)):
            self.refused(environment | {"GITHUB_EVENT_PATH": path})

    def test_a_symbolic_link_in_the_base(self, forge: Forge, workspace: Path) -> None:
        (forge.clone / "baselines").mkdir()
        (forge.clone / NAME).symlink_to("../secret.json")
        _, environment = proposed(forge, workspace, {"secret.json": FIRST}, {})
        assert "a symbolic link there, expected a plain file" in self.refused(environment)

    def test_a_linked_folder_in_the_base(self, forge: Forge, workspace: Path) -> None:
        (forge.clone / "baselines").symlink_to("real")
        _, environment = proposed(forge, workspace, {"real/ner.json": FIRST}, {})
        assert "baselines is a symbolic link there, expected a folder" in self.refused(environment)

    def test_a_submodule_in_the_base(self, forge: Forge, workspace: Path) -> None:
        commit = forge.base({"README": b"x"})
        git(forge.clone, "update-index", "--add", "--cacheinfo", f"160000,{commit},{NAME}")
        git(forge.clone, "commit", "-q", "-m", "submodule")
        forge.push("refs/heads/main")
        base = git(forge.clone, "rev-parse", "HEAD")
        head, merge = forge.pull_request(base, {})
        forge.check_out(workspace)
        payload = of_pull_request(base, head)
        environment = event(workspace.parent, "pull_request", payload, merge)
        assert "a submodule there, expected a plain file" in self.refused(environment)

    def test_a_folder_in_the_base(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME + "/x": FIRST}, {})
        assert "a folder there, expected a plain file" in self.refused(environment)

    def test_too_large(
        self, forge: Forge, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {})
        monkeypatch.setattr(base_commit, "MAX_BYTES", len(FIRST) - 1)
        assert f"{len(FIRST)} bytes there, at most" in self.refused(environment)

    def test_git_lfs(self, forge: Forge, workspace: Path) -> None:
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
        _, environment = proposed(forge, workspace, {NAME: pointer}, {})
        assert "Git LFS" in self.refused(environment)


def test_a_merge_conflict_in_the_base(forge: Forge, workspace: Path) -> None:
    conflict = b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> main\n"
    base, environment = proposed(forge, workspace, {NAME: conflict}, {})
    with pytest.raises(CannotJudge) as failed:
        found(environment)
    words = f"{NAME} of base commit {base[:7]}: marks of a merge conflict in line 1"
    assert str(failed.value).startswith(words)


class TestEvasions:
    """What a pull request can put in its own tree does not lead away from the base."""

    def test_the_file_becomes_a_link(self, forge: Forge, workspace: Path) -> None:
        base = forge.base({NAME: FIRST})
        git(forge.clone, "checkout", "-q", "--detach", base)
        (forge.clone / NAME).unlink()
        (forge.clone / NAME).symlink_to("/dev/zero")
        head = forge.commit({})
        merge = forge.merge(head)
        forge.check_out(workspace)
        payload = of_pull_request(base, head)
        source = found(event(workspace.parent, "pull_request", payload, merge))
        assert source.data == FIRST
        assert f"{NAME} is replaced by this pull request" in source.notes[0]

    def test_the_folder_leads_to_another_place(self, forge: Forge, workspace: Path) -> None:
        """From a link to the repository's top, ``ner.json`` would be new at the base."""
        base = forge.base({NAME: FIRST})
        git(forge.clone, "checkout", "-q", "--detach", base)
        (forge.clone / NAME).unlink()
        (forge.clone / "baselines").rmdir()
        (forge.clone / "baselines").symlink_to(".")
        head = forge.commit({"ner.json": SECOND})
        merge = forge.merge(head)
        forge.check_out(workspace)
        payload = of_pull_request(base, head)
        source = found(event(workspace.parent, "pull_request", payload, merge))
        assert source.data == FIRST
        assert "is edited by this pull request" in source.notes[0]

    def test_the_folder_becomes_another_repository(self, forge: Forge, workspace: Path) -> None:
        _, environment = proposed(forge, workspace, {NAME: FIRST}, {NAME: None})
        nested = workspace / "baselines"
        git(workspace, "clone", "-q", str(forge.remote), str(nested))
        (nested / "ner.json").write_bytes(SECOND)
        assert found(environment).data == FIRST


@pytest.mark.parametrize(
    "name", ["--help", ":(top)x.json", "*.json", "a b\n.json", "é.json", "-/--.json"]
)
def test_strange_paths(forge: Forge, workspace: Path, name: str) -> None:
    _, environment = proposed(forge, workspace, {f"b/{name}": FIRST}, {f"b/{name}": SECOND})
    assert found(environment, path=Path("b") / name).data == FIRST


def test_a_checkout_in_a_folder_of_the_workspace(forge: Forge, workspace: Path) -> None:
    commit, environment = proposed(forge, workspace / "code", {NAME: FIRST}, {NAME: SECOND})
    environment["GITHUB_EVENT_PATH"] = str(workspace / "event.json")
    source = found(environment, path=Path("code") / NAME)
    assert (source.data, source.commit) == (FIRST, commit)
    assert found(environment, path=workspace / "code" / NAME).data == FIRST


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_checkout_of_another_user(forge: Forge, workspace: Path) -> None:
    """As in a container; nothing of git's own configuration is written for it."""
    _, environment = proposed(forge, workspace, {NAME: FIRST}, {NAME: SECOND})
    home = workspace.parent / "home"
    home.mkdir()
    for folder, _, files in os.walk(workspace):
        for path in [folder, *(os.path.join(folder, name) for name in files)]:
            os.chown(path, 12345, 12345, follow_symlinks=False)
    bare = {"PATH": os.environ["PATH"], "HOME": str(home)}
    refused = subprocess.run(["git", "status"], env=bare, capture_output=True, check=False)
    assert b"dubious ownership" in refused.stderr
    before = (workspace / ".git" / "config").read_bytes()
    assert found(environment | bare).data == FIRST
    assert not [*home.iterdir()]
    assert (workspace / ".git" / "config").read_bytes() == before
    made = [path for path in (workspace / ".git").rglob("*") if path.lstat().st_uid != 12345]
    assert made, "the base commit was fetched"
    assert not [path for path in made if stat.S_ISDIR(path.lstat().st_mode)]


def test_the_environment_leads_to_no_other_repository(forge: Forge, workspace: Path) -> None:
    _, environment = proposed(forge, workspace, {NAME: FIRST}, {NAME: SECOND})
    trace = workspace.parent / "trace"
    environment |= {"GIT_DIR": str(forge.remote), "GIT_TRACE": str(trace)}
    assert found(environment).data == FIRST
    assert not trace.exists()
