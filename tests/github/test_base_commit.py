"""A pull request is judged by the baseline of its base, read from real repositories."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from making_pull_requests import Files, Forge, Propose, event, git, of_pull_request
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.outputs import MAX_PACKED
from mt_gate.baselines.schema import BaselineSource
from mt_gate.github import base_commit
from mt_gate.github.base_commit import base_of, baseline_source

NAME, ANSWERS = "baselines/ner.json", "baselines/ner.answers.gz"
PATH = Path(NAME)
FIRST, SECOND = b'{"first": 1}\n', b'{"second": 2}\n'
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"
EDITED = f"{NAME} is edited by this pull request"


def read(
    environment: dict[str, str], choice: str | None = None, path: Path = PATH
) -> BaselineSource:
    source = baseline_source(base_of(environment, choice), path)
    assert source is not None
    return source


@pytest.mark.parametrize("answers", [None, bytes(MAX_PACKED + 1), LFS])
def test_answers_that_cannot_be_had_are_no_failure(propose: Propose, answers: Any) -> None:
    """A pointer is no answer; the file that it names may be checked out."""
    files = {NAME: FIRST} | ({ANSWERS: answers} if answers else {})
    commit, environment = propose(files, {})
    assert read(environment) == BaselineSource(FIRST, commit, ())


def test_the_answers_are_of_the_base_too(propose: Propose) -> None:
    files = {NAME: FIRST, ANSWERS: b"packed"}
    commit, environment = propose(files, {NAME: SECOND, ANSWERS: b"other"})
    source = read(environment)
    assert (source.data, source.outputs, source.commit) == (FIRST, b"packed", commit)


@pytest.mark.parametrize("depth", [1, 2, 50])
def test_edited(propose: Propose, workspace: Path, depth: int) -> None:
    commit, environment = propose({NAME: FIRST}, {NAME: SECOND}, depth)
    note = f"{EDITED}. mt-gate used the file of its base, {commit[:7]}"
    assert read(environment) == BaselineSource(FIRST, commit, (note,))
    assert PATH.read_bytes() == SECOND
    assert not git(workspace, "status", "--porcelain")


def test_line_endings_are_no_edit(propose: Propose) -> None:
    _, environment = propose({NAME: FIRST}, {})
    PATH.write_bytes(FIRST.replace(b"\n", b"\r\n"))
    assert not read(environment).notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({NAME: None}, f"{NAME} is removed by this pull request. mt-gate used the file of its "),
        ({NAME: "/dev/zero"}, f"{NAME} is replaced by this pull request"),
        # From a link to the repository's top, ``ner.json`` would be new at the base.
        ({NAME: None, "baselines": ".", "ner.json": SECOND}, EDITED),
    ],
)
def test_no_change_leads_away_from_the_base(propose: Propose, change: Files, words: str) -> None:
    commit, environment = propose({NAME: FIRST}, change)
    source = read(environment)
    assert (source.data, source.commit) == (FIRST, commit)
    assert source.notes[0].startswith(words)


def test_the_folder_becomes_another_repository(
    propose: Propose, forge: Forge, workspace: Path
) -> None:
    _, environment = propose({NAME: FIRST}, {NAME: None})
    nested = workspace / "baselines"
    git(workspace, "clone", "-q", str(forge.remote), str(nested))
    (nested / "ner.json").write_bytes(SECOND)
    assert read(environment).data == FIRST


def test_added_is_a_new_gate(propose: Propose) -> None:
    commit, environment = propose({}, {NAME: SECOND})
    note = (
        f"{NAME} is not in the base of this pull request, {commit[:7]}. "
        "mt-gate used the added file, as for a new gate"
    )
    assert read(environment) == BaselineSource(notes=(note,))


def test_the_base_that_was_merged_with_counts_where_the_event_is_older(
    forge: Forge, workspace: Path
) -> None:
    old = forge.base({NAME: FIRST})
    head, _ = forge.pull_request(old, {"model": b"new"})
    new = forge.base({NAME: SECOND})
    merge = forge.merge(head)
    forge.check_out(workspace)
    environment = event(workspace.parent, "pull_request", of_pull_request(old, head), merge)
    assert read(environment) == BaselineSource(SECOND, new, ())


def test_a_merge_that_is_not_of_this_pull_request_names_no_base(
    forge: Forge, workspace: Path
) -> None:
    """A head that is itself a merge, of a branch of the author's own with a kinder baseline."""
    base = forge.base({NAME: FIRST})
    git(forge.clone, "checkout", "-q", "--detach", base)
    kinder = forge.commit({NAME: SECOND})
    other = forge.pull_request(base, {"model": b"new"})[0]
    git(forge.clone, "checkout", "-q", "--detach", kinder)
    git(forge.clone, "merge", "-q", "-m", "mine", other)
    head = git(forge.clone, "rev-parse", "HEAD")
    forge.push("refs/pull/1/head")
    forge.check_out(workspace, "refs/pull/1/head")
    source = read(event(workspace.parent, "pull_request", of_pull_request(base, head), head))
    assert (source.data, source.commit) == (FIRST, base)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_the_head_checked_out_may_only_be_behind(forge: Forge, workspace: Path, name: str) -> None:
    old = forge.base({NAME: FIRST})
    new = forge.base({NAME: SECOND})
    head, merge = forge.pull_request(old, {"model": b"new"})
    forge.check_out(workspace, "refs/pull/1/head")
    git(workspace, "fetch", "-q", "--depth=1", "origin", "refs/pull/1/merge")
    source = read(event(workspace.parent, name, of_pull_request(new, head), merge))
    assert (source.data, source.commit) == (SECOND, new)
    assert "or the checkout is older than its base" in source.notes[0]


def test_merge_queue(forge: Forge, workspace: Path) -> None:
    base = forge.base({NAME: FIRST})
    _, merge = forge.pull_request(base, {NAME: SECOND})
    forge.check_out(workspace)
    payload = {"merge_group": {"base_sha": base}}
    source = read(event(workspace.parent, "merge_group", payload, merge))
    assert source.data == FIRST
    assert source.notes[0].startswith(f"{NAME} is edited by this merge group. mt-gate used")


def test_what_reads_the_working_tree() -> None:
    for name in ("push", "schedule", "workflow_dispatch", ""):
        assert base_of({"GITHUB_EVENT_NAME": name}, None) is None
    assert base_of({}, "base") is None
    assert baseline_source(None, PATH) is None
    source = read({"GITHUB_EVENT_NAME": "pull_request"}, "worktree")
    assert source.data is None
    assert "baseline-from: worktree" in source.notes[0]
    with pytest.raises(UsageError, match=r"'head'\. Expected base or worktree"):
        base_of({}, "head")


class TestCannotJudge:
    """Where the base cannot be read there is one line, with what to do, and no verdict."""

    def refused(self, environment: dict[str, str], path: Path = PATH) -> str:
        with pytest.raises(CannotJudge) as failed:
            read(environment, path=path)
        text = str(failed.value)
        assert "baseline-from: worktree" in text
        assert "\n" not in text
        return text

    @pytest.mark.parametrize(
        ("before", "words"),
        [
            (
                {NAME: "../secret.json", "secret.json": FIRST},
                "a symbolic link there, expected a plain file",
            ),
            (
                {"baselines": "real", "real/ner.json": FIRST},
                "baselines is a symbolic link there, expected a folder",
            ),
            ({NAME + "/x": FIRST}, "a folder there, expected a plain file"),
            pytest.param(
                {NAME: bytes(base_commit.MAX_BYTES + 1)},
                f"{base_commit.MAX_BYTES + 1} bytes there",
                marks=pytest.mark.nightly,
            ),
            ({NAME: LFS}, "Git LFS"),
        ],
    )
    def test_what_the_base_has(self, propose: Propose, before: Files, words: str) -> None:
        assert words in self.refused(propose(before, {})[1])

    def test_a_submodule_in_the_base(self, forge: Forge, workspace: Path) -> None:
        commit = forge.base({"README": b"x"})
        git(forge.clone, "update-index", "--add", "--cacheinfo", f"160000,{commit},{NAME}")
        git(forge.clone, "commit", "-q", "-m", "submodule")
        base = git(forge.clone, "rev-parse", "HEAD")
        head, merge = forge.pull_request(base, {})
        forge.check_out(workspace)
        environment = event(workspace.parent, "pull_request", of_pull_request(base, head), merge)
        assert "a submodule there, expected a plain file" in self.refused(environment)

    def test_no_git(self, propose: Propose) -> None:
        _, environment = propose({NAME: FIRST}, {})
        assert "git is not installed" in self.refused(environment | {"PATH": ""})

    def test_no_repository(
        self, propose: Propose, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        environment = event(workspace.parent, "pull_request", of_pull_request("a" * 40, "b" * 40))
        text = self.refused(environment)
        assert "not in a git repository" in text
        assert "fetch-depth: 0" in text
        _, environment = propose({NAME: FIRST}, {})
        for path in ("/nowhere/ner.json", "../../other/ner.json"):
            assert "not in a git repository" in self.refused(environment, Path(path))
        # A broken repository is not looked for further up.
        (workspace / "inner/.git").mkdir(parents=True)
        monkeypatch.chdir("inner")
        self.refused(environment)

    def test_a_commit_that_cannot_be_fetched(self, propose: Propose, workspace: Path) -> None:
        commit, environment = propose({NAME: FIRST}, {})
        git(workspace, "remote", "set-url", "origin", "https://x:s3cret@localhost:1/a.git")
        text = self.refused(environment)
        assert f"{commit[:12]} is not in the checkout and cannot be fetched (fatal: " in text
        assert "s3cret" not in text

    def test_a_base_that_is_no_hash(self, propose: Propose, workspace: Path) -> None:
        _, environment = propose({NAME: FIRST}, {})
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
            environment = event(workspace.parent, name, payload)
            self.refused(environment)
        for path in ("", str(workspace / "none.json"), str(workspace)):
            self.refused(environment | {"GITHUB_EVENT_PATH": path})


def test_a_checkout_in_a_folder_of_the_workspace(
    propose: Propose, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, environment = propose({NAME: FIRST}, {NAME: SECOND})
    monkeypatch.chdir(workspace.parent)
    source = read(environment, path=Path("workspace") / NAME)
    assert (source.data, source.commit) == (FIRST, commit)
    assert read(environment, path=workspace / NAME).data == FIRST


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_checkout_of_another_user(propose: Propose, workspace: Path) -> None:
    """As in a container; nothing of git's own configuration is written for it."""
    _, environment = propose({NAME: FIRST}, {NAME: SECOND})
    home = workspace.parent / "home"
    home.mkdir()
    for folder, _, files in os.walk(workspace):
        for path in [folder, *(os.path.join(folder, name) for name in files)]:
            os.chown(path, 12345, 12345, follow_symlinks=False)
    bare = {"PATH": os.environ["PATH"], "HOME": str(home)}
    refused = subprocess.run(["git", "status"], env=bare, capture_output=True, check=False)
    assert b"dubious ownership" in refused.stderr
    before = (workspace / ".git" / "config").read_bytes()
    assert read(environment | bare).data == FIRST
    assert not [*home.iterdir()]
    assert (workspace / ".git" / "config").read_bytes() == before
    made = [path for path in (workspace / ".git").rglob("*") if path.lstat().st_uid != 12345]
    assert made, "the base commit was fetched"
    assert not [path for path in made if stat.S_ISDIR(path.lstat().st_mode)]


def test_the_environment_leads_to_no_other_repository(
    propose: Propose, forge: Forge, workspace: Path
) -> None:
    _, environment = propose({NAME: FIRST}, {NAME: SECOND})
    trace = workspace.parent / "trace"
    environment |= {"GIT_DIR": str(forge.remote), "GIT_TRACE": str(trace)}
    assert read(environment).data == FIRST
    assert not trace.exists()
