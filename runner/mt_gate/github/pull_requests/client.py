"""Comments, pull requests and artifacts as GitHub serves them; the only importer of PyGithub.

Waiting is bounded: a rate limit that lasts longer than a minute is a failure, and a server error is
asked again three times.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from github.IssueComment import IssueComment
from github.PaginatedList import PaginatedList
from github.PullRequest import PullRequest
from requests import PreparedRequest, RequestException, Session
from requests.adapters import HTTPAdapter

from github import Artifact as ArtifactItem
from github import Auth, Github, GithubException, GithubRetry
from mt_gate import __version__
from mt_gate.base.redaction import hide
from mt_gate.github.pull_requests.runs import Artifact, Pull, Runs
from mt_gate.github.pull_requests.target import Site, Target
from mt_gate.github.pull_requests.thread import ApiFailure, Comment, Thread

MOST_COMMENTS = 5_000
"""Comments that are looked through; GitHub takes 2,500 on one pull request."""

MOST_PULLS = MOST_ARTIFACTS = 100
"""Pull requests of one branch, and artifacts of one name, that are looked through."""

# PyGithub prints its log, an answer's texts with it; what matters of it stands in the failures.
logging.getLogger("github").setLevel(logging.CRITICAL)

_PAGE = 100
_TIMEOUT = 20
_CHUNK = 1 << 16
_RENAMED = "was the repository renamed or moved? Use its current name"


@dataclass(frozen=True)
class Patience:
    """How often a request is tried again, and the seconds waited before it.

    The waits after server errors are 0, 2 and 4 times ``backoff``; ``longest`` bounds what a rate
    limit may ask for.
    """

    tries: int = 3
    backoff: float = 1.0
    longest: int = 60

    def retry(self) -> GithubRetry:
        """Return the same in the library's terms.

        A create is tried again too, though it may have been carried out: who writes a comment
        looks afterwards whether an older one is there (``sticky.put``).
        """
        methods = frozenset({"GET", "POST", "PATCH", "DELETE"})
        return GithubRetry(
            total=self.tries,
            backoff_factor=self.backoff,
            secondary_rate_wait=self.longest,
            max_rate_limit_wait=self.longest,
            retry_after_max=self.longest,
            status_forcelist=[429, *range(500, 600)],
            allowed_methods=methods,
            raise_on_status=False,
        )


@contextmanager
def open_thread(target: Target, patience: Patience | None = None) -> Iterator[Thread]:
    """Give the comments of a pull request; nothing is asked before they are."""
    with _opened(target.site, patience or Patience()) as client:
        yield _GitHubThread(client, target)


@contextmanager
def open_runs(site: Site, patience: Patience | None = None) -> Iterator[Runs]:
    """Give the runs of a repository; nothing is asked before they are."""
    patience = patience or Patience()
    with _opened(site, patience) as client:
        yield _GitHubRuns(client, site, patience)


@contextmanager
def _opened(site: Site, patience: Patience) -> Iterator[Github]:
    client = Github(
        auth=Auth.Token(site.token),
        base_url=site.api,
        timeout=_TIMEOUT,
        user_agent=f"mt-gate/{__version__}",
        per_page=_PAGE,
        retry=patience.retry(),
        seconds_between_requests=0,  # there are few; writes keep their second apart
        lazy=True,  # neither repository nor pull request is fetched to reach the comments
        api_version=None,  # GitHub Enterprise Server knows versions of its own
    )
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _api_failures() -> Iterator[None]:
    """Turn the library's failures into one kind, told in words."""
    try:
        yield
    except GithubException as error:
        data = error.data if isinstance(error.data, dict) else {}
        said = error.message or data.get("message") or "no reason given"
        raise ApiFailure(error.status, f"{error.status}, {said}") from None
    except RequestException as error:
        raise ApiFailure(0, f"no answer ({type(error).__name__})") from None
    except ApiFailure:
        raise
    except RecursionError:
        raise ApiFailure(0, "an answer that is not from its API (nested too deeply)") from None
    except RuntimeError:  # what the library makes of a redirect that it does not follow
        raise ApiFailure(0, f"a redirect to another address; {_RENAMED}") from None
    except Exception as error:  # whatever the library stumbles over is in the answer
        raise ApiFailure(
            0, f"an answer that is not from its API ({type(error).__name__})"
        ) from None


def _comment(item: IssueComment) -> Comment:
    # A deleted account leaves no user; its comments belong to nobody here.
    user = item.user
    login, kind = (user.login, user.type) if user else ("", "")
    return Comment(item.id, login or "", kind == "Bot", item.body or "")


class _GitHubThread:
    """The comments of one pull request on GitHub."""

    def __init__(self, client: Github, target: Target) -> None:
        self._client = client
        with _api_failures():
            repository = client.get_repo(target.repository)
            self._issue = repository.get_issue(target.pull)
            self._comments = f"{repository.url}/issues/comments"
            self._requester = repository.requester

    def comments(self) -> list[Comment]:
        with _api_failures():
            return sorted(map(_comment, islice(self._issue.get_comments(), MOST_COMMENTS)))

    def me(self) -> str:
        try:
            with _api_failures():
                return self._client.get_user().login
        except ApiFailure as failure:
            if failure.status in (401, 403, 404):  # the token of a workflow belongs to no user
                return ""
            raise

    def create(self, body: str) -> int:
        return _id(self._written("POST", f"{self._issue.url}/comments", body))

    def edit(self, comment: int, body: str) -> None:
        if _id(self._written("PATCH", f"{self._comments}/{comment}", body)) != comment:
            raise ApiFailure(0, "an answer with another comment than the one to update")

    def delete(self, comment: int) -> None:
        self._written("DELETE", f"{self._comments}/{comment}")

    def _written(self, verb: str, address: str, body: str | None = None) -> dict[str, Any]:
        """Ask for a change and return the answer, which the library would take a redirect for.

        It would also fetch what an answer lacks from an address that stands in it.
        """
        sent = None if body is None else {"body": hide(body)}
        with _api_failures():
            status, headers, text = self._requester.requestJson(verb, address, input=sent)
            data = _decoded(text)
            if status >= 400:
                raise self._requester.createException(status, headers, data)
        if not 200 <= status < 300:
            raise ApiFailure(status, f"{status}, a redirect; {_RENAMED}")
        return data


def _decoded(text: str) -> dict[str, Any]:
    """Return an answer's record; empty where it is none, as in a server's error page."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _id(answer: Mapping[str, Any]) -> int:
    """Return the id of the comment that an answer holds."""
    found = answer.get("id")
    if not isinstance(found, int) or isinstance(found, bool):
        raise ApiFailure(0, "no comment in the answer, so none was written")
    return found


class _GitHubRuns:
    """Runs, artifacts and open pull requests of one repository on GitHub."""

    def __init__(self, client: Github, site: Site, patience: Patience) -> None:
        self._site = site
        self._patience = patience
        with _api_failures():
            self._repository = client.get_repo(site.repository)

    def pulls(self, owner: str, branch: str) -> list[Pull]:
        with _api_failures():
            found = self._repository.get_pulls(state="open", head=f"{owner}:{branch}")
            return [_pull(item) for item in islice(found, MOST_PULLS)]

    def artifacts(self, run: int, name: str) -> list[Artifact]:
        # The library's own list of a run's artifacts cannot be asked for a name.
        address = f"{self._repository.url}/actions/runs/{run}/artifacts"
        with _api_failures():
            found = PaginatedList(
                ArtifactItem.Artifact,
                self._repository.requester,
                address,
                {"name": name},
                list_item="artifacts",
            )
            return [
                Artifact(item.id, item.name, item.size_in_bytes, item.expired)
                for item in islice(found, MOST_ARTIFACTS)
                if item.name == name
            ]

    def download(self, artifact: int, limit: int) -> bytes:
        address = f"{self._repository.url}/actions/artifacts/{artifact}/zip"
        with _api_failures():
            headers, _ = self._repository.requester.requestJsonAndCheck("GET", address)
        place = str(headers.get("location", ""))
        # GitHub keeps artifacts with another company, whose hosts the library does not follow to.
        if urlsplit(place).scheme not in {"https", urlsplit(self._site.api).scheme}:
            raise ApiFailure(0, "no address to download the artifact from")
        with _api_failures(), Session() as session:
            for scheme in ("https://", "http://"):
                session.mount(scheme, HTTPAdapter(max_retries=self._patience.retry()))
            return _fetched(session, place, limit)


def _pull(item: PullRequest) -> Pull:
    # A fork that was deleted leaves no repository.
    repository = item.head.repo
    return Pull(item.number, repository.full_name if repository else "", item.head.sha or "")


def _without_token(request: PreparedRequest) -> PreparedRequest:
    """Send no credentials, those of a .netrc neither: the address itself is the permission."""
    return request


def _fetched(session: Session, address: str, limit: int) -> bytes:
    """Return what an address serves, as far as a limit."""
    data = bytearray()
    with session.get(
        address,
        auth=_without_token,
        headers={"Accept-Encoding": "identity", "User-Agent": f"mt-gate/{__version__}"},
        timeout=_TIMEOUT,
        allow_redirects=False,
        stream=True,
    ) as answer:
        if answer.status_code != 200:
            raise ApiFailure(answer.status_code, f"{answer.status_code} instead of the artifact")
        for chunk in answer.iter_content(_CHUNK):
            data += chunk
            if len(data) > limit:
                raise ApiFailure(0, f"an artifact of more than {limit} bytes")
    return bytes(data)
