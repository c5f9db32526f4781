"""The baseline of a pull request: its base commit's, so that no one passes by editing their own.

Which commit that is, the event says that started the workflow. The working tree's file stands in
only where the base has none, or a workflow asks for it, and both are told.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.baseline_answers import MAX_PACKED, answers_path
from mt_gate.baseline_store import MAX_BYTES, BaselineSource
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.git_objects import GitFailed, Repository
from mt_gate.workflow import Hash, read_event

BASE, WORKTREE = "base", "worktree"
MERGE_GROUP = "merge_group"
MERGED = ("pull_request", "pull_request_review", "pull_request_review_comment")
"""Events whose ``GITHUB_SHA`` is GitHub's test merge of the pull request into its base."""
EVENTS = (*MERGED, "pull_request_target", MERGE_GROUP)

_SHORT = 7
_LFS = b"version https://git-lfs.github.com/spec/"
_ADVICE = (
    "check out with actions/checkout and fetch-depth: 0, or set baseline-from: worktree to be "
    "judged by the pull request's own"
)


class _Commit(msgspec.Struct):
    sha: Hash


class _PullRequest(msgspec.Struct):
    base: _Commit
    head: _Commit


class _MergeGroup(msgspec.Struct):
    base_sha: Hash


class _Event(msgspec.Struct):
    pull_request: _PullRequest | None = None
    merge_group: _MergeGroup | None = None


class _Base(NamedTuple):
    """The base commit; ``exact`` where what is checked out was made of it."""

    commit: str
    exact: bool


def baseline_source(
    environment: Mapping[str, str], path: Path, choice: str | None
) -> BaselineSource | None:
    """Return what to judge by instead of the file in the working tree.

    Args:
        environment: of a workflow's step: the event's name and file, the commit, ``PATH``.
        path: of the baseline, in the checkout; relative to the working folder, or absolute.
        choice: ``base``, ``worktree``, or None for ``base``.

    Returns:
        None where no pull request and no merge queue started the workflow.

    Raises:
        UsageError: the choice is none of the two.
        CannotJudge: the base commit cannot be told or read; never a silent pass.
    """
    if choice not in (None, BASE, WORKTREE):
        raise UsageError(f"baseline-from is {choice!r}; expected {BASE} or {WORKTREE}")
    event = environment.get("GITHUB_EVENT_NAME", "")
    if event not in EVENTS:
        return None
    who = "this merge group" if event == MERGE_GROUP else "this pull request"
    if choice == WORKTREE:
        note = f"{path} is read as {who} has it (baseline-from: {WORKTREE}), edited or not"
        return BaselineSource(notes=(note,))
    try:
        repository, inside = _locate(path, environment)
        base = _base(event, environment, repository)
        repository.fetch(base.commit)
        data = repository.read(base.commit, inside, MAX_BYTES)
    except GitFailed as failed:
        raise CannotJudge(f"{path}: not read from the base of {who}: {failed}; {_ADVICE}") from None
    if data is not None and data.startswith(_LFS):
        raise CannotJudge(
            f"{path}: the base of {who} keeps it in Git LFS, where it is not read from; keep it in "
            f"git itself, or set baseline-from: {WORKTREE}"
        )
    found = _told(path, who, base, data)
    if found.data is None:
        return found
    return found._replace(answers=_answers(repository, base.commit, answers_path(inside)))


def _answers(repository: Repository, commit: str, path: Path) -> bytes | None:
    """Return the baseline's answers as a commit has them, None where they cannot be had.

    They decide nothing, so that nothing about them is a failure. Those in Git LFS are the
    checkout's: the baseline names their digest.
    """
    try:
        found = repository.read(commit, path, MAX_PACKED)
    except GitFailed:
        return None
    return None if found is None or found.startswith(_LFS) else found


def _told(path: Path, who: str, base: _Base, data: bytes | None) -> BaselineSource:
    """Say in a sentence where the working tree's baseline is another one."""
    commit = base.commit[:_SHORT]
    if data is None:
        if not os.path.isfile(path):
            return BaselineSource()
        note = f"{path} is not in the base of {who}, {commit}: judged by the one added, a new gate"
        return BaselineSource(notes=(note,))
    change = _change(path, data)
    if change is None:
        return BaselineSource(data=data, commit=base.commit)
    behind = "" if base.exact else " (or the checkout is not up to date with its base)"
    note = f"{path} is {change} by {who}{behind}; judged by the one of its base, {commit}"
    return BaselineSource(data=data, commit=base.commit, notes=(note,))


def _change(path: Path, data: bytes) -> str | None:
    """Say what became of the file since the base; line endings are no change."""
    if not os.path.lexists(path):
        return "removed"
    if path.is_symlink() or not os.path.isfile(path):
        return "replaced"
    try:
        with path.open("rb") as file:
            found = file.read(2 * MAX_BYTES)
    except OSError:
        return "edited"
    return None if found.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n") else "edited"


def _locate(path: Path, environment: Mapping[str, str]) -> tuple[Repository, Path]:
    """Return the repository that holds a path, and the path from its top.

    It is the outermost from the working folder on. A nested one may have come with the pull
    request, as a submodule or by a symbolic link, and its base would have no baseline.
    """
    if "\0" in str(path):
        raise GitFailed("a path with a null character")
    here = Path.cwd()
    file = Path(os.path.normpath(here / path))
    below = [folder for folder in reversed(file.parents) if folder.is_relative_to(here)]
    for folder in (*below, *here.parents):
        if file.is_relative_to(folder) and (folder / ".git").exists():
            return Repository(folder, environment), file.relative_to(folder)
    raise GitFailed(f"it lies in no git repository around or below {here}")


def _base(event: str, environment: Mapping[str, str], repository: Repository) -> _Base:
    """Return the base commit that the event names, or a newer one that was merged with.

    The base in a pull request's event is the one of the last push to it. GitHub's test merge
    is made with the base as it is now: two parents, of which the second is the pull request.
    """
    found = _read_event(environment)
    if event == MERGE_GROUP:
        if found.merge_group is None:
            raise GitFailed("the event names no merge group")
        return _Base(found.merge_group.base_sha, exact=True)
    if found.pull_request is None:
        raise GitFailed("the event names no pull request")
    base, head = found.pull_request.base.sha, found.pull_request.head.sha
    merge = environment.get("GITHUB_SHA", "")
    if event in MERGED and merge and repository.has(merge):
        parents = repository.parents(merge)
        if len(parents) == 2 and parents[1] == head:
            return _Base(parents[0], exact=repository.head() == merge)
    return _Base(base, exact=False)


def _read_event(environment: Mapping[str, str]) -> _Event:
    path = Path(environment.get("GITHUB_EVENT_PATH") or "GITHUB_EVENT_PATH")
    cause = (
        "expected the event that started the workflow, in the file that GITHUB_EVENT_PATH names; "
        f"or set baseline-from: {WORKTREE}"
    )
    return read_event(path, _Event, cause)
