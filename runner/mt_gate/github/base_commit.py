"""What judges a pull request is its base commit's, so that no one passes by editing their own.

Which commit that is, the event says that started the workflow. Settings (``base_settings.py``)
and baseline are read from it. The working tree's baseline stands in only where the base has none,
or a workflow asks for it, and both are told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import check_content, is_pointer, scratch
from mt_gate.baselines.outputs import MAX_PACKED, outputs_path
from mt_gate.baselines.schema import MAX_BYTES, NEW_GATE, BaselineSource
from mt_gate.github.base_copy import Copy, export
from mt_gate.github.git_objects import GitFailed, Repository, places, way
from mt_gate.github.workflow import Hash, read_event

BASE, WORKTREE = "base", "worktree"
MERGE_GROUP = "merge_group"
TARGET = "pull_request_target"
MERGED = ("pull_request", "pull_request_review", "pull_request_review_comment")
"""Events whose ``GITHUB_SHA`` is GitHub's test merge of the pull request into its base."""
EVENTS = (*MERGED, TARGET, MERGE_GROUP)

_SHORT = 7
_BEHIND = " (or the checkout is not up to date with its base)"
_OF_BASELINES = (b'"suite"', b'"settings"', b'"runs"')
"""Fields that tell a baseline from another JSON file."""
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


class _Found(NamedTuple):
    """The base commit in a repository; ``exact`` where what is checked out was made of it."""

    repository: Repository
    commit: str
    exact: bool


class BaseFile(NamedTuple):
    """A file as the base has it.

    ``data`` is None where the base has none; ``commit`` is the base; ``behind`` stands after what
    is said of an edit that may as well be the base's own.
    """

    data: bytes | None
    commit: str
    behind: str

    @property
    def short(self) -> str:
        """The commit, as messages have it."""
        return self.commit[:_SHORT]


class Base:
    """The base of the pull request or merge group that a workflow runs for."""

    def __init__(self, environment: Mapping[str, str], event: str, *, judges: bool) -> None:
        """Look at nothing yet.

        Args:
            environment: of a workflow's step: the event's file, the commit, ``PATH``.
            event: one of ``EVENTS``.
            judges: whether the base is to judge; else the working tree is, on purpose.
        """
        self.judges = judges
        self.who = "this merge group" if event == MERGE_GROUP else "this pull request"
        self._environment = environment
        self._event = event
        self._found: dict[Path, _Found] = {}

    def read(self, path: Path, limit: int) -> BaseFile:
        """Return a file as the base commit has it, which is fetched if it is not here.

        Args:
            path: in the checkout; relative to the working folder, or absolute.
            limit: bytes; a larger file is refused unread.

        Raises:
            CannotJudge: the base commit is unknown or unreadable; never a silent pass.
        """
        try:
            found, inside = self._locate(path)
            data = found.repository.read(found.commit, inside, limit)
        except GitFailed as failed:
            raise CannotJudge(
                f"{path}: not read from the base of {self.who}: {failed}; {_ADVICE}"
            ) from None
        if data is not None and is_pointer(data):
            raise CannotJudge(
                f"{path}: the base of {self.who} keeps it in Git LFS, from where it is not read; "
                f"keep it in git itself, or set baseline-from: {WORKTREE}"
            )
        check_content(f"{path} of base commit {found.commit[:_SHORT]}", data or b"")
        return BaseFile(data, found.commit, "" if found.exact else _BEHIND)

    def try_reading(self, path: Path, limit: int) -> bytes | None:
        """Return a file that decides nothing as the base has it, None where it cannot be had."""
        try:
            found, inside = self._locate(path)
            data = found.repository.read(found.commit, inside, limit)
        except GitFailed:
            return None
        return None if data is None or is_pointer(data) else data

    def first_baseline(self, path: Path, configs: Iterable[Path]) -> str:
        """Return the note on a run that records the first baseline of a new gate.

        Args:
            path: of the baseline, which neither the base nor the checkout has.
            configs: settings files that would show that the base has a gate.

        Raises:
            CannotJudge: the base has a gate, so that the path is likely mistyped; or it cannot be
                read.
        """
        try:
            found, inside = self._locate(path)
            gate = next(_gate_files(found, inside, configs), "")
        except GitFailed as failed:
            raise CannotJudge(
                f"{path}: not read from the base of {self.who}: {failed}; {_ADVICE}"
            ) from None
        short = found.commit[:_SHORT]
        if gate:
            raise CannotJudge(
                f"{path}: no such baseline, neither here nor in the base of {self.who}, {short}, "
                f"which has a gate ({gate}); record-missing records on {self.who} only where the "
                "base has none; correct the path, or record the baseline outside a pull request"
            )
        return (
            f"{NEW_GATE}: the base of {self.who}, {short}, has no mt-gate settings, baseline or "
            f"workflow. Nothing was compared; this run is recorded as {path}. Commit that file"
        )

    def edit(self, path: Path) -> str:
        """Say that git has a file or folder differently here than at the base; empty if it has not.

        Links on the way to it and below it count, and so does what they lead to.

        Raises:
            CannotJudge: the base commit is unknown or unreadable.
        """
        try:
            for place in places(path):
                if (found := self._edited(place)) is not None:
                    return f"edited by {self.who}" + ("" if found.exact else _BEHIND)
        except GitFailed as failed:
            raise CannotJudge(
                f"{path}: not read from the base of {self.who}: {failed}; {_ADVICE}"
            ) from None
        return ""

    def _edited(self, place: Path) -> _Found | None:
        """Return the base whose commit has another content at a place than the checkout's."""
        outermost = _top(place)
        for top in (top for top in (place, *place.parents) if (top / ".git").exists()):
            around = top == outermost and Path.cwd().is_relative_to(top)
            if not around and not self._is_proposed(top):
                continue  # a step checked it out: another repository, or the base
            if top not in self._found:
                self._found[top] = self._fetched(Repository(top, self._environment))
            found, inside = self._found[top], place.relative_to(top)
            git = found.repository
            same = git.identity(git.head(), inside) == git.identity(found.commit, inside)
            if not same or git.is_changed(inside):
                return found
        return None

    def _is_proposed(self, top: Path) -> bool:
        """Say whether a step has checked the pull request out into a folder of its own."""
        event = _read_event(self._environment)
        merge = self._environment.get("GITHUB_SHA", "") if self._event != TARGET else ""
        head = event.pull_request.head.sha if event.pull_request else ""
        return Repository(top, self._environment).head() in {head, merge} - {""}

    def tracks(self, path: Path) -> bool:
        """Say whether git has a path, or where it leads, at the base or at what is checked out.

        Raises:
            CannotJudge: the base commit is unknown or unreadable.
        """
        try:
            for place in way(path):
                if _top(place) is None:
                    continue
                found, inside = self._locate(place)
                for commit in (found.repository.head(), found.commit):
                    if found.repository.holds(commit, inside):
                        return True
        except GitFailed as failed:
            raise CannotJudge(
                f"{path}: not read from the base of {self.who}: {failed}; {_ADVICE}"
            ) from None
        return False

    @contextmanager
    def copied(self, against: str) -> Iterator[Copy | None]:
        """Give a copy of the base commit's files while ``against`` is run in it.

        None where it names nothing in a repository.

        Raises:
            CannotJudge: the base commit is unknown or unreadable.
        """
        top = _top(Path.cwd() / "mt-gate.toml")
        if top is None:
            if any(_top(Path(name)) for name in against.partition(":")[2].split()):
                raise CannotJudge(
                    f"against {against}: names a file of a checkout outside the working folder's "
                    "repository; set working-directory to the checkout"
                )
            yield None
            return
        with scratch() as folder:
            try:
                found, _ = self._locate(top / "mt-gate.toml")
                export(found.repository, top, found.commit, folder)
            except GitFailed as failed:
                raise CannotJudge(
                    f"against: not read from the base of {self.who}: {failed}; {_ADVICE}"
                ) from None
            yield Copy(top, folder, found.commit[:_SHORT], self.tracks)

    def check_tested(self, checkpoint: Path) -> None:
        """Refuse a checkpoint of the base itself: that it passes says nothing of what is proposed.

        ``pull_request_target`` checks out the base, where a workflow says no more.

        Raises:
            CannotJudge: git has it at the commit that is checked out, which is the base's.
        """
        for place in () if "\0" in str(checkpoint) else self._way(checkpoint):
            if head := self._untouched(place):
                raise CannotJudge(
                    f"checkpoint {checkpoint}: git has it at what is checked out, {head[:_SHORT]}, "
                    f"which is the base of {self.who}, and not what is proposed; run on "
                    "pull_request, which checks out the merge, or fetch the proposed checkpoint to "
                    "another folder"
                )

    def _untouched(self, place: Path) -> str:
        """Return the commit that is checked out if it is the base and has a place, or nothing."""
        top = _top(place)
        if top is None:
            return ""
        try:
            repository = Repository(top, self._environment)
            head = repository.head()
            untouched = head in self._bases() and repository.holds(head, place.relative_to(top))
        except (GitFailed, CannotJudge):  # told where the base is read
            return ""
        return head if untouched else ""

    def tested_notes(self, checkpoint: Path) -> tuple[str, ...]:
        """Say that a checkpoint is a link of the commit to what no commit has.

        Raises:
            CannotJudge: the base commit is unknown or unreadable.
        """
        if "\0" in str(checkpoint):
            return ()
        *links, place = self._way(checkpoint)
        if not any(map(self.tracks, links)) or self.tracks(place):
            return ()
        return (
            f"checkpoint {checkpoint} is a link to {place}, which git does not have: {self.who} "
            "does not show what is tested",
        )

    def _way(self, path: Path) -> list[Path]:
        try:
            return [*way(path)]
        except GitFailed as failed:
            raise CannotJudge(f"{path}: {failed}; name a folder") from None

    def _bases(self) -> tuple[str, ...]:
        event = _read_event(self._environment)
        if event.pull_request is None:
            return ()
        # On this event it is the last commit of the base branch.
        now = self._environment.get("GITHUB_SHA", "") if self._event == TARGET else ""
        return event.pull_request.base.sha, now

    def holds(self, path: Path) -> bool:
        """Say whether a path lies in a repository, so that it has a base."""
        return _top(path) is not None

    def _locate(self, path: Path) -> tuple[_Found, Path]:
        """Return the base in the repository that holds a path, and the path from its top."""
        if "\0" in str(path):
            raise GitFailed("a path with a null character")
        top = _top(path)
        if top is None:
            raise GitFailed(f"it is in no git repository around or below {Path.cwd()}")
        if top not in self._found:
            self._found[top] = self._fetched(Repository(top, self._environment))
        return self._found[top], _full(path).relative_to(top)

    def _fetched(self, repository: Repository) -> _Found:
        found = _base(self._event, self._environment, repository)
        repository.fetch(found.commit)
        return found


def _gate_files(found: _Found, baseline: Path, configs: Iterable[Path]) -> Iterator[str]:
    """Yield files of the base that show that it has a gate.

    Args:
        found: the base.
        baseline: from the repository's top.
        configs: settings files, relative to the working folder, or absolute.
    """
    repository, commit, _ = found
    for config in configs:
        top = _top(config)
        if top is not None and repository.holds(commit, _full(config).relative_to(top)):
            yield str(config)
    for folder in {baseline.parent: None, Path("baselines"): None}:
        for name in repository.names(commit, folder):
            if not name.endswith(".json"):
                continue
            data = repository.read(commit, folder / name, MAX_BYTES) or b""
            if is_pointer(data) or all(field in data for field in _OF_BASELINES):
                yield str(folder / name)
    if workflow := repository.mention(commit, "mt-gate", ".github"):
        yield workflow


def base_of(environment: Mapping[str, str], choice: str | None) -> Base | None:
    """Return the base that judges what started a workflow.

    Args:
        environment: of a workflow's step: the event's name and file, the commit, ``PATH``.
        choice: ``base``, ``worktree``, or None for ``base``.

    Returns:
        None where no pull request and no merge queue started the workflow.

    Raises:
        UsageError: the choice is none of the two.
    """
    if choice not in (None, BASE, WORKTREE):
        raise UsageError(f"baseline-from is {quoted(choice)}; expected {BASE} or {WORKTREE}")
    event = environment.get("GITHUB_EVENT_NAME", "")
    return Base(environment, event, judges=choice != WORKTREE) if event in EVENTS else None


def baseline_source(base: Base | None, path: Path) -> BaselineSource | None:
    """Return what to judge by instead of the baseline in the working tree.

    Args:
        base: of what started the workflow, if it has one.
        path: of the baseline, in the checkout; relative to the working folder, or absolute.

    Returns:
        None where there is no base.

    Raises:
        CannotJudge: see ``Base.read``.
    """
    if base is None:
        return None
    if not base.judges:
        note = (
            f"{path} and the settings are read from {base.who} itself (baseline-from: "
            f"{WORKTREE}), edited or not"
        )
        return BaselineSource(notes=(note,))
    found = _source_with_note(path, base.who, base.read(path, MAX_BYTES))
    if found.data is None:
        return found
    # Answers decide nothing, so that nothing about them is a failure. Those in Git LFS are the
    # checkout's: the baseline names their digest.
    return found._replace(outputs=base.try_reading(outputs_path(path), MAX_PACKED))


def _source_with_note(path: Path, who: str, base: BaseFile) -> BaselineSource:
    """Say in a sentence where the working tree's baseline is another one."""
    if base.data is None:
        if not os.path.isfile(path):
            return BaselineSource()
        note = (
            f"{path} is not in the base of {who}, {base.short}: judged by the one added, as for a "
            f"new gate"
        )
        return BaselineSource(notes=(note,))
    change = _change(path, base.data)
    if change is None:
        return BaselineSource(data=base.data, commit=base.commit)
    note = f"{path} is {change} by {who}{base.behind}; judged by the one of its base, {base.short}"
    return BaselineSource(data=base.data, commit=base.commit, notes=(note,))


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


def _top(path: Path) -> Path | None:
    """Return the top folder of the repository that holds a path, or is it.

    It is the outermost from the working folder on. A nested one may have come with the pull
    request, as a submodule or by a symbolic link, and its base would have no such file.
    """
    here, file = Path.cwd(), _full(path)
    around = (file, *file.parents)
    below = [folder for folder in reversed(around) if folder.is_relative_to(here)]
    for folder in (*below, *here.parents):
        if file.is_relative_to(folder) and (folder / ".git").exists():
            return folder
    return None


def _full(path: Path) -> Path:
    """Return the path from the root, its links as they are."""
    return Path(os.path.normpath(Path.cwd() / path))


def _base(event: str, environment: Mapping[str, str], repository: Repository) -> _Found:
    """Return the base commit that the event names, or a newer one that was merged with.

    The base in a pull request's event is the one of the last push to it. GitHub's test merge
    is made with the base as it is now: two parents, of which the second is the pull request.
    """
    found = _read_event(environment)
    if event == MERGE_GROUP:
        if found.merge_group is None:
            raise GitFailed("the event names no merge group")
        return _Found(repository, found.merge_group.base_sha, exact=True)
    if found.pull_request is None:
        raise GitFailed("the event names no pull request")
    base, head = found.pull_request.base.sha, found.pull_request.head.sha
    merge = environment.get("GITHUB_SHA", "")
    if event in MERGED and merge and repository.has(merge):
        parents = repository.parents(merge)
        if len(parents) == 2 and parents[1] == head:
            return _Found(repository, parents[0], exact=repository.head() == merge)
    return _Found(repository, base, exact=False)


def _read_event(environment: Mapping[str, str]) -> _Event:
    path = Path(environment.get("GITHUB_EVENT_PATH") or "GITHUB_EVENT_PATH")
    cause = (
        "expected the event that started the workflow, in the file that GITHUB_EVENT_PATH names; "
        f"or set baseline-from: {WORKTREE}"
    )
    return read_event(path, _Event, cause)
