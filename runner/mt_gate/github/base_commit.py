"""Read settings and baseline from a pull request's base, so that it cannot edit them to pass.

The event that started the workflow names the base commit. Settings (``base_settings.py``) and
baseline are read from that commit. The working tree's baseline counts only if the base has none, or
if the workflow sets baseline-from: worktree; a note states either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import POINTER, check_content, decode_json, read_whole
from mt_gate.baselines.outputs import MAX_PACKED, outputs_path
from mt_gate.baselines.schema import MAX_BYTES, NEW_GATE, BaselineSource
from mt_gate.github.git_objects import GitFailed, Repository, places, way
from mt_gate.settings.loading import PYPROJECT, describe, has_settings

T = TypeVar("T")
MAX_EVENT = 32 << 20
"""Maximum bytes of an event file; GitHub's are at most 25 MB."""
Hash = Annotated[str, msgspec.Meta(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\Z")]
"""The full name of a commit."""
BASE, WORKTREE = "base", "worktree"
MERGE_GROUP = "merge_group"
TARGET = "pull_request_target"
MERGED = ("pull_request", "pull_request_review", "pull_request_review_comment")
"""Events for which ``GITHUB_SHA`` is GitHub's test merge of the pull request into its base."""
EVENTS = (*MERGED, TARGET, MERGE_GROUP)
_OF_BASELINES = (b'"suite"', b'"settings"', b'"runs"')
"""Fields that distinguish a baseline from other JSON files."""
_ADVICE = (
    "Check out with actions/checkout and fetch-depth: 0, or set baseline-from: worktree to use the "
    "pull request's files"
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


def step_input(environment: Mapping[str, str], name: str) -> str:
    """Return an input of the action by its name in ``action.yml``; empty if not set."""
    return environment.get(f"INPUT_{name.upper()}", "").strip()


def read_event(path: Path, kind: type[T], cause: str) -> T:
    """Read an event file as ``kind``; ``cause`` ends each message."""
    cause = cause[:1].upper() + cause[1:]
    return decode_json(read_whole(path, limit=MAX_EVENT, cause=cause), kind, path=path, cause=cause)


class BaseCommit(NamedTuple):
    """The base commit in a repository; ``exact``: the checkout is a merge with this commit."""

    repository: Repository
    commit: str
    exact: bool

    @property
    def short(self) -> str:
        """The commit's short name for messages."""
        return self.commit[:7]

    @property
    def behind(self) -> str:
        """Text after a note on an edit, if the base may have made the edit itself."""
        return "" if self.exact else " (or the checkout is older than its base)"


class Base:
    """The base of the pull request or merge group that a workflow runs for.

    Paths are in the checkout, relative to the working folder, or absolute. An unknown or unreadable
    base commit is a ``CannotJudge``, never a silent pass.
    """

    def __init__(self, environment: Mapping[str, str], event: str, *, judges: bool) -> None:
        """Store the arguments; nothing is read yet.

        ``event`` is one of ``EVENTS``. ``judges`` is whether settings and baseline come from the
        base; if False, the workflow has chosen the working tree.
        """
        self.judges = judges
        self.who = "this merge group" if event == MERGE_GROUP else "this pull request"
        self._environment = environment
        self._event = event
        self._bases: dict[Path, BaseCommit] = {}

    @contextmanager
    def reading(self, what: object) -> Iterator[None]:
        """Turn a failure of git in the block into a ``CannotJudge`` about ``what``."""
        try:
            yield
        except GitFailed as failed:
            raise CannotJudge(
                f"{what} cannot be read from the base of {self.who}: {failed}. {_ADVICE}"
            ) from None

    def read(self, path: Path, limit: int) -> tuple[bytes | None, BaseCommit]:
        """Return a file's content at the base commit (None if missing), and that commit.

        The commit is fetched if it is missing here. A file larger than ``limit`` bytes is rejected
        unread.
        """
        with self.reading(path):
            base, inside = self._locate(path)
            data = base.repository.read(base.commit, inside, limit)
        if data is not None and data.startswith(POINTER):
            raise CannotJudge(
                f"{path} is in Git LFS at the base of {self.who}, but mt-gate reads it only from "
                f"git. Commit it without LFS, or set baseline-from: {WORKTREE}"
            )
        check_content(f"{path} of base commit {base.short}", data or b"")
        return data, base

    def try_reading(self, path: Path, limit: int) -> bytes | None:
        """Return a file's content at the base; None if it cannot be read, for optional files."""
        try:
            return self.read(path, limit)[0]
        except CannotJudge:
            return None

    def first_baseline(self, path: Path, configs: Iterable[Path]) -> str:
        """Return the note on a run that records the first baseline of a new gate.

        Neither the base nor the checkout has ``path``. If the base has a gate, for example one of
        the settings files ``configs``, the path is likely mistyped: raise ``CannotJudge``.
        """
        with self.reading(path):
            base, inside = self._locate(path)
            gate = next(_gate_files(base, inside, configs), "")
        if gate:
            raise CannotJudge(
                f"Baseline {path} exists neither here nor in the base of {self.who}, {base.short}. "
                f"The base has a gate ({gate}), so record-missing does not record another. Correct "
                "the path, or record the baseline outside a pull request"
            )
        return (
            f"{NEW_GATE}: the base of {self.who}, {base.short}, has no mt-gate settings, baseline "
            f"or workflow. mt-gate compared nothing, and recorded this run as {path}. Commit it"
        )

    def edit(self, path: Path) -> str:
        """Return a text if a file or folder differs from the base; empty if it does not.

        Links on the path and below it count, and so do their targets.
        """
        with self.reading(path):
            for place in places(path):
                if (base := self._editing(place)) is not None:
                    return f"edited by {self.who}{base.behind}"
        return ""

    def _editing(self, place: Path) -> BaseCommit | None:
        """Return the base if its content at a place differs from the checkout's; None if not."""
        outermost = find_top(place)
        for top in (top for top in (place, *place.parents) if (top / ".git").exists()):
            around = top == outermost and Path.cwd().is_relative_to(top)
            if not around:
                event = self._read_event()
                merge = self._environment.get("GITHUB_SHA", "") if self._event != TARGET else ""
                proposed = event.pull_request.head.sha if event.pull_request else ""
                if Repository(top, self._environment).head() not in {proposed, merge} - {""}:
                    continue  # a step checked out another repository, or the base
            base, inside = self.base_in(top), place.relative_to(top)
            git = base.repository
            same = git.identity(git.head(), inside) == git.identity(base.commit, inside)
            if not same or git.is_changed(inside):
                return base
        return None

    def tracks(self, path: Path) -> bool:
        """Return whether git has a path, or a link's target, in the base or in the checkout."""
        with self.reading(path):
            for place in way(path):
                if find_top(place) is not None:
                    base, inside = self._locate(place)
                    git = base.repository
                    if git.holds(git.head(), inside) or git.holds(base.commit, inside):
                        return True
        return False

    def check_tested(self, checkpoint: Path) -> tuple[str, ...]:
        """Reject a checkpoint of the base itself, because it is not the proposed checkpoint.

        ``pull_request_target`` checks out the base by default. Return a note if the checkpoint is
        a link in git whose target is not in git.
        """
        try:
            *links, end = way(checkpoint)
        except GitFailed as failed:
            raise CannotJudge(f"Checkpoint {checkpoint}: {failed}. Pass a folder.") from None
        for place in (*links, end):
            if head := self._untouched(place):
                raise CannotJudge(
                    f"Checkpoint {checkpoint} is from commit {head[:7]}, the base of {self.who}, "
                    "not from the pull request. Run on pull_request, which checks out the merge, "
                    "or fetch the proposed checkpoint to another folder"
                )
        if not any(map(self.tracks, links)) or self.tracks(end):
            return ()
        return (
            f"checkpoint {checkpoint} is a link to {end}, which is not in git, so {self.who} does "
            "not show which files were tested",
        )

    def _untouched(self, place: Path) -> str:
        """Return the checked-out commit if it is the base and has a place; empty otherwise."""
        top = find_top(place)
        if top is None:
            return ""
        try:
            pull_request = self._read_event().pull_request
            # For this event, GITHUB_SHA is the last commit of the base branch.
            now = self._environment.get("GITHUB_SHA", "") if self._event == TARGET else ""
            repository = Repository(top, self._environment)
            head = repository.head()
            is_base = pull_request is not None and head in (pull_request.base.sha, now)
            return head if is_base and repository.holds(head, place.relative_to(top)) else ""
        except (GitFailed, CannotJudge):  # reported when the base is read
            return ""

    def _locate(self, path: Path) -> tuple[BaseCommit, Path]:
        """Return the base in the repository that contains a path, and the path from its top."""
        top = find_top(path)
        if top is None:
            raise GitFailed(f"it is not in a git repository around or below {Path.cwd()}")
        return self.base_in(top), _full(path).relative_to(top)

    def base_in(self, top: Path) -> BaseCommit:
        """Return the base commit in a repository; fetch it if necessary."""
        if top not in self._bases:
            repository = Repository(top, self._environment)
            commit, exact = self._named_base(repository)
            repository.fetch(commit)
            self._bases[top] = BaseCommit(repository, commit, exact)
        return self._bases[top]

    def _named_base(self, repository: Repository) -> tuple[str, bool]:
        """Return the base commit, and whether the checkout is a merge with it.

        A pull request's event names the base at the time of the last push. GitHub's test merge may
        use a newer base: it is the first parent, and the pull request is the second.
        """
        event = self._read_event()
        if self._event == MERGE_GROUP:
            if event.merge_group is None:
                raise GitFailed("the event names no merge group")
            return event.merge_group.base_sha, True
        if event.pull_request is None:
            raise GitFailed("the event names no pull request")
        merge = self._environment.get("GITHUB_SHA", "")
        if self._event in MERGED and merge and repository.has(merge):
            parents = repository.parents(merge)
            if len(parents) == 2 and parents[1] == event.pull_request.head.sha:
                return parents[0], repository.head() == merge
        return event.pull_request.base.sha, False

    def _read_event(self) -> _Event:
        path = Path(self._environment.get("GITHUB_EVENT_PATH") or "GITHUB_EVENT_PATH")
        cause = (
            "expected the event that started the workflow in the file GITHUB_EVENT_PATH. Without "
            f"it, set baseline-from: {WORKTREE}"
        )
        return read_event(path, _Event, cause)


def _gate_files(base: BaseCommit, baseline: Path, configs: Iterable[Path]) -> Iterator[str]:
    """Yield files that show that the base has a gate; ``baseline`` is relative to its top."""
    repository, commit, _ = base
    for config in configs:
        top = find_top(config)
        if top is None or not repository.holds(commit, inside := _full(config).relative_to(top)):
            continue
        if config.name != PYPROJECT.name or has_settings(
            repository.read(commit, inside, MAX_BYTES) or b"", config
        ):
            yield describe(config)
    for entry in repository.listing(commit):
        path = Path(entry.path)
        if path.suffix == ".json" and path.parent in (baseline.parent, Path("baselines")):
            data = repository.read(commit, path, MAX_BYTES) or b""
            if data.startswith(POINTER) or all(field in data for field in _OF_BASELINES):
                yield entry.path
    if workflow := repository.mention(commit, "mt-gate", ".github"):
        yield workflow


def base_of(environment: Mapping[str, str], choice: str | None) -> Base | None:
    """Return the base of a pull request or merge group; None for other events.

    ``choice`` is ``base``, ``worktree``, or None for ``base``; other values are a ``UsageError``.
    """
    if choice not in (None, BASE, WORKTREE):
        raise UsageError(f"baseline-from is {quoted(choice)}. Expected {BASE} or {WORKTREE}.")
    event = environment.get("GITHUB_EVENT_NAME", "")
    return Base(environment, event, judges=choice != WORKTREE) if event in EVENTS else None


def baseline_source(base: Base | None, path: Path) -> BaselineSource | None:
    """Return the base's baseline, which replaces the working tree's; None if there is no base.

    A note states if the working tree's baseline is different.
    """
    if base is None:
        return None
    if not base.judges:
        note = (
            f"{path} and the settings come from {base.who} itself, even if it edits them "
            f"(baseline-from: {WORKTREE})"
        )
        return BaselineSource(notes=(note,))
    data, commit = base.read(path, MAX_BYTES)
    if data is None:
        note = (
            f"{path} is not in the base of {base.who}, {commit.short}. mt-gate used the added "
            "file, as for a new gate"
        )
        return BaselineSource(notes=(note,) if os.path.isfile(path) else ())
    change = _change(path, data)
    note = (
        f"{path} is {change} by {base.who}{commit.behind}. mt-gate used the file of its base, "
        f"{commit.short}"
    )
    # A problem with stored predictions is not a failure here. A file in Git LFS is later read from
    # the checkout, because the baseline has its digest.
    outputs = base.try_reading(outputs_path(path), MAX_PACKED)
    return BaselineSource(
        data=data, commit=commit.commit, notes=(note,) if change else (), outputs=outputs
    )


def _change(path: Path, data: bytes) -> str:
    """Return how the file has changed since the base, ignoring line endings; empty if equal."""
    if not os.path.lexists(path):
        return "removed"
    if path.is_symlink() or not os.path.isfile(path):
        return "replaced"
    try:
        with path.open("rb") as file:
            own = file.read(2 * MAX_BYTES)
    except OSError:
        return "edited"
    return "" if own.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n") else "edited"


def find_top(path: Path) -> Path | None:
    """Return the top folder of the repository that contains a path; None if there is none.

    It is the outermost repository at or below the working folder, or else the one around it. A
    nested repository may be a submodule or linked folder that the pull request added, which its
    base would not have.
    """
    here, file = Path.cwd(), _full(path)
    around = (file, *file.parents)
    below = [folder for folder in reversed(around) if folder.is_relative_to(here)]
    for folder in (*below, *here.parents):
        if file.is_relative_to(folder) and (folder / ".git").exists():
            return folder
    return None


def _full(path: Path) -> Path:
    return Path(os.path.normpath(Path.cwd() / path))
