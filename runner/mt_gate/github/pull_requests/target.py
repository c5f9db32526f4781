"""Which pull request is commented on: from arguments, and from what a workflow sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError, quoted
from mt_gate.github.pull_requests.sticky import LONGEST_RUN
from mt_gate.github.workflow import read_event

API = "https://api.github.com"
EVENTS = ("pull_request", "pull_request_target")
LONGEST_NAME = 100

# Owners with an underscore are those of enterprises that manage their users.
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}")
_API = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?")
# What Markdown's <...> takes as a link, without what could end it.
_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][A-Za-z0-9._~/?#@!$&'*+,;=:%-]*)?")
_LONGEST_LINK = 2_000
_NO_PULL = "name the pull request with --pull N"


class Site(NamedTuple):
    """A repository, and the way to it. ``token`` is secret: it is printed nowhere."""

    repository: str
    api: str
    token: str

    def __repr__(self) -> str:
        """Return the site without its token."""
        return f"Site({self.repository} at {self.api})"

    def target(self, pull: int) -> Target:
        """Return one of its pull requests."""
        return Target(self.repository, pull, self.api, self.token)


class Target(NamedTuple):
    """A pull request, and the way to it. ``token`` is secret: it is printed nowhere."""

    repository: str
    pull: int
    api: str
    token: str

    @property
    def site(self) -> Site:
        """The repository."""
        return Site(self.repository, self.api, self.token)

    def __repr__(self) -> str:
        """Return the target without its token."""
        return f"Target({self.repository}#{self.pull} at {self.api})"


def target(
    environment: Mapping[str, str], repository: str | None, pull: int | None, token: str
) -> Target:
    """Return the pull request of arguments, or else of the environment.

    ``GITHUB_REPOSITORY``, ``GITHUB_EVENT_PATH`` and ``GITHUB_API_URL`` are GitHub's own.

    Raises:
        UsageError: something is named nowhere, or is not of its form.
        CannotJudge: the event's file is missing or unreadable.
    """
    where = site(environment, repository, token)
    return where.target(pull or event_pull(environment))


def site(environment: Mapping[str, str], repository: str | None, token: str) -> Site:
    """Return the repository of an argument, or else of the environment.

    Raises:
        UsageError: something is named nowhere, or is not of its form.
    """
    name = repository or environment.get("GITHUB_REPOSITORY", "").strip()
    if not REPOSITORY.fullmatch(name):
        raise UsageError(
            f"--repo is {quoted(name)}; expected OWNER/NAME, here or in GITHUB_REPOSITORY"
        )
    api = environment.get("GITHUB_API_URL", "").strip() or API
    if not _API.fullmatch(api):
        raise UsageError(f"GITHUB_API_URL is {quoted(api)}; expected an address, for example {API}")
    if not re.fullmatch(r"[!-~]+", token):
        raise UsageError(
            f"GITHUB_TOKEN is {'empty' if not token else 'no token'}; set it to a token that may "
            "write comments (pull-requests: write)"
        )
    return Site(name, api.rstrip("/"), token)


def event_pull(environment: Mapping[str, str]) -> int:
    """Return the number of the pull request that a workflow's event is about.

    Raises:
        UsageError: there is no event, or it is about none.
        CannotJudge: the event's file is missing or unreadable.
    """
    name = environment.get("GITHUB_EVENT_PATH", "").strip()
    if not name:
        raise UsageError(f"GITHUB_EVENT_PATH is not set; {_NO_PULL}")
    path = Path(name)
    event = read_event(path, dict[str, Any], _NO_PULL)
    about = event.get("pull_request")
    number = about.get("number") if isinstance(about, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise UsageError(f"{path}: the event is not about a pull request; {_NO_PULL}")
    return number


def run_link(environment: Mapping[str, str], run: int | None = None) -> str:
    """Return the address of a workflow's run, where its artifacts are; empty outside of one.

    It is the run of the environment where no other one's id is given.
    """
    given = environment if run is None else {**environment, "GITHUB_RUN_ID": str(run)}
    parts = [
        given.get(name, "").strip()
        for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    ]
    link = f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}#artifacts"
    return link if all(parts) and _LINK.fullmatch(link) else ""


def run_id(environment: Mapping[str, str]) -> int:
    """Return the id of a workflow's run, by which a later one is known; 0 outside of one."""
    text = environment.get("GITHUB_RUN_ID", "").strip()
    return int(text) if re.fullmatch(rf"[1-9]\d{{0,{LONGEST_RUN - 1}}}", text, re.ASCII) else 0


def checked_link(link: str) -> str:
    """Return an address that may stand in a comment.

    Raises:
        UsageError: it is none, or holds characters that an address encodes.
    """
    if len(link) > _LONGEST_LINK or not _LINK.fullmatch(link):
        raise UsageError(
            f"--link is {quoted(link, 200)}; expected an http or https address of at most "
            f"{_LONGEST_LINK} characters, encoded"
        )
    return link


def checked_name(name: str) -> str:
    """Return a gate's name.

    Raises:
        UsageError: it is empty, too long, or more than one line.
    """
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or not name.strip():
        raise UsageError(
            f"--name is {quoted(name, 200)}; expected a line of 1 to {LONGEST_NAME} characters"
        )
    return name
