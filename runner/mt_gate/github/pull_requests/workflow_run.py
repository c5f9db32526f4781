"""Which run of another workflow has ended: from the event, never from what that run left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from mt_gate.base.errors import UsageError, quoted
from mt_gate.github.pull_requests.target import REPOSITORY
from mt_gate.github.workflow import Hash, read_event

EVENT = "workflow_run"

_LONGEST_BRANCH = 1_000
_EXPECTED = "expected an event workflow_run; see docs/recipes.md, comments on forks"
_SHORT = 7

_Number = Annotated[int, msgspec.Meta(ge=1)]


class _Repository(msgspec.Struct):
    full_name: str


class _PullRequest(msgspec.Struct):
    number: _Number


class _Run(msgspec.Struct):
    id: _Number
    event: str
    head_sha: Hash
    repository: _Repository
    head_branch: str | None = None
    head_repository: _Repository | None = None
    pull_requests: tuple[_PullRequest, ...] = ()


class _Event(msgspec.Struct):
    workflow_run: _Run


@dataclass(frozen=True)
class EndedRun:
    """A run of a workflow that has ended.

    ``head`` and ``branch`` are where its commit ``sha`` was pushed to, ``repository`` is where it
    ran. ``pulls`` are the pull requests that the event names, which are none for a fork's.
    """

    id: int
    event: str
    repository: str
    head: str
    branch: str
    sha: str
    pulls: frozenset[int]

    @property
    def owner(self) -> str:
        """Who owns the repository that was pushed to."""
        return self.head.partition("/")[0]

    @property
    def is_of_fork(self) -> bool:
        """Whether the commit comes from another repository."""
        return self.head.lower() != self.repository.lower()

    @property
    def place(self) -> str:
        """Where the commit comes from, in words."""
        return f"{self.head}, branch {self.branch}, {self.sha[:_SHORT]}"


def ended_run(environment: Mapping[str, str]) -> EndedRun:
    """Return the run that the event is about.

    Raises:
        UsageError: there is no such event, or it names no repository or branch.
        CannotJudge: the event's file is missing or unreadable.
    """
    name = environment.get("GITHUB_EVENT_PATH", "").strip()
    if environment.get("GITHUB_EVENT_NAME") != EVENT or not name:
        found = environment.get("GITHUB_EVENT_NAME") or "none"
        raise UsageError(f"--workflow-run: the event is {found}; {_EXPECTED}")
    path = Path(name)
    run = read_event(path, _Event, _EXPECTED).workflow_run
    # A fork that is deleted while its run goes on leaves neither repository nor branch.
    head = run.head_repository.full_name if run.head_repository else ""
    branch = run.head_branch or ""
    for what, text in (("repository", run.repository.full_name), ("head_repository", head)):
        if not re.fullmatch(REPOSITORY, text):
            raise UsageError(f"{path}: {what} is {quoted(text, 200)}; {_EXPECTED}")
    if not 0 < len(branch) <= _LONGEST_BRANCH:
        raise UsageError(f"{path}: head_branch has {len(branch)} characters; {_EXPECTED}")
    return EndedRun(
        id=run.id,
        event=run.event,
        repository=run.repository.full_name,
        head=head,
        branch=branch,
        sha=run.head_sha,
        pulls=frozenset(pull.number for pull in run.pull_requests),
    )
